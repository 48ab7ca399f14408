package cli

import (
	"strings"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// waitsFor is whose move a change waits for, in words; "" for nobody's.
func waitsFor(v runtime.View) string { return strings.ReplaceAll(string(v.WaitsFor), "_", " ") }

func isYes(d *runtime.ViewDecision) bool { return d != nil && d.Verdict == string(ledger.Approved) }
