package sqlite

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// logHeaderSize is the length of what a write-ahead log begins with. It is another one each time that the engine begins the
// log anew.
const logHeaderSize = 32

// beginningOf is the header of the log of the ledger at path; "" while it has none, and nothing that counts. No lock is on a
// log that closing it here could drop.
func beginningOf(path string) (string, error) {
	f, err := os.Open(path + logEnding)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	header := make([]byte, logHeaderSize)
	_, err = io.ReadFull(f, header)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "", f.Close()
	}
	return string(header), errors.Join(err, f.Close())
}

// noteSettled finds out whether what was seen in the file is on disk. The engine syncs the file when all of the log is in it,
// and only then begins the log anew, or cuts it. What it writes to the file before that may be lost with the power, and comes
// out of the log again: a mark must not miss it then.
func (s *Store) noteSettled() {
	if s.seen.settled >= s.seen.inFile {
		return
	}
	if begun, err := beginningOf(s.path); err == nil && (begun == "" || begun != s.seen.begun) {
		s.seen.settled = s.seen.inFile
	}
}
