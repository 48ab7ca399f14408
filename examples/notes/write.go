package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	goruntime "runtime"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/gofrs/flock"
)

// The files in the folder that are no notes: no note has a name that begins with a dot.
const (
	lockFile   = ".lock"
	stagedFile = ".new-" // begins the names of files that are being written
)

// lockPause is how long a writer waits before it tries the lock again.
const lockPause = 10 * time.Millisecond

// create writes a note that is not there.
func (f *folder) create(ctx context.Context, name, text string) error {
	return f.exclusively(ctx, func() error {
		file, err := fileName(name)
		if err != nil {
			return runtime.NotApplied(err)
		}
		staged, err := f.stage(text, 0o600)
		if err != nil {
			return runtime.NotApplied(err)
		}
		defer func() { _ = f.root.Remove(staged) }() // or the next server does
		return f.link(staged, file, name)
	})
}

// replace writes over a note that still has the content that was seen. Readers see the old text or the new one, and a
// crash leaves one of them.
func (f *folder) replace(ctx context.Context, name, hash, text string) error {
	return f.conditionally(ctx, name, hash, func(file string) error {
		old, err := f.root.Lstat(file)
		if err != nil {
			return runtime.NotApplied(err)
		}
		staged, err := f.stage(text, old.Mode().Perm())
		if err != nil {
			return runtime.NotApplied(err)
		}
		if err := f.root.Rename(staged, file); err != nil {
			return runtime.NotApplied(errors.Join(err, f.root.Remove(staged)))
		}
		return f.flush()
	})
}

// remove deletes a note that still has the content that was seen.
func (f *folder) remove(ctx context.Context, name, hash string) error {
	return f.conditionally(ctx, name, hash, func(file string) error {
		if err := f.root.Remove(file); err != nil {
			return runtime.NotApplied(err)
		}
		return f.flush()
	})
}

// rename gives a note that still has the content that was seen another name, which must be free.
func (f *folder) rename(ctx context.Context, name, hash, newName string) error {
	return f.conditionally(ctx, name, hash, func(file string) error {
		newFile, err := fileName(newName)
		if err != nil {
			return runtime.NotApplied(err)
		}
		if err := f.link(file, newFile, newName); err != nil {
			return err
		}
		if err := f.root.Remove(file); err != nil {
			return fmt.Errorf("the note has both names: %w", err)
		}
		return f.flush()
	})
}

// conditionally is exclusively, if a note still has the content that was seen.
func (f *folder) conditionally(ctx context.Context, name, hash string, write func(file string) error) error {
	return f.exclusively(ctx, func() error {
		now, err := f.read(name)
		switch {
		case err != nil:
			return runtime.NotApplied(err)
		case now == nil || now.Hash != hash:
			return runtime.Conflict("the note %s has changed meanwhile", name)
		}
		file, err := fileName(name)
		if err != nil {
			return runtime.NotApplied(err)
		}
		return write(file)
	})
}

// exclusively writes while no other call does, of this server or of another on the same folder. The lock is the
// system's: it is free when the process that holds it is gone.
func (f *folder) exclusively(ctx context.Context, write func() error) error {
	if err := f.inPlace(); err != nil {
		return runtime.NotApplied(err)
	}
	made, err := f.root.OpenFile(lockFile, os.O_CREATE|os.O_RDWR, 0o600) // root makes it in the folder and nowhere else
	if err != nil {
		return runtime.NotApplied(err)
	}
	if err := made.Close(); err != nil {
		return runtime.NotApplied(err)
	}
	lock := flock.New(filepath.Join(f.path, lockFile), flock.SetFlag(os.O_RDWR))
	if _, err := lock.TryLockContext(ctx, lockPause); err != nil {
		return runtime.NotApplied(fmt.Errorf("wait for other writers: %w", err))
	}
	defer func() { _ = lock.Close() }() // which cannot undo what was written
	return write()
}

// link gives a file a second name, which must be free: nothing is ever written over, not even by somebody who does not
// know of the lock. It is on disk when link returns.
func (f *folder) link(file, newFile, newName string) error {
	err := f.root.Link(file, newFile)
	switch {
	case errors.Is(err, fs.ErrExist):
		return runtime.Conflict("there is a note called %s meanwhile", newName)
	case err != nil:
		return runtime.NotApplied(err)
	}
	return f.flush()
}

// stage writes a file of its own that is on disk when it returns, and gives its name.
func (f *folder) stage(text string, mode fs.FileMode) (staged string, err error) {
	staged = stagedFile + rand.Text()
	file, err := f.root.OpenFile(staged, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close()); err != nil {
		return "", errors.Join(err, f.root.Remove(staged))
	}
	return staged, nil
}

// flush makes what was renamed, linked or removed survive a power loss. Windows has no such call for a directory.
func (f *folder) flush() error {
	if goruntime.GOOS == "windows" {
		return nil
	}
	directory, err := f.root.Open(".")
	if err != nil {
		return fmt.Errorf("written, but maybe not on disk: %w", err)
	}
	if err := errors.Join(directory.Sync(), directory.Close()); err != nil {
		return fmt.Errorf("written, but maybe not on disk: %w", err)
	}
	return nil
}

// stagedName is what stage calls a file. Whatever is called otherwise, however much like it, is somebody's own.
var stagedName = regexp.MustCompile(`^` + regexp.QuoteMeta(stagedFile) + `[A-Z2-7]{26,}$`)

// sweep deletes what servers staged that were killed before they used it.
func (f *folder) sweep(ctx context.Context) error {
	return f.exclusively(ctx, func() error {
		entries, err := fs.ReadDir(f.root.FS(), ".")
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if !stagedName.MatchString(entry.Name()) || !entry.Type().IsRegular() {
				continue
			}
			if err := f.root.Remove(entry.Name()); err != nil {
				return err
			}
		}
		return nil
	})
}
