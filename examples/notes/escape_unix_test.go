//go:build unix

package main

import (
	"path/filepath"
	"syscall"
	"testing"
)

// Opening a pipe would wait for somebody who writes to it.
func TestPipeIsNoNote(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	put(t, place.notes, "note.md", "here")
	if err := syscall.Mkfifo(filepath.Join(place.notes, "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	refuseEverywhere(t, place.serve(t), place, "pipe")
}
