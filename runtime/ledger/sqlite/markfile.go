package sqlite

import (
	"errors"
	"io"
	"io/fs"
)

// markFile is the mark of a ledger that is in use: it is read before each write and written after it.
type markFile struct {
	followed
	ledger string // its path
}

func newMarkFile(path string, looks bool) markFile {
	return markFile{ledger: path, followed: followed{path: path + markEnding, access: accessOf(looks)}}
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
