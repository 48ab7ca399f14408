package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/changesetgen/changesetgen/examples/internal/rig"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// A hard link is a name of a plain file and nothing else, so what it is shared with can be read. It is never written to:
// every write gives the note a file of its own, or takes only its name away.
func TestNoteThatIsAHardLinkIsNotWrittenThrough(t *testing.T) {
	t.Parallel()
	for operation, args := range map[string]rig.Args{
		"write_note":  {"name": "note", "text": "new"},
		"rename_note": {"name": "note", "new_name": "other"},
		"delete_note": {"name": "note"},
	} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			place := newPlace(t)
			put(t, place.outside, "shared.md", "outside")
			if err := os.Link(filepath.Join(place.outside, "shared.md"), filepath.Join(place.notes, "note.md")); err != nil {
				t.Skipf("no hard links here: %v", err)
			}
			server := place.serve(t)
			preview := rig.Call(t, server, "preview_"+operation, args, "preview")
			done := rig.Call(t, server, "apply_"+operation, rig.Approval(preview), string(ledger.Applied))
			wantFiles(t, place.outside, map[string]string{"shared.md": "outside"})
			rig.Call(t, server, "undo_"+operation, rig.TakeBack(preview, done), string(ledger.Undone))
			wantFiles(t, place.notes, map[string]string{"note.md": "outside"})
			wantFiles(t, place.outside, map[string]string{"shared.md": "outside"})
		})
	}
}
