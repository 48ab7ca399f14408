package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

const (
	directoryMode  fs.FileMode = 0o700
	fileMode       fs.FileMode = 0o600
	othersMayWrite fs.FileMode = 0o022
	others         fs.FileMode = 0o077
)

// The endings of the files that the engine makes beside a database, and takes for its own when they are there.
const (
	logEnding     = "-wal"
	indexEnding   = "-shm" // of the log
	journalEnding = "-journal"
)

// engineFiles are all of them.
var engineFiles = []string{logEnding, indexEnding, journalEnding}

// companions are the endings of the files that lie beside a ledger for as long as it is used.
var companions = []string{"", logEnding, indexEnding, lockEnding, markEnding, keyEnding}

// locate turns the path that a user gave into an absolute one. A path that comes from a configuration or the environment
// has seen no shell, so ~ is the home directory here too.
func locate(path string) (string, error) {
	if path == "" || path == ":memory:" || strings.HasPrefix(path, "file:") {
		return "", fmt.Errorf("%w: %q is not the path of a file; give one, such as data/ledger.db", ledger.ErrUnsupported, path)
	}
	if isAddress(path) {
		// It may hold a password, so it is not repeated.
		return "", fmt.Errorf("%w: what is given is the address of a database, and this ledger is a file; give its path, such as data/ledger.db", ledger.ErrUnsupported)
	}
	absolute, err := absolutePath(path)
	if err != nil {
		return "", fmt.Errorf("find the ledger %s: %w", path, err)
	}
	return absolute, nil
}

// isAddress finds what is meant as the address of a database: a file of that name would be made where nobody looks for it.
func isAddress(path string) bool {
	return strings.Contains(path, "://") || strings.HasPrefix(path, "postgres:") || strings.HasPrefix(path, "postgresql:")
}

func absolutePath(path string) (string, error) {
	below, ok := strings.CutPrefix(filepath.ToSlash(path), "~/")
	if !ok {
		return filepath.Abs(path)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Abs(filepath.Join(home, below))
}

// checkPlace refuses a ledger where others could change it or where locks do not hold, and makes its directory.
func checkPlace(path string, logger *slog.Logger) error {
	if err := prepareDirectory(path); err != nil {
		return err
	}
	if err := checkFileSystem(path, logger); err != nil {
		return err
	}
	return checkFiles(path)
}

// prepareDirectory makes sure that the directory of a ledger exists and that nobody else can put files into it.
func prepareDirectory(path string) error {
	dir := filepath.Dir(path)
	if err := makeDirectory(dir); err != nil {
		return unavailable(path, "make its directory", err)
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return unavailable(path, "look at its directory", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return unsupported(path, "its directory is a symbolic link; give the path that the link leads to")
	case !info.IsDir():
		return unsupported(path, "%s is not a directory; give a path inside one", dir)
	case modesMatter && info.Mode()&othersMayWrite != 0:
		return unsupported(path, "others can write to its directory (mode %04o); give it a directory of its own, or run: chmod go-w %s",
			info.Mode().Perm(), dir)
	}
	return checkOwner(path, dir, info)
}

// makeDirectory makes dir if it is missing, on disk as well: a directory that a power loss takes along takes the claims
// in it too.
func makeDirectory(dir string) error {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeDirectory(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, directoryMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDirectory(filepath.Dir(dir))
}

// checkFiles refuses a ledger of which any file is a link, no file, or open to others. Missing files are fine. It does
// not open them, because closing a file drops the locks that SQLite has on it.
func checkFiles(path string) error {
	for _, ending := range companions {
		if err := checkFile(path, path+ending); err != nil {
			return err
		}
	}
	return nil
}

func checkFile(path, file string) error {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return unavailable(path, "look at "+file, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return unsupported(path, "%s is a symbolic link; give the path that the link leads to", file)
	case !info.Mode().IsRegular():
		return unsupported(path, "%s is not a file; give the path of one", file)
	case modesMatter && info.Mode()&others != 0:
		return unsupported(path, "others can get at it (mode %04o); see that nobody did, and run: chmod 600 %s", info.Mode().Perm(), file)
	}
	return checkOwner(path, file, info)
}

// makeBeside makes an empty file for the ledger at path, which nobody else had made: fs.ErrExist otherwise. SQLite and
// others would make one that all can read. It belongs to whom the ledger belongs to, or the directory of one that is still
// to be made: the superuser may look after a ledger, and its server must find no file that it cannot open.
func makeBeside(path, file string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	like, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		like, err = os.Lstat(filepath.Dir(path))
	}
	if err == nil {
		err = giveAway(f, like)
	}
	return errors.Join(err, f.Close())
}

// sizeOf is the size of a file, and whether there is one.
func sizeOf(file string) (size int64, exists bool, err error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	return info.Size(), true, nil
}
