package runtime_test

import (
	"testing"
	"testing/synctest"

	"github.com/changesetgen/changesetgen/runtime/internal/stdio"
)

// inBubble runs a test by a clock of its own, which stands still while anything goes on. What a guard does not wait for any longer
// than for some seconds is waited for however slow the machine is, and what never comes is waited for no longer than it takes to
// see that. Everything that the test waits for has to be made in it.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	stdio.OutliveClient()() // the first one has the runtime watch signals, which goes on outside of every bubble
	synctest.Test(t, test)
}
