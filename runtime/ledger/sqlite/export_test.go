package sqlite

import "time"

// SetBusyTimeout changes how long writes wait, so that a test can open a ledger in peace and then be impatient.
func (s *Store) SetBusyTimeout(d time.Duration) { s.busyTimeout = d }

// ShareAtOnce has the process of s leave the lock after each write to another one that waits for it.
func (s *Store) ShareAtOnce() { s.turn.slice = 0 }

// LockPath is the file whose time a process sets that waits for its turn.
func (s *Store) LockPath() string { return s.turn.lock.Path() }
