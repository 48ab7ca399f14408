package sqlite

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// markFile is the mark of a ledger that is in use, kept open: it is read before each write and written after it. The turn
// guards it.
type markFile struct {
	ledger string // its path
	access int    // how the file is opened
	file   *os.File
	info   os.FileInfo // of file
}

// newMarkFile is the mark of the ledger at path. Who only looks need not be able to write it.
func newMarkFile(path string, looks bool) markFile {
	if looks {
		return markFile{ledger: path, access: os.O_RDONLY}
	}
	return markFile{ledger: path, access: os.O_RDWR}
}

// read gives the mark that lies beside the ledger now, as readMark does.
func (f *markFile) read() (mark, error) {
	err := f.follow()
	if errors.Is(err, fs.ErrNotExist) {
		return mark{}, nil
	}
	if err != nil {
		return mark{}, err
	}
	content := make([]byte, len(mark{}.text())+1) // one more than there should be
	n, err := f.file.ReadAt(content, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return mark{}, err
	}
	m, legible := parseMark(string(content[:n]))
	m.found, m.legible = true, legible
	return m, nil
}

// write replaces the mark that was read, or makes one if there was none. It is not synced.
func (f *markFile) write(m mark) error {
	if f.file == nil {
		if err := makeMark(f.ledger); err != nil {
			return err
		}
		if err := f.follow(); err != nil {
			return err
		}
	}
	_, err := f.file.WriteAt([]byte(m.text()), 0)
	return err
}

// follow has the file open that is in its place now, which may have been removed or replaced.
func (f *markFile) follow() error {
	info, err := os.Lstat(f.ledger + markEnding)
	if err == nil && f.file != nil && os.SameFile(info, f.info) {
		return nil
	}
	f.close()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(f.ledger+markEnding, f.access, 0)
	if err != nil {
		return err
	}
	if f.info, err = file.Stat(); err != nil {
		return errors.Join(err, file.Close())
	}
	f.file = file
	return nil
}

// close may be called more than once. What was written is written whatever it says.
func (f *markFile) close() {
	if f.file != nil {
		_ = f.file.Close()
		f.file = nil
	}
}
