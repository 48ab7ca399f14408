package sqlite

import (
	"fmt"
	"log/slog"
	"path/filepath"
)

// reach says who may write to a file system.
type reach int

const (
	unsure    reach = iota
	local           // this machine alone
	networked       // others too: locks do not keep them out
)

// fileSystem is what is known of the file system that a ledger lies on.
type fileSystem struct {
	name  string
	reach reach
}

// checkFileSystem refuses a ledger where locks cannot be trusted, and says which checks cannot be made.
func checkFileSystem(path string, logger *slog.Logger) error {
	dir := filepath.Dir(path)
	found, err := fileSystemOf(dir)
	if err != nil {
		return fmt.Errorf("%s: look at its file system: %w", path, err)
	}
	if !modesMatter {
		logger.Warn("cannot check on this system who else may write to the ledger; restrict its directory to this user", "ledger", path)
	}
	return found.judge(path, logger)
}

// judge refuses a ledger on a network file system, and says so where that cannot be told.
func (found fileSystem) judge(path string, logger *slog.Logger) error {
	switch found.reach {
	case networked:
		return unsupported(path, "it is on a network file system (%s), whose locks cannot be trusted; keep it on a disk of this host", found.name)
	case unsure:
		logger.Warn("cannot tell whether the ledger is on a network file system; keep it on a disk of this host",
			"ledger", path, "file_system", found.name)
	}
	return nil
}
