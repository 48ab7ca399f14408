package main

import (
	"path/filepath"
	"regexp"

	"github.com/changesetgen/changesetgen/runtime"
)

// extension of the files that are notes.
const extension = ".md"

// maxName is the longest name of a note, in bytes.
const maxName = 60

// noteName is what a note may be called, and device what Windows keeps for itself, with any extension. The spec says the
// same to clients; here it holds whoever calls. No name has a separator, a dot or a capital in it, so none leads out of
// the folder, is hidden, or means the file of another name.
var (
	noteName = regexp.MustCompile(`^[a-z0-9]+([_-][a-z0-9]+)*$`)
	device   = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
)

// fileName is the file that a note is in.
func fileName(note string) (string, error) {
	if len(note) > maxName || !noteName.MatchString(note) || device.MatchString(note) || !filepath.IsLocal(note+extension) {
		return "", runtime.Refuse("%.80q cannot be the name of a note", note)
	}
	return note + extension, nil
}
