package sqlite

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// engineBeginning is how every file of the engine begins, and idOffset where its header names the program that made it.
const (
	engineBeginning = "SQLite format 3\x00"
	idOffset        = 68
)

// Recognise refuses a file that is certainly no ledger, by how it begins, before anything else
// is said or made of it. What cannot be read, or is too short to tell, is for Open to judge. Nothing of this process may
// have the file open: closing it here drops the locks of all.
func Recognise(path string) error {
	path, err := locate(path)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // a pipe would have to be waited for
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was only read
	var header [idOffset + 4]byte
	n, _ := io.ReadFull(f, header[:])
	switch {
	case n >= len(engineBeginning) && string(header[:len(engineBeginning)]) != engineBeginning:
		return fmt.Errorf("%s is no ledger: it does not begin as a SQLite database does; give the file that the servers use", path)
	case n == len(header) && binary.BigEndian.Uint32(header[idOffset:]) != applicationID:
		return fmt.Errorf("%s is no ledger: it is a SQLite database of another program; give the file that the servers use", path)
	}
	return nil
}
