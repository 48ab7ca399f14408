package sqlite

import (
	"errors"
	"io/fs"
	"os"
)

// place remembers which files a store has open, so that it never writes to one that others no longer find. A claim in a
// removed file would be forgotten with the process, and one in a replaced file is unknown to everybody else.
type place struct {
	path string
	file os.FileInfo
	log  os.FileInfo // nil if there was none
}

// remember looks at the files of a ledger that has just been opened.
func remember(path string) (place, error) {
	p := place{path: path}
	var err error
	if p.file, err = os.Lstat(path); err != nil {
		return p, err
	}
	if p.log, err = os.Lstat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	return p, err
}

// check fails with ErrUnsupported when another file, or none, is where one of them was.
func (p place) check() error {
	if !p.holds() || p.log != nil && !same(p.path+"-wal", p.log) {
		return unsupported(p.path, "it was removed or replaced while it is in use; put it back, or restart every program that uses it")
	}
	return nil
}

// holds tells whether the file is still the one that was opened.
func (p place) holds() bool { return same(p.path, p.file) }

func same(path string, known os.FileInfo) bool {
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(now, known)
}
