package pgcluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Variable names the directory of the binaries, where others are installed that are not to be used.
const Variable = "CHANGESET_PG_BIN"

// ErrNotInstalled says that there is no PostgreSQL here to run, or that this system is not one where this package can.
var ErrNotInstalled = errors.New("no PostgreSQL server is installed")

// packaged is where Debian and those after it keep a directory for each version.
const packaged = "/usr/lib/postgresql"

// binaries are an installation of PostgreSQL, and the user that its server can be run by.
type binaries struct {
	dir  string
	user account
}

// find finds the binaries: those of the variable alone if it is set; else of PATH, the newest of Debian's, or those that
// pg_config tells of. What the variable names must be there: nobody sets it who has none.
func find() (binaries, error) {
	if !supported {
		return binaries{}, fmt.Errorf("%w: temporary clusters need a Unix system", ErrNotInstalled)
	}
	user, err := serverAccount()
	if err != nil {
		return binaries{}, err
	}
	if named := os.Getenv(Variable); named != "" {
		if !complete(named) {
			return binaries{}, fmt.Errorf("$%s: there is no initdb and postgres in %s", Variable, named)
		}
		return binaries{named, user}, nil
	}
	for _, dir := range candidates() {
		if complete(dir) {
			return binaries{dir, user}, nil
		}
	}
	return binaries{}, fmt.Errorf("%w: there is no initdb and postgres in PATH, %s or where pg_config says; or set %s",
		ErrNotInstalled, packaged, Variable)
}

// candidates are the directories that may hold the binaries, the best first. What PATH has may be a link into one that has
// more of them.
func candidates() []string {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	if newest := newestPackaged(); newest != "" {
		dirs = append(dirs, newest)
	}
	if told, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(told)))
	}
	return dirs
}

// newestPackaged is the directory of the highest version that is packaged and complete, or "".
func newestPackaged() string {
	found, _ := filepath.Glob(filepath.Join(packaged, "*", "bin")) // the pattern is a good one
	best, highest := "", 0
	for _, dir := range found {
		version, err := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
		if err == nil && version > highest && complete(dir) {
			best, highest = dir, version
		}
	}
	return best
}

// complete tells whether a directory has what a cluster is made and run with.
func complete(dir string) bool {
	for _, program := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, program)); err != nil {
			return false
		}
	}
	return true
}
