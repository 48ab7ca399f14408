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
// The directory need not exist.
func Prepare(dir string, files map[string][]byte, owns func(content []byte) bool) (*Plan, error) {
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
			p.changed = append(p.changed, file{name: name, content: files[name], mode: info.Mode().Perm()})
		}
	}
	return p, nil
}

// Write carries out plans. After an error some files may be new and others old, but none is torn.
func Write(plans []*Plan) (Done, error) {
	var done Done
	for _, p := range plans {
		if err := p.write(); err != nil {
			return done, fmt.Errorf("write into %s: %w", p.dir, err)
		}
		done.Written += len(p.changed)
		done.Unchanged += p.unchanged
	}
	return done, nil
}

// write puts all new content beside the files first, and replaces them when that has worked.
func (p *Plan) write() (err error) {
	if len(p.changed) == 0 {
		return nil
	}
	if err := os.MkdirAll(p.dir, newDirMode); err != nil {
		return err
	}
	root, err := os.OpenRoot(p.dir) // no name can lead out of it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()

	suffix := "." + rand.Text() + ".tmp"
	temporary := func(f file) string { return "." + f.name + suffix }
	defer func() {
		for _, f := range p.changed {
			_ = root.Remove(temporary(f)) // there only if a step before has failed, and that is reported
		}
	}()
	for _, f := range p.changed {
		if err := create(root, temporary(f), f); err != nil {
			return err
		}
	}
	for _, f := range p.changed {
		if err := root.Rename(temporary(f), f.name); err != nil {
			return err
		}
	}
	return nil
}

// The modes of what is new, before the umask.
const (
	newFileMode = 0o666
	newDirMode  = 0o777
)

// create writes the content of f under a name that nothing has yet, with the mode of the file that it is to replace.
func create(root *os.Root, name string, f file) error {
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFileMode)
	if err != nil {
		return err
	}
	_, err = out.Write(f.content)
	if err == nil && f.mode != 0 {
		err = out.Chmod(f.mode)
	}
	return errors.Join(err, out.Close())
}
