package sqlite

import "golang.org/x/sys/unix"

// fileSystemOf says on what kind of file system dir lies.
func fileSystemOf(dir string) (fileSystem, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return fileSystem{}, err
	}
	name := unix.ByteSliceToString(stat.Fstypename[:])
	if stat.Flags&unix.MNT_LOCAL == 0 {
		return fileSystem{name: name, reach: networked}, nil
	}
	return fileSystem{name: name, reach: local}, nil
}
