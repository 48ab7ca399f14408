//go:build unix

package main

import (
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
