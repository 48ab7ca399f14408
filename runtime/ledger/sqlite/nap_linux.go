package sqlite

import (
	"syscall"
	"time"
)

// nap sleeps for less than a millisecond, which the timers of the runtime make one.
func nap(length time.Duration) {
	rest := syscall.NsecToTimespec(length.Nanoseconds())
	_ = syscall.Nanosleep(&rest, nil) // a signal ends it early, which does no harm
}
