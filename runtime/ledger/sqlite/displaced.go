package sqlite

import (
	"errors"
	"io/fs"
	"os"
)

// openFiles are the endings of the files that the engine has open for as long as a ledger is used. The last one is
// its index of the log, which every process has mapped: two that have mapped different ones do not see each other's
// writes.
var openFiles = []string{"", logEnding, indexEnding}

// place remembers which files a store has open, so that it never writes to one that others no longer find. A claim in a
// removed file would be forgotten with the process, and one in a replaced file is unknown to everybody else.
type place struct {
	path  string
	files []os.FileInfo // in the order of openFiles; nil for one that was gone at once
}

// remember looks at the files of a ledger that has just been opened, all openFiles or the first of them. One that is missing is
// missing only for those who come later: this process has had it open all along.
func remember(path string, endings []string) (place, error) {
	p := place{path: path}
	for _, ending := range endings {
		info, err := os.Lstat(path + ending)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p, unavailable(path, "look at the ledger", err)
		}
		p.files = append(p.files, info)
	}
	return p, p.check()
}

// check fails with ErrUnsupported when another file, or none, is where one of them was.
func (p place) check() error {
	_, err := p.look()
	return err
}

// look is check, and gives the files as they are now.
func (p place) look() (files []os.FileInfo, err error) {
	for i, known := range p.files {
		now := same(p.path+openFiles[i], known)
		if now == nil {
			return nil, p.displaced(openFiles[i])
		}
		files = append(files, now)
	}
	return files, nil
}

// displaced says which file is not in its place.
func (p place) displaced(ending string) error {
	return unsupported(p.path, "%s was removed or replaced while it is in use; put it back, or restart every program that uses the ledger", p.path+ending)
}

// holds tells whether the file is still the one that was opened.
func (p place) holds() bool { return len(p.files) > 0 && same(p.path, p.files[0]) != nil }

// same is a known file as it is now; nil if it is not in its place.
func same(path string, known os.FileInfo) os.FileInfo {
	now, err := os.Lstat(path)
	if err != nil || known == nil || !os.SameFile(now, known) {
		return nil
	}
	return now
}
