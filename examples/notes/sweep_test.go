package main

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServerClearsAwayWhatAKilledOneStaged(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	put(t, place.notes, stagedFile+rand.Text(), "half a te")
	put(t, place.notes, "note.md", "whole")
	place.serve(t)
	wantFiles(t, place.notes, map[string]string{"note.md": "whole"})
}

// What only looks like a staged file is somebody's own: it stays, and does not keep a server from starting.
func TestServerClearsAwayNothingOfAnybodyElse(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	for _, file := range []string{
		stagedFile + "idea.md", stagedFile, stagedFile + "LEFTOVER", strings.ToLower(stagedFile + rand.Text()),
		stagedFile + rand.Text() + ".md", "a" + stagedFile + rand.Text(),
	} {
		put(t, place.notes, file, "mine")
	}
	for _, folder := range []string{stagedFile + "folder", stagedFile + rand.Text()} {
		if err := os.Mkdir(filepath.Join(place.notes, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(place.notes, folder), "note.md", "mine")
	}
	if err := os.Symlink(place.outside, filepath.Join(place.notes, stagedFile+rand.Text())); err != nil {
		t.Logf("no links here: %v", err)
	}
	before := files(t, place.notes)
	place.serve(t)
	wantFiles(t, place.notes, before)
}
