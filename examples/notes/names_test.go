package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/examples/internal/rig"
	"github.com/changesetgen/changesetgen/runtime"
)

// badNames are names of no note, with what is wrong with each.
var badNames = map[string]string{
	"nothing": "", "a dot": ".", "the folder above": "..", "a sibling": "../data_secret/x", "a way back": "a/../../x",
	"a folder": "link/new", "a new file in a folder": "link/new.txt", "a backslash": `a\b`, "absolute": "/etc/passwd", "a drive": "c:x", "a stream": "note:hidden",
	"a NUL": "a\x00b", "a line": "a\n", "300 bytes": strings.Repeat("x", 300), "one byte too many": strings.Repeat("x", maxName+1),
	"a capital": "README", "a space at the end": "note ", "a dot at the end": "note.", "an extension": "note.md", "hidden": ".lock",
	"a device": "nul", "a numbered device": "com1", "no ASCII": "notiz-ä", "a dotless i": "ı", "percent": "%2e%2e", "a dash first": "-rf",
}

func TestNamesThatAreNoneAreRefusedByTheSchemaAndByTheCode(t *testing.T) {
	t.Parallel()
	server := newPlace(t).serve(t)
	for what, name := range badNames {
		if file, err := fileName(name); err == nil {
			t.Errorf("%s (%q) is the file %s", what, name, file)
		}
		rig.Call(t, server, "preview_write_note", rig.Args{"name": name, "text": "x"}, string(runtime.CodeInvalidPayload))
	}
}

func TestNamesOfNotesAreTaken(t *testing.T) {
	t.Parallel()
	server := newPlace(t).serve(t)
	for _, name := range []string{"a", "7", "shopping-list", "2026-03-01", "to_do", "console", strings.Repeat("x", maxName)} {
		if file, err := fileName(name); err != nil || file != name+extension {
			t.Errorf("%s: %s, %v", name, file, err)
		}
		rig.Call(t, server, "preview_write_note", rig.Args{"name": name, "text": "x"}, "preview")
	}
}

func FuzzFileNameStaysInTheFolder(f *testing.F) {
	for _, name := range badNames {
		f.Add(name)
	}
	f.Add("shopping-list")
	f.Fuzz(func(t *testing.T, name string) {
		file, err := fileName(name)
		if err != nil {
			return
		}
		if filepath.Join("folder", file) != "folder"+string(filepath.Separator)+file || strings.ToLower(file) != file || !filepath.IsLocal(file) {
			t.Errorf("%q is the file %q", name, file)
		}
	})
}
