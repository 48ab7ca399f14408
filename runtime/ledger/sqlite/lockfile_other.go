//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd

package sqlite

import "github.com/gofrs/flock"

// lockFile is a file that processes lock against each other.
type lockFile struct{ lock *flock.Flock }

func newLockFile(path string, access int) *lockFile {
	return &lockFile{flock.New(path, flock.SetFlag(access))}
}

// tryLock locks it for this process alone; false if another one has locked it. It fails with fs.ErrNotExist if there is none.
func (l *lockFile) tryLock() (bool, error) { return l.lock.TryLock() }

// tryShare locks it for all who share it.
func (l *lockFile) tryShare() (bool, error) { return l.lock.TryRLock() }

// unlock fails only for a lock that is not held, which nobody can tell from one that is given back.
func (l *lockFile) unlock() { _ = l.lock.Unlock() }

// close may be called more than once. The file is not open while it is not locked.
func (l *lockFile) close() {}
