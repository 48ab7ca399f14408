package sqlite

import (
	"encoding/json"
	"io"
	"os"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/upkeep"
)

// maxHoldNote is more than what is written into the file of a holder, in bytes.
const maxHoldNote = 1 << 10

// noteHold writes into the file of a holder where its process is. What holds is the lock alone: a note that cannot be written,
// as on a disk that is full, is one that people have to do without.
func noteHold(path string) {
	if note, err := json.Marshal(upkeep.ThisProcess()); err == nil {
		_ = os.WriteFile(path, note, fileMode)
	}
}

// holdNote is what the file of a holder says of where its process is; nothing where it cannot be read, such as that of a
// program which wrote none.
func holdNote(path string) ledger.Process {
	f, err := os.Open(path)
	if err != nil {
		return ledger.Process{}
	}
	defer f.Close()
	note, err := io.ReadAll(io.LimitReader(f, maxHoldNote))
	if err != nil {
		return ledger.Process{}
	}
	var p ledger.Process
	if err := json.Unmarshal(note, &p); err != nil {
		return ledger.Process{}
	}
	return p
}
