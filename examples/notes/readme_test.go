package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/examples/internal/rig"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

func TestQuickstartLeadsToAServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, block := range rig.Blocks(t, "", "") {
		switch block.Language {
		case "sh":
			rig.Follow(t, dir, block.Content)
		case "json":
			wantServer(t, dir, block.Content)
		default:
			t.Fatalf("the page has a block of %s, which this test cannot follow", block.Language)
		}
	}
}

// wantServer starts the server as the configuration of a client says, and does what the page says to ask for.
func wantServer(t *testing.T, dir, configuration string) {
	t.Helper()
	server := rig.Start(t, rig.Configured(t, strings.ReplaceAll(configuration, "/path/to/directory", dir)), t.Output())
	if read := rig.Call(t, server, "read_note", rig.Args{"name": "shopping"}, ""); !strings.Contains(read.Text, "- bread") {
		t.Errorf("the note is not read: %s", read.Text)
	}
	preview := rig.Call(t, server, "preview_write_note", rig.Args{"name": "shopping", "text": "- oat milk\n- bread\n"}, "preview")
	if !strings.Contains(preview.Text, " -- milk\n") || !strings.Contains(preview.Text, " +- oat milk\n") {
		t.Errorf("the preview does not show the line that changes:\n%s", preview.Text)
	}
	rig.Call(t, server, "apply_write_note", rig.Approval(preview), string(ledger.Applied))
	wantFiles(t, filepath.Join(dir, "notes"), map[string]string{"shopping.md": "- oat milk\n- bread\n"})
}

func TestServerRefusesACommandLineThatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	for _, args := range [][]string{
		nil, {"--notes", place.notes}, {"--ledger", place.ledger}, {"--notes", place.notes, "--ledger", place.ledger, "more"}, {"--nots", place.notes},
	} {
		var said strings.Builder
		if code := run(args, &said); code != exitUsage || said.Len() == 0 {
			t.Errorf("%q: exit code %d: %s", args, code, &said)
		}
	}
	var help strings.Builder
	if code := run([]string{"--help"}, &help); code != exitDone || !strings.Contains(help.String(), "-notes") {
		t.Errorf("--help: exit code %d: %s", code, &help)
	}
}
