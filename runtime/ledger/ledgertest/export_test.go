package ledgertest

import "time"

// WaitAtMost has the suite wait for no longer than that for anything. It is for a process that runs nothing else.
func WaitAtMost(d time.Duration) { longest = d }
