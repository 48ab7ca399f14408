//go:build !linux

package sqlite

import "time"

// nap sleeps for a short time.
func nap(length time.Duration) { time.Sleep(length) }
