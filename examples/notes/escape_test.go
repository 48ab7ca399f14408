package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/changesetgen/changesetgen/examples/internal/client"
	"github.com/changesetgen/changesetgen/examples/internal/rig"
	"github.com/changesetgen/changesetgen/runtime"
)

// fieldCasesFile holds failures that people reported in public, where it lies beside the clone.
const fieldCasesFile = "../../../shared/field/cases.jsonl"

// operations are the ways to write, with the arguments that put a name to the test.
func operations(name string) map[string]rig.Args {
	return map[string]rig.Args{
		"write_note":  {"name": name, "text": "escaped"},
		"rename_note": {"name": "note", "new_name": name},
		"delete_note": {"name": name},
	}
}

// refuseEverywhere expects every operation to refuse a name, and nothing to be written.
func refuseEverywhere(t *testing.T, server *client.Server, place place, name string) {
	t.Helper()
	before, outside := files(t, place.notes), files(t, place.outside)
	for operation, args := range operations(name) {
		answer := rig.Call(t, server, "preview_"+operation, args, "")
		if code := answer.Outcome(); code != string(runtime.CodeInvalidPayload) && code != string(runtime.CodeRefused) {
			t.Errorf("%s of %q: %s\n%s", operation, name, code, answer.Text)
		}
	}
	wantFiles(t, place.notes, before)
	wantFiles(t, place.outside, outside)
}

// The names of the kinds that a report says let files escape, and those that it spells out, where it is at hand.
func TestNamesOfReportB47AreRefused(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	put(t, place.notes, "note.md", "here")
	if err := os.Symlink(place.outside, filepath.Join(place.notes, "link")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	server := place.serve(t)
	for _, name := range slices.Concat(slices.Sorted(maps.Values(badNames)), reportedNames(t)) {
		refuseEverywhere(t, server, place, name)
	}
}

// reportedNames are the paths that report B47 says to try; none where the reports are not at hand.
func reportedNames(t *testing.T) (names []string) {
	t.Helper()
	reports, err := os.ReadFile(fieldCasesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(reports) {
		var report struct {
			ID  string `json:"id"`
			Try string `json:"try_"`
		}
		if err := json.Unmarshal(line, &report); err != nil {
			t.Fatal(err)
		}
		if report.ID != "B47" {
			continue
		}
		for _, path := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(report.Try, -1) {
			names = append(names, path[1])
		}
	}
	if len(names) == 0 {
		t.Fatalf("%s has no report B47 that names a path: has its form changed?", fieldCasesFile)
	}
	return names
}

// Only a plain file is a note, whatever its name: a link is not followed, even to another note.
func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	for to, target := range map[string]string{"a file outside": "../data_secret/secret.md", "a folder": "../data_secret", "a note": "note.md", "nothing": "../data_secret/new.md"} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			place := newPlace(t)
			put(t, place.outside, "secret.md", "secret")
			put(t, place.notes, "note.md", "here")
			if err := os.Symlink(target, filepath.Join(place.notes, "link.md")); err != nil {
				t.Skipf("no links here: %v", err)
			}
			refuseEverywhere(t, place.serve(t), place, "link")
		})
	}
}

// A note that becomes a link after the preview is not written through.
func TestNoteSwappedForALinkIsRefusedAtApply(t *testing.T) {
	t.Parallel()
	for operation, args := range map[string]rig.Args{
		"write_note":  {"name": "note", "text": "escaped"},
		"rename_note": {"name": "note", "new_name": "other"},
		"delete_note": {"name": "note"},
	} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			place := newPlace(t)
			put(t, place.outside, "secret.md", "here")
			put(t, place.notes, "note.md", "here")
			server := place.serve(t)
			preview := rig.Call(t, server, "preview_"+operation, args, "preview")
			note := filepath.Join(place.notes, "note.md")
			if err := os.Remove(note); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(place.outside, "secret.md"), note); err != nil {
				t.Skipf("no links here: %v", err)
			}
			rig.Call(t, server, "apply_"+operation, rig.Approval(preview), string(runtime.CodeRefused))
			wantFiles(t, place.outside, map[string]string{"secret.md": "here"})
			wantFiles(t, place.notes, map[string]string{"note.md": fs.ModeSymlink.String()})
		})
	}
}

// What is open of a folder leads to it wherever it is moved, so the server looks where the path leads now.
func TestFolderSwappedForALinkIsRefusedAtApply(t *testing.T) {
	t.Parallel()
	for in, swap := range map[string]func(place) error{
		"a link": func(p place) error { return os.Symlink(p.outside, p.notes) },
		"a folder": func(p place) error {
			return errors.Join(os.Mkdir(p.notes, 0o700), os.WriteFile(filepath.Join(p.notes, "note.md"), []byte("here"), 0o600))
		},
		"nothing": func(place) error { return nil },
	} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			place := newPlace(t)
			put(t, place.notes, "note.md", "here")
			put(t, place.outside, "note.md", "here")
			server := place.serve(t)
			preview := rig.Call(t, server, "preview_write_note", rig.Args{"name": "note", "text": "escaped"}, "preview")
			moved := place.notes + "-moved"
			if err := os.Rename(place.notes, moved); err != nil {
				t.Skipf("an open folder cannot be moved here: %v", err)
			}
			if err := swap(place); err != nil {
				t.Fatal(err)
			}
			rig.Call(t, server, "apply_write_note", rig.Approval(preview), string(runtime.CodeRefused))
			for _, folder := range []string{moved, place.outside} {
				wantFiles(t, folder, map[string]string{"note.md": "here"})
			}
		})
	}
}

// The lock is in the folder, so a link in its place leads to no new file either.
func TestLinkInPlaceOfTheLockCreatesNothingOutside(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	put(t, place.notes, "note.md", "here")
	server := place.serve(t)
	preview := rig.Call(t, server, "preview_write_note", rig.Args{"name": "note", "text": "escaped"}, "preview")
	lock := filepath.Join(place.notes, lockFile)
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(place.outside, "lock"), lock); err != nil {
		t.Skipf("no links here: %v", err)
	}
	rig.Call(t, server, "apply_write_note", rig.Approval(preview), string(runtime.CodeApplyFailed))
	wantFiles(t, place.outside, map[string]string{})
}
