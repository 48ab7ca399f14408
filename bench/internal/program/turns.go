package program

import (
	"iter"
	"time"
)

// Turns counts from 0 for a time that began. There is one turn at least, so that something is measured even where a caller
// starts when the time is over.
func Turns(begin time.Time, length time.Duration) iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := 0; n == 0 || time.Since(begin) < length; n++ {
			if !yield(n) {
				return
			}
		}
	}
}
