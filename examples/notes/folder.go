package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/examples/generated/notes"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
)

// maxSize is the largest file that is a note, in bytes: preview and payload together must fit what a change may hold.
const maxSize = 16 << 10

// folder is the directory of the notes. What is in it is opened through root, which follows no path and no link out of
// it; and only plain files are notes.
type folder struct {
	path string // without links in it
	root *os.Root
}

// openFolder opens a directory, which is made where it is missing, and clears away what a killed server left half done.
func openFolder(ctx context.Context, path string) (*folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the notes: %w", err)
	}
	path, err := realPath(path)
	if err != nil {
		return nil, fmt.Errorf("find the folder of the notes: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open the folder of the notes: %w", err)
	}
	f := &folder{path: path, root: root}
	if err := f.sweep(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("clear the folder of the notes: %w", err), root.Close())
	}
	return f, nil
}

func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

func (f *folder) close() error { return f.root.Close() }

// inPlace refuses when the path no longer leads to the directory that the server opened: it was moved away, or there is
// another one, or a link, in its place. What is open would still lead to the old one.
func (f *folder) inPlace() error {
	there, err := os.Lstat(f.path)
	if err == nil {
		var opened fs.FileInfo
		if opened, err = f.root.Stat("."); err == nil && os.SameFile(there, opened) {
			return nil
		}
	}
	return runtime.Refuse("the folder of the notes was moved or replaced; ask the operator to start the server again")
}

// read gives a note; nil if there is none of that name.
func (f *folder) read(name string) (*notes.NoteState, error) {
	file, err := fileName(name)
	if err != nil {
		return nil, err
	}
	if err := f.inPlace(); err != nil {
		return nil, err
	}
	text, err := f.readFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case len(text) > maxSize:
		return nil, runtime.Refuse("the note %s is larger than %d bytes; it has to be changed by hand", name, maxSize)
	case !utf8.Valid(text):
		return nil, runtime.Refuse("the note %s is not UTF-8 text; it has to be changed by hand", name)
	}
	return &notes.NoteState{Name: name, Text: string(text), Hash: exact.Hash(text)}, nil
}

// maxReplaced is how many times in a row a file may be replaced while it is opened. Every write of a note replaces it.
const maxReplaced = 100

// errReplaced says that what was opened is not what was looked at before.
var errReplaced = errors.New("it was replaced while it was opened")

// readFile reads a plain file, one byte beyond maxSize at most, as it was at one moment.
func (f *folder) readFile(file string) (text []byte, err error) {
	for range maxReplaced {
		if text, err = f.readListed(file); !errors.Is(err, errReplaced) {
			break
		}
	}
	return text, err
}

// readListed reads a file that is a plain one. Anything else is refused before it is opened: opening a pipe waits for
// somebody to write to it. What took the place of the file between is not read either.
func (f *folder) readListed(file string) (text []byte, err error) {
	listed, err := f.root.Lstat(file)
	if err != nil {
		return nil, err
	}
	if !listed.Mode().IsRegular() {
		return nil, runtime.Refuse("%s is not a plain file", file)
	}
	opened, err := f.root.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if there, err := opened.Stat(); err != nil || !os.SameFile(listed, there) {
		return nil, errors.Join(fmt.Errorf("%s: %w", file, errReplaced), err)
	}
	return io.ReadAll(io.LimitReader(opened, maxSize+1))
}
