package sqlite

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// fileSystemOf says on what kind of file system dir lies.
func fileSystemOf(dir string) (fileSystem, error) {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	if err != nil {
		return fileSystem{}, err
	}
	switch windows.GetDriveType(root) {
	case windows.DRIVE_REMOTE:
		return fileSystem{name: "network drive", reach: networked}, nil
	case windows.DRIVE_FIXED, windows.DRIVE_REMOVABLE, windows.DRIVE_RAMDISK:
		return fileSystem{name: "local drive", reach: local}, nil
	}
	return fileSystem{name: "unknown drive"}, nil
}
