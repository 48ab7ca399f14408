package payload

import (
	"fmt"

	"github.com/changesetgen/changesetgen/internal/format"
)

// Options say how a schema is read.
type Options struct {
	AssertFormats bool // format is checked, and not an annotation only
}

// checkFormats refuses formats that are to be asserted and cannot be.
func checkFormats(rules []*rule) error {
	for _, u := range sorted(rules) {
		name, ok := u.node["format"].(string)
		if ok && format.Check(name) == nil {
			return fmt.Errorf("%s: the format %s cannot be asserted; write a pattern, or one of %s", u.place(), show(name), list(format.Names()))
		}
	}
	return nil
}
