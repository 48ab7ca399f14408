// Package output writes generated files into a directory, with care for what is there already.
//
// A file that would not change is not touched, so its modification time stays. A file is replaced in one step, so a
// reader never sees half of it. A link, a folder or a file of somebody else in the way is an error, found before
// anything is written.
package output

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Plan is what to write into one directory.
type Plan struct {
	dir       string
	changed   []file
	unchanged int
}

// file is a file that is new or differs from the one on disk.
type file struct {
	name    string
	content []byte
	old     []byte      // of the one on disk; nil if there is none
	mode    fs.FileMode // of the one on disk; 0 if there is none
}

// Done counts what Write did.
type Done struct{ Written, Unchanged int }

// String is the count for people: wrote 2 files, 1 unchanged.
func (d Done) String() string {
	files := "files"
	if d.Written == 1 {
		files = "file"
	}
	return fmt.Sprintf("wrote %d %s, %d unchanged", d.Written, files, d.Unchanged)
}

// Prepare compares files, by their base names, with those in dir and writes nothing. It fails if a name is taken by
// something other than a regular file, or by a file that owns does not recognise by its content as one to replace.
// The directory need not exist, but no file may have its name.
func Prepare(dir string, files map[string][]byte, owns func(content []byte) bool) (*Plan, error) {
	if err := checkFolder(dir); err != nil {
		return nil, err
	}
	p := &Plan{dir: dir}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			p.changed = append(p.changed, file{name: name, content: files[name]})
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look at what is to be replaced: %w", err)
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is not a regular file: move it away", path)
		}
		old, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read what is to be replaced: %w", err)
		}
		switch {
		case bytes.Equal(old, files[name]):
			p.unchanged++
		case !owns(old):
			return nil, fmt.Errorf("%s was not generated, and is not overwritten: move it away", path)
		default:
			p.changed = append(p.changed, file{name: name, content: files[name], old: old, mode: info.Mode().Perm()})
		}
	}
	return p, nil
}

// checkFolder fails if a file stands where dir, or a directory that it is in, would have to be.
func checkFolder(dir string) error {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is a file, so no folder can be there: give -o another folder", at)
		case err == nil || at == filepath.Dir(at):
			return nil
		}
	}
}

// Write carries out plans. All new content of all of them is on disk, beside the files, before the first file is
// replaced: what can be foreseen to fail fails while everything is as it was, but for new folders. After a later error
// some files may be new and others old, but none is torn.
func Write(plans []*Plan) (done Done, err error) {
	var all []*staged
	defer func() {
		for _, s := range all {
			err = errors.Join(err, s.close())
		}
	}()
	for _, p := range plans {
		s, err := p.stage()
		if s != nil {
			all = append(all, s)
		}
		if err != nil {
			return done, fmt.Errorf("write into %s: %w", p.dir, err)
		}
		done.Unchanged += p.unchanged
	}
	for _, s := range all {
		done.Written += len(s.moves)
		if err := s.replace(); err != nil {
			return Done{}, fmt.Errorf("write into %s: %w", s.root.Name(), err)
		}
	}
	return done, nil
}

// staged is the new content of a directory, in files that are not in their places yet.
type staged struct {
	root  *os.Root // no name can lead out of it
	moves []move
}

// move is from where content is to where it is to be.
type move struct{ from, to string }

// stage puts all new content of a plan beside the files; nil if there is none. What it returns is to be closed, with an
// error too.
func (p *Plan) stage() (*staged, error) {
	if len(p.changed) == 0 {
		return nil, nil
	}
	if err := os.MkdirAll(p.dir, newDirMode); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return nil, err
	}
	s := &staged{root: root}
	for _, f := range p.changed {
		if err := s.add(f); err != nil {
			return s, err
		}
	}
	return s, nil
}

// add puts the content of f beside it, if its own place can be had.
func (s *staged) add(f file) error {
	switch info, err := s.root.Lstat(f.name); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file: move it away", f.name)
	}
	temporary := "." + rand.Text()[:temporaryLetters] + ".tmp"
	if err := create(s.root, temporary, f); err != nil {
		return err
	}
	s.moves = append(s.moves, move{temporary, f.name})
	return nil
}

// temporaryLetters make a name that nothing has and that is no longer than that of any generated file, so that it fits
// where the file does.
const temporaryLetters = 8

// replace puts the files into their places. Those that it does not get to remain in moves.
func (s *staged) replace() error {
	for ; len(s.moves) > 0; s.moves = s.moves[1:] {
		if err := s.root.Rename(s.moves[0].from, s.moves[0].to); err != nil {
			return err
		}
	}
	return nil
}

// close takes away what did not get to its place.
func (s *staged) close() error {
	for _, m := range s.moves {
		_ = s.root.Remove(m.from) // there only if a step before has failed, and that is reported
	}
	return s.root.Close()
}

// The modes of what is new, before the umask.
const (
	newFileMode = 0o666
	newDirMode  = 0o777
)

// create writes the content of f under a name that nothing has yet, with the mode of the file that it is to replace. If
// it fails there is no such file.
func create(root *os.Root, name string, f file) error {
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFileMode)
	if err != nil {
		return err
	}
	_, err = out.Write(f.content)
	if err == nil && f.mode != 0 {
		err = out.Chmod(f.mode)
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}
