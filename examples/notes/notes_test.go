package main

import (
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/examples/internal/client"
	"github.com/changesetgen/changesetgen/examples/internal/rig"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/google/go-cmp/cmp"
)

func wantFiles(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, files(t, folder)); diff != "" {
		t.Errorf("files of %s (-want +got):\n%s", filepath.Base(folder), diff)
	}
}

func wantRows(t *testing.T, preview *client.Answer, want ...client.Row) {
	t.Helper()
	if diff := cmp.Diff(want, preview.Diff); diff != "" {
		t.Errorf("diff of the preview (-want +got):\n%s", diff)
	}
}

func TestServerCreatesANoteAndTakesItBack(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	server := place.serve(t)
	preview := rig.Call(t, server, "preview_write_note", rig.Args{"name": "shopping-list", "text": "- milk\n"}, "preview")
	wantRows(t, preview, client.Row{Field: "text", After: "- milk\n"})
	wantFiles(t, place.notes, map[string]string{})

	done := rig.Call(t, server, "apply_write_note", rig.Approval(preview), string(ledger.Applied))
	wantFiles(t, place.notes, map[string]string{"shopping-list.md": "- milk\n"})

	rig.Call(t, server, "undo_write_note", rig.TakeBack(preview, done), string(ledger.Undone))
	wantFiles(t, place.notes, map[string]string{})
}

func TestServerReplacesANoteAndTakesItBack(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	put(t, place.notes, "shopping.md", "- milk\n")
	server := place.serve(t)
	preview := rig.Call(t, server, "preview_write_note", rig.Args{"name": "shopping", "text": "- oat milk\n"}, "preview")
	wantRows(t, preview, client.Row{Field: "text", Before: "- milk\n", After: "- oat milk\n"})

	done := rig.Call(t, server, "apply_write_note", rig.Approval(preview), string(ledger.Applied))
	wantFiles(t, place.notes, map[string]string{"shopping.md": "- oat milk\n"})
	info, err := os.Stat(filepath.Join(place.notes, "shopping.md"))
	if err != nil {
		t.Fatal(err)
	}
	if goruntime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("the mode of the file has become %s", info.Mode())
	}

	rig.Call(t, server, "undo_write_note", rig.TakeBack(preview, done), string(ledger.Undone))
	wantFiles(t, place.notes, map[string]string{"shopping.md": "- milk\n"})
}

func TestServerShowsALongTextByTheLinesThatChange(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	long := strings.Repeat("- something that stays\n", 200)
	put(t, place.notes, "shopping.md", long+"- milk\n")
	preview := rig.Call(t, place.serve(t), "preview_write_note", rig.Args{"name": "shopping", "text": long + "- oat milk\n"}, "preview")
	if !strings.Contains(preview.Text, " -- milk\n") || !strings.Contains(preview.Text, " +- oat milk\n") {
		t.Errorf("the preview does not show the line that changes:\n%s", preview.Text)
	}
	if n := strings.Count(preview.Text, "something that stays"); n == 0 || n > 10 {
		t.Errorf("the preview shows %d of the lines that stay", n)
	}
}

func TestServerRenamesANoteAndTakesItBackUnderTheNewName(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	put(t, place.notes, "draft.md", "Dear Ann")
	server := place.serve(t)
	preview := rig.Call(t, server, "preview_rename_note", rig.Args{"name": "draft", "new_name": "letter"}, "preview")
	wantRows(t, preview, client.Row{Field: "name", Before: "draft", After: "letter"})

	done := rig.Call(t, server, "apply_rename_note", rig.Approval(preview), string(ledger.Applied))
	wantFiles(t, place.notes, map[string]string{"letter.md": "Dear Ann"})

	rig.Call(t, server, "undo_rename_note", rig.TakeBack(preview, done), string(ledger.Undone))
	wantFiles(t, place.notes, map[string]string{"draft.md": "Dear Ann"})
}

func TestServerGivesNoNoteTheNameOfAnother(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	put(t, place.notes, "draft.md", "Dear Ann")
	put(t, place.notes, "taken.md", "mine")
	server := place.serve(t)
	rig.Call(t, server, "preview_rename_note", rig.Args{"name": "draft", "new_name": "taken"}, string(runtime.CodeRefused))

	// A name that is taken after the preview is refused too, and so is an old name at the undo.
	preview := rig.Call(t, server, "preview_rename_note", rig.Args{"name": "draft", "new_name": "letter"}, "preview")
	put(t, place.notes, "letter.md", "somebody else's")
	rig.Call(t, server, "apply_rename_note", rig.Approval(preview), string(runtime.CodeStateChanged))
	wantFiles(t, place.notes, map[string]string{"draft.md": "Dear Ann", "taken.md": "mine", "letter.md": "somebody else's"})

	preview = rig.Call(t, server, "preview_rename_note", rig.Args{"name": "draft", "new_name": "reply"}, "preview")
	done := rig.Call(t, server, "apply_rename_note", rig.Approval(preview), string(ledger.Applied))
	put(t, place.notes, "draft.md", "another draft")
	rig.Call(t, server, "undo_rename_note", rig.TakeBack(preview, done), string(runtime.CodeStateChanged))
	if err := os.Remove(filepath.Join(place.notes, "draft.md")); err != nil {
		t.Fatal(err)
	}
	rig.Call(t, server, "undo_rename_note", rig.TakeBack(preview, done), string(ledger.Undone)) // what was refused can still be done
	wantFiles(t, place.notes, map[string]string{"draft.md": "Dear Ann", "taken.md": "mine", "letter.md": "somebody else's"})
}

