//go:build !unix

package sqlite

import (
	"io/fs"
	"os"
)

// modesMatter says that permission bits keep others out on this system.
const modesMatter = false

// checkOwner has nothing to look at on this system.
func checkOwner(string, string, fs.FileInfo) error { return nil }

// ownerAdvice has nothing to say on this system.
func ownerAdvice(string) string { return "" }

// giveAway has nothing to give away on this system.
func giveAway(*os.File, fs.FileInfo) error { return nil }

// syncDirectory is not needed where the file system writes names before it answers, and not possible.
func syncDirectory(string) error { return nil }
