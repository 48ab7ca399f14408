//go:build !unix

package sqlite

import "io/fs"

// modesMatter says that permission bits keep others out on this system.
const modesMatter = false

// checkOwner has nothing to look at on this system.
func checkOwner(string, string, fs.FileInfo) error { return nil }

// keepOwner has nothing to keep on this system.
func keepOwner(string, fs.FileInfo) error { return nil }

// syncDirectory is not needed where the file system writes names before it answers, and not possible.
func syncDirectory(string) error { return nil }
