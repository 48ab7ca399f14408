//go:build unix

package stdio

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// OutliveClient makes a write to a standard output or error that nobody reads an error, which by default is the end of
// the process. What it returns takes that back; it may be called again, and leaves alone what others asked for.
func OutliveClient() (undo func()) {
	// Being notified is what counts; nobody listens, and a channel that is full loses what is sent to it. The signal is
	// not ignored, because child processes would inherit that.
	unheard := make(chan os.Signal, 1)
	signal.Notify(unheard, syscall.SIGPIPE)
	return func() { signal.Stop(unheard) }
}

// nobodyReads tells that a write failed because the other end was closed.
func nobodyReads(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
