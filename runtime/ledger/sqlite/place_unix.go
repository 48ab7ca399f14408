//go:build unix

package sqlite

import (
	"errors"
	"io/fs"
	"os"
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
	if owner := int(stat.Uid); user != 0 && owner != 0 && owner != user {
		return unsupported(path, "%s belongs to another user (%d); give this user (%d) one of its own", file, owner, user)
	}
	if info.Mode().IsRegular() && stat.Nlink > 1 {
		return unsupported(path, "%s has %d names (hard links); remove all but one", file, stat.Nlink)
	}
	return nil
}

// keepOwner gives a file that takes the place of another one the same owner, who is somebody else when the superuser
// makes it.
func keepOwner(file string, place fs.FileInfo) error {
	stat, ok := place.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return os.Chown(file, int(stat.Uid), int(stat.Gid))
}

// syncDirectory puts the names in a directory on disk.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
