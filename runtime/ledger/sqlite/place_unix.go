//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// modesMatter says that permission bits keep others out on this system.
const modesMatter = true

// checkOwner refuses a file that belongs to somebody else, who could change it, and one with a second name, under which
// SQLite would keep a second write-ahead log. The superuser may use anybody's files.
func checkOwner(path, file string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	user := os.Geteuid()
	if owner := int(stat.Uid); user != superuser && owner != superuser && owner != user {
		return unsupported(path, "%s belongs to another user (%d); run this as that user, or give this user (%d) a ledger of its own", file, owner, user)
	}
	if info.Mode().IsRegular() && stat.Nlink > 1 {
		return unsupported(path, "%s has %d names (hard links); remove all but one", file, stat.Nlink)
	}
	return nil
}

// ownerAdvice is what to do about a ledger that this user may not use because it, or a file of it, belongs to somebody
// else; "" if that is not so. What cannot be looked at is in a directory that does.
func ownerAdvice(path string) string {
	user := os.Geteuid()
	for _, file := range []string{path, filepath.Dir(path)} {
		if owner, known := ownerOf(file); known && owner != user && user != superuser {
			return fmt.Sprintf("%s belongs to user %d, and this is user %d: run this as the user of the server", file, owner, user)
		}
	}
	for _, ending := range companions {
		if owner, known := ownerOf(path + ending); known && owner != user && user != superuser {
			return fmt.Sprintf("%s belongs to user %d, and the ledger to this one: give it back, as the superuser with: chown %d %s",
				path+ending, owner, user, path+ending)
		}
	}
	return ""
}

func ownerOf(file string) (user int, known bool) {
	info, err := os.Lstat(file)
	if err != nil {
		return 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// giveAway gives a file that the superuser has just made to the owner of another one.
func giveAway(made *os.File, like fs.FileInfo) error {
	stat, ok := like.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != superuser {
		return nil
	}
	return made.Chown(int(stat.Uid), int(stat.Gid))
}

// superuser is the user who may use the files of all others.
const superuser = 0

// syncDirectory puts the names in a directory on disk.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