func TestServerDeletesANoteAndTakesItBack(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	put(t, place.notes, "old.md", "long ago")
	server := place.serve(t)
	preview := rig.Call(t, server, "preview_delete_note", rig.Args{"name": "old"}, "preview")
	wantRows(t, preview, client.Row{Field: "text", Before: "long ago"})

	done := rig.Call(t, server, "apply_delete_note", rig.Approval(preview), string(ledger.Applied))
	wantFiles(t, place.notes, map[string]string{})

	put(t, place.notes, "old.md", "a new one")
	rig.Call(t, server, "undo_delete_note", rig.TakeBack(preview, done), string(runtime.CodeStateChanged))
	wantFiles(t, place.notes, map[string]string{"old.md": "a new one"})
	if err := os.Remove(filepath.Join(place.notes, "old.md")); err != nil {
		t.Fatal(err)
	}
	rig.Call(t, server, "undo_delete_note", rig.TakeBack(preview, done), string(ledger.Undone))
	wantFiles(t, place.notes, map[string]string{"old.md": "long ago"})
}

func TestServerFindsNoNoteThatIsNotThere(t *testing.T) {
	t.Parallel()
	server := newPlace(t).serve(t)
	rig.Call(t, server, "preview_delete_note", rig.Args{"name": "nowhere"}, string(runtime.CodeNotFound))
	rig.Call(t, server, "preview_rename_note", rig.Args{"name": "nowhere", "new_name": "somewhere"}, string(runtime.CodeNotFound))
}

// Every write is bound to the content that was shown.
func TestServerWritesOverNothingThatChangedAfterThePreview(t *testing.T) {
	t.Parallel()
	for operation, args := range map[string]rig.Args{
		"write_note":  {"name": "note", "text": "new"},
		"rename_note": {"name": "note", "new_name": "other"},
		"delete_note": {"name": "note"},
	} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			place := newPlace(t)
			put(t, place.notes, "note.md", "as shown")
			server := place.serve(t)
			preview := rig.Call(t, server, "preview_"+operation, args, "preview")
			put(t, place.notes, "note.md", "edited")
			rig.Call(t, server, "apply_"+operation, rig.Approval(preview), string(runtime.CodeStateChanged))
			wantFiles(t, place.notes, map[string]string{"note.md": "edited"})

			preview = rig.Call(t, server, "preview_"+operation, args, "preview")
			done := rig.Call(t, server, "apply_"+operation, rig.Approval(preview), string(ledger.Applied))
			for file := range files(t, place.notes) {
				put(t, place.notes, file, "edited again")
			}
			if operation == "delete_note" {
				put(t, place.notes, "note.md", "edited again")
			}
			rig.Call(t, server, "undo_"+operation, rig.TakeBack(preview, done), string(runtime.CodeStateChanged))
			for file, text := range files(t, place.notes) {
				if text != "edited again" {
					t.Errorf("%s says %q after the undo that was refused", file, text)
				}
			}
		})
	}
}

// A note that has nothing where the preview showed nothing is not written over either.
func TestServerCreatesNoNoteThatIsThereMeanwhile(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	server := place.serve(t)
	preview := rig.Call(t, server, "preview_write_note", rig.Args{"name": "note", "text": "new"}, "preview")
	put(t, place.notes, "note.md", "by hand")
	rig.Call(t, server, "apply_write_note", rig.Approval(preview), string(runtime.CodeStateChanged))
	wantFiles(t, place.notes, map[string]string{"note.md": "by hand"})
}

// Two servers with ledgers of their own know nothing of one another but the lock in the folder.
func TestTwoServersDoNotWriteOverOneAnother(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	put(t, place.notes, "note.md", "start")
	other := place
	other.ledger = filepath.Join(t.TempDir(), "ledger", "notes.db")
	servers := []*client.Server{place.serve(t), other.serve(t)}
	for round := range 10 {
		texts := []string{strings.Repeat("a", round+1), strings.Repeat("b", round+1)}
		previews, answers := make([]*client.Answer, len(servers)), make([]*client.Answer, len(servers))
		for i, server := range servers {
			previews[i] = rig.Call(t, server, "preview_write_note", rig.Args{"name": "note", "text": texts[i]}, "preview")
		}
		done := make(chan error)
		for i, server := range servers {
			go func() {
				var err error
				answers[i], err = server.Call(t.Context(), "apply_write_note", rig.Approval(previews[i]))
				done <- err
			}()
		}
		for range servers {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		winner := 0
		if answers[1].Outcome() == string(ledger.Applied) {
			winner = 1
		}
		if got := answers[winner].Outcome() + " " + answers[1-winner].Outcome(); got != "applied state_changed" {
			t.Fatalf("round %d: %s\n%s\n%s", round, got, answers[0].Text, answers[1].Text)
		}
		wantFiles(t, place.notes, map[string]string{"note.md": texts[winner]})
	}
}

func TestServerRefusesWhatIsNoText(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	put(t, place.notes, "picture.md", "\xff\xd8")
	put(t, place.notes, "long.md", strings.Repeat("x", maxSize+1))
	server := place.serve(t)
	for _, name := range []string{"picture", "long"} {
		rig.Call(t, server, "preview_delete_note", rig.Args{"name": name}, string(runtime.CodeRefused))
	}
	rig.Call(t, server, "preview_write_note", rig.Args{"name": "new", "text": strings.Repeat("ä", maxSize/2+1)}, string(runtime.CodeRefused))
}

func TestServerHasNothingToDoWhereNothingWouldChange(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	put(t, place.notes, "note.md", "as it is")
	server := place.serve(t)
	rig.Call(t, server, "preview_write_note", rig.Args{"name": "note", "text": "as it is"}, string(runtime.CodeNoChange))
	rig.Call(t, server, "preview_rename_note", rig.Args{"name": "note", "new_name": "note"}, string(runtime.CodeNoChange))
}
