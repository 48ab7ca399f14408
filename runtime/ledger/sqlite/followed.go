package sqlite

import (
	"errors"
	"os"
)

// followed is a file beside a ledger that is kept open, because it is used with each write, and is the one in its place
// whenever it is used. The turn guards it.
type followed struct {
	path   string
	access int // how it is opened
	file   *os.File
	info   os.FileInfo // of file
}

// follow has the file open that is in its place now, which may have been removed or replaced.
func (f *followed) follow() error {
	info, err := os.Lstat(f.path)
	if err == nil && f.file != nil && os.SameFile(info, f.info) {
		return nil
	}
	f.close()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(f.path, f.access, 0)
	if err != nil {
		return err
	}
	if f.info, err = file.Stat(); err != nil {
		return errors.Join(err, file.Close())
	}
	f.file = file
	return nil
}

// close may be called more than once. Nothing is lost by it, whatever it says.
func (f *followed) close() {
	if f.file != nil {
		_ = f.file.Close()
		f.file = nil
	}
}

// accessOf is how the files beside a ledger are opened. Who only looks may have to do so on a disk that is read-only.
func accessOf(looks bool) int {
	if looks {
		return os.O_RDONLY
	}
	return os.O_RDWR
}
