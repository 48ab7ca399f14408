package stdio

import (
	"errors"
	"io"
	"syscall"
)

// OutliveClient has nothing to do: a write to a pipe that nobody reads is an error already.
func OutliveClient() (undo func()) { return func() {} }

// errNoData is ERROR_NO_DATA: the pipe is being closed.
const errNoData = syscall.Errno(232)

// nobodyReads tells that a write failed because the other end was closed.
func nobodyReads(err error) bool {
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, errNoData) || errors.Is(err, io.ErrClosedPipe)
}
