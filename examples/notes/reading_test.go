package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/examples/internal/rig"
)

// reader is a session with the tools that read, over the notes of a place.
func reader(t *testing.T, place place) *mcp.ClientSession {
	t.Helper()
	folder, err := openFolder(t.Context(), place.notes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.close() })
	server := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	addReading(server, folder)
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// ask calls a tool that reads, and gives its structured answer; "" for an error.
func ask(t *testing.T, session *mcp.ClientSession, tool string, args any) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	if result.IsError {
		return ""
	}
	answer, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func TestOnlyNotesAreListedAndRead(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	put(t, place.notes, "shopping.md", "- milk")
	put(t, place.notes, "letter.md", "Dear Ann")
	put(t, place.notes, "README.md", "a capital")
	put(t, place.notes, "picture.png", "no note")
	put(t, place.outside, "secret.md", "secret")
	if err := os.Symlink(filepath.Join(place.outside, "secret.md"), filepath.Join(place.notes, "link.md")); err != nil {
		t.Logf("no links here: %v", err)
	}
	session := reader(t, place)
	if diff := cmp.Diff(`{"names":["letter","shopping"]}`, ask(t, session, "list_notes", rig.Args{})); diff != "" {
		t.Errorf("list_notes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(`{"text":"- milk"}`, ask(t, session, "read_note", rig.Args{"name": "shopping"})); diff != "" {
		t.Errorf("read_note (-want +got):\n%s", diff)
	}
	for _, name := range []string{"link", "README", "nowhere", "../data_secret/secret"} {
		if answer := ask(t, session, "read_note", rig.Args{"name": name}); answer != "" {
			t.Errorf("read_note of %s: %s", name, answer)
		}
	}
	if err := os.Rename(place.notes, place.notes+"-moved"); err != nil {
		t.Skipf("an open folder cannot be moved here: %v", err)
	}
	if answer := ask(t, session, "list_notes", rig.Args{}); answer != "" {
		t.Errorf("list_notes of a folder that was moved: %s", answer)
	}
}

// A hint that is not given has a default, and that of one is that a tool destroys.
func TestToolsThatReadGiveAllFourHints(t *testing.T) {
	t.Parallel()
	listed, err := reader(t, newPlace(t)).ListTools(t.Context(), nil)
	if err != nil || len(listed.Tools) == 0 {
		t.Fatalf("%+v, %v", listed, err)
	}
	for _, tool := range listed.Tools {
		hints, err := json.Marshal(tool.Annotations)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"readOnlyHint":true}`
		if diff := cmp.Diff(want, string(hints)); diff != "" {
			t.Errorf("hints of %s (-want +got):\n%s", tool.Name, diff)
		}
	}
}

// What an agent can write with are the tools of the guard, and nothing beside them: the functions that they call are no
// tools, and what was added to the server by hand reads.
func TestServerHasNoToolThatWritesPastTheGuard(t *testing.T) {
	t.Parallel()
	names, err := newPlace(t).serve(t).Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"apply_delete_note", "apply_rename_note", "apply_write_note", "get_change_status", "list_notes",
		"preview_delete_note", "preview_rename_note", "preview_write_note", "read_note",
		"undo_delete_note", "undo_rename_note", "undo_write_note",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	place := newPlace(t)
	put(t, place.notes, "note.md", "here")
	session := reader(t, place)
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range listed.Tools {
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s does not say that it only reads", tool.Name)
		}
		ask(t, session, tool.Name, rig.Args{"name": "note", "text": "written", "new_name": "other"})
	}
	wantFiles(t, place.notes, map[string]string{"note.md": "here"})
}
