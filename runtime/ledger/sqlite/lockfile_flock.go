//go:build linux || darwin || freebsd || netbsd || openbsd

package sqlite

import (
	"errors"
	"syscall"
)

// lockFile is a file that processes lock against each other. It is kept open: to open it takes longer than to lock it.
type lockFile struct{ followed }

func newLockFile(path string, access int) *lockFile {
	return &lockFile{followed{path: path, access: access}}
}

// tryLock locks it for this process alone; false if another one has locked it. It fails with fs.ErrNotExist if there is none.
func (l *lockFile) tryLock() (bool, error) { return l.try(syscall.LOCK_EX) }

// tryShare locks it for all who share it.
func (l *lockFile) tryShare() (bool, error) { return l.try(syscall.LOCK_SH) }

func (l *lockFile) try(how int) (locked bool, err error) {
	if err := l.follow(); err != nil {
		return false, err
	}
	err = lockDescriptor(l.file.Fd(), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// unlock fails only for a lock that is not held, which nobody can tell from one that is given back.
func (l *lockFile) unlock() {
	if l.file != nil {
		_ = lockDescriptor(l.file.Fd(), syscall.LOCK_UN)
	}
}

// lockDescriptor is the call of the system, made again when a signal came between.
func lockDescriptor(fd uintptr, how int) error {
	for {
		if err := syscall.Flock(int(fd), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
