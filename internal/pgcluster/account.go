package pgcluster

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
)

// account is the user that a server is run by. PostgreSQL refuses to be run by the superuser.
type account struct {
	changes  bool // it is not the user of this process
	uid, gid int
}

// unprivileged are the users that the superuser may run a server by, the best first.
var unprivileged = []string{"postgres", "nobody"}

// serverAccount is the user of this process, or another one if that is the superuser.
func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range unprivileged {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.Atoi(found.Uid)
		if err != nil {
			return account{}, fmt.Errorf("the id of user %s: %w", name, err)
		}
		gid, err := strconv.Atoi(found.Gid)
		if err != nil {
			return account{}, fmt.Errorf("the group of user %s: %w", name, err)
		}
		return account{changes: true, uid: uid, gid: gid}, nil
	}
	return account{}, fmt.Errorf("a server of PostgreSQL is not run by the superuser, and there is none of the users %q", unprivileged)
}

// take makes the user the owner of a file.
func (a account) take(path string) error {
	if !a.changes {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}

// place is where a cluster goes if nobody says: memory, unless it is durable, or a directory for temporary files that the
// user can enter.
func (a account) place(durable bool) string {
	dirs := []string{os.TempDir(), "/tmp", "/var/tmp"}
	if !durable && roomInMemory() {
		dirs = append([]string{memory}, dirs...)
	}
	for _, dir := range dirs {
		if a.canEnter(dir) {
			return dir
		}
	}
	return os.TempDir()
}

// canEnter tells whether a directory and all above it can be entered by any user.
func (a account) canEnter(dir string) bool {
	const entered = 0o001
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || a.changes && info.Mode()&entered == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}
