//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// Whoever reads a note while it is written over, as an editor does that knows of no lock, finds the old text or the new
// one, whole, and so does whoever comes after a writer that was killed.
func TestNoteIsThereAndWholeAtEveryMomentOfAReplace(t *testing.T) {
	t.Parallel()
	const replaces, length = 200, 8 << 10
	place := newPlace(t)
	folder, err := openFolder(t.Context(), place.notes)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = folder.close() }()
	now := strings.Repeat("a", length)
	put(t, place.notes, "note.md", now)
	written := make(chan error, 1)
	go func() {
		var err error
		for n := 0; n < replaces && err == nil; n++ {
			next := strings.Repeat(string(rune('a'+n%26)), length)
			err = folder.replace(t.Context(), "note", exact.Hash([]byte(now)), next)
			now = next
		}
		written <- err
	}()
	for reads := 0; ; reads++ {
		text, err := os.ReadFile(filepath.Join(place.notes, "note.md"))
		if err != nil || len(text) != length || strings.Count(string(text), string(text[:1])) != length {
			t.Fatalf("read %d: %d bytes, %v", reads, len(text), err)
		}
		select {
		case err := <-written:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}

// Who writes a note replaces its file, which must not look like a fault to who reads it.
func TestNoteIsReadWhileItIsWrittenAgainAndAgain(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	put(t, place.notes, "note.md", "start")
	folder, err := openFolder(t.Context(), place.notes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.close() })
	const writes = 2000
	written := make(chan error)
	go func() {
		staged := filepath.Join(t.TempDir(), "staged")
		for range writes {
			if err := errors.Join(os.WriteFile(staged, []byte("start"), 0o600), os.Rename(staged, filepath.Join(place.notes, "note.md"))); err != nil {
				written <- err
				return
			}
		}
		close(written)
	}()
	for {
		if state, err := folder.read("note"); err != nil || state == nil {
			t.Fatalf("read %v, %v", state, err)
		}
		select {
		case err := <-written:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}
