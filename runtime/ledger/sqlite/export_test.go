package sqlite

import "time"

// SetBusyTimeout changes how long writes wait, so that a test can open a ledger in peace and then be impatient.
func (s *Store) SetBusyTimeout(d time.Duration) { s.busyTimeout = d }
