package main

import (
	"database/sql"
	"encoding/json"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/examples/internal/client"
	"github.com/changesetgen/changesetgen/examples/internal/rig"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/google/go-cmp/cmp"
)

func TestServerResetsASettingAndTakesItBack(t *testing.T) {
	t.Parallel()
	server, db := serveNew(t)
	alter(t, db, `UPDATE settings SET value = 'dark', version = 7 WHERE key = 'theme'`)

	preview := rig.Call(t, server, "preview_reset_setting", rig.Args{"key": "theme"}, "preview")
	wantRows(t, preview, client.Row{Field: "theme", Before: "dark", After: "light"})
	wantUndo(t, preview, client.Undo{Possible: true, Kind: "exact"})
	wantStored(t, db, "theme", stored{"dark", false, 7})

	done := rig.Call(t, server, "apply_reset_setting", rig.Approval(preview), string(ledger.Applied))
	wantResult(t, done, 8)
	wantStored(t, db, "theme", stored{"light", false, 8})

	rig.Call(t, server, "undo_reset_setting", rig.TakeBack(preview, done), string(ledger.Undone))
	wantStored(t, db, "theme", stored{"dark", false, 9})
}

func TestServerResetsNoLockedSetting(t *testing.T) {
	t.Parallel()
	server, db := serveNew(t)
	alter(t, db, `UPDATE settings SET value = 'CET' WHERE key = 'timezone'`)
	preview := rig.Call(t, server, "preview_reset_setting", rig.Args{"key": "timezone"}, "preview")
	rig.Call(t, server, "apply_reset_setting", rig.Approval(preview), string(runtime.CodeRefused))
	wantStored(t, db, "timezone", stored{"CET", true, 1})
}

func TestServerUndoesARenameUnderTheNewName(t *testing.T) {
	t.Parallel()
	server, db := serveNew(t)
	preview := rig.Call(t, server, "preview_rename_profile", rig.Args{"name": "home", "new_name": "cottage"}, "preview")
	wantRows(t, preview, client.Row{Field: "name", Before: "home", After: "cottage"})
	wantUndo(t, preview, client.Undo{Possible: true, Kind: "exact"})
	wantProfiles(t, db, profile{1, "home", ""})

	done := rig.Call(t, server, "apply_rename_profile", rig.Approval(preview), string(ledger.Applied))
	wantProfiles(t, db, profile{1, "cottage", ""})

	// Under the old name there is nothing to find any more.
	rig.Call(t, server, "undo_rename_profile", rig.TakeBack(preview, done), string(ledger.Undone))
	wantProfiles(t, db, profile{1, "home", ""})
}

func TestServerDoesNotUndoARenameWhenTheOldNameIsTaken(t *testing.T) {
	t.Parallel()
	server, db := serveNew(t)
	preview := rig.Call(t, server, "preview_rename_profile", rig.Args{"name": "home", "new_name": "cottage"}, "preview")
	done := rig.Call(t, server, "apply_rename_profile", rig.Approval(preview), string(ledger.Applied))
	alter(t, db, `INSERT INTO profiles (name) VALUES ('home')`)
	rig.Call(t, server, "undo_rename_profile", rig.TakeBack(preview, done), string(runtime.CodeRefused))
	wantProfiles(t, db, profile{1, "cottage", ""}, profile{2, "home", ""})

	alter(t, db, `DELETE FROM profiles WHERE id = 2`) // what was refused can still be done
	rig.Call(t, server, "undo_rename_profile", rig.TakeBack(preview, done), string(ledger.Undone))
	wantProfiles(t, db, profile{1, "home", ""})
}

func TestServerDoesNotUndoARenameWhenTheNewNameIsGone(t *testing.T) {
	t.Parallel()
	server, db := serveNew(t)
	preview := rig.Call(t, server, "preview_rename_profile", rig.Args{"name": "home", "new_name": "cottage"}, "preview")
	done := rig.Call(t, server, "apply_rename_profile", rig.Approval(preview), string(ledger.Applied))
	alter(t, db, `UPDATE profiles SET name = 'villa', version = version + 1`)
	rig.Call(t, server, "undo_rename_profile", rig.TakeBack(preview, done), string(runtime.CodeStateChanged))
	wantProfiles(t, db, profile{1, "villa", ""})
}

func TestServerGivesNoProfileTheNameOfAnother(t *testing.T) {
	t.Parallel()
	server, db := serveNew(t)
	alter(t, db, `INSERT INTO profiles (name) VALUES ('work')`)
	preview := rig.Call(t, server, "preview_rename_profile", rig.Args{"name": "home", "new_name": "work"}, "preview")
	refusal := rig.Call(t, server, "apply_rename_profile", rig.Approval(preview), string(runtime.CodeRefused))
	if !strings.Contains(refusal.Text, "another profile is called work") {
		t.Errorf("the refusal does not say why:\n%s", refusal.Text)
	}
	wantProfiles(t, db, profile{1, "home", ""}, profile{2, "work", ""})
}

func TestServerCreatesAProfileAndTakesItBack(t *testing.T) {
	t.Parallel()
	server, db := serveNew(t)
	preview := rig.Call(t, server, "preview_create_profile", rig.Args{"name": "work", "note": "9 to 5"}, "preview")
	wantRows(t, preview, client.Row{Field: "id"}, client.Row{Field: "name", After: "work"}, client.Row{Field: "note", After: "9 to 5"})
	wantUndo(t, preview, client.Undo{Possible: true, Kind: "compensating", Loses: "the id that the profile was given, which no other gets"})
	wantProfiles(t, db, profile{1, "home", ""})

	done := rig.Call(t, server, "apply_create_profile", rig.Approval(preview), string(ledger.Applied))
	var result struct{ ID int64 }
	if err := json.Unmarshal(done.Result, &result); err != nil || result.ID != 2 {
		t.Errorf("result %s (%v), want the id 2", done.Result, err)
	}
	wantProfiles(t, db, profile{1, "home", ""}, profile{2, "work", "9 to 5"})

	rig.Call(t, server, "undo_create_profile", rig.TakeBack(preview, done), string(ledger.Undone))
	wantProfiles(t, db, profile{1, "home", ""})
}

func TestServerDoesNotUndoACreateWhoseProfileWasChanged(t *testing.T) {
	t.Parallel()
	server, db := serveNew(t)
	preview := rig.Call(t, server, "preview_create_profile", rig.Args{"name": "work"}, "preview")
	done := rig.Call(t, server, "apply_create_profile", rig.Approval(preview), string(ledger.Applied))
	alter(t, db, `UPDATE profiles SET note = 'mine', version = version + 1 WHERE name = 'work'`)

	refusal := rig.Call(t, server, "undo_create_profile", rig.TakeBack(preview, done), string(runtime.CodeStateChanged))
	if diff := cmp.Diff([]client.Changed{{Field: "note", Was: "", Now: "mine"}}, refusal.Changed); diff != "" {
		t.Errorf("what has changed (-want +got):\n%s", diff)
	}
	wantProfiles(t, db, profile{1, "home", ""}, profile{2, "work", "mine"})
}

func TestServerCreatesNoProfileUnderATakenName(t *testing.T) {
	t.Parallel()
	server, db := serveNew(t)
	taken := rig.Call(t, server, "preview_create_profile", rig.Args{"name": "home"}, string(runtime.CodeAlreadyExists))
	if want := "What create_profile would make exists already."; !strings.Contains(taken.Text, want) {
		t.Errorf("want %q in\n%s", want, taken.Text)
	}
	preview := rig.Call(t, server, "preview_create_profile", rig.Args{"name": "work"}, "preview")
	alter(t, db, `INSERT INTO profiles (name, note) VALUES ('work', 'of another program')`)
	rig.Call(t, server, "apply_create_profile", rig.Approval(preview), string(runtime.CodeStateChanged))
	wantProfiles(t, db, profile{1, "home", ""}, profile{2, "work", "of another program"})
}

func TestServerSaysBeforeADeleteWhatItsUndoLoses(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	server, db := place.serve(t, runtime.Guarded), openAt(t, place.database)
	alter(t, db, `UPDATE profiles SET note = 'since ever', created_at = '2020-02-02 20:20:20'`)
	preview := rig.Call(t, server, "preview_delete_profile", rig.Args{"name": "home"}, "preview")
	const loses = "the id 1 and the creation time 2020-02-02 20:20:20; the profile comes back with new ones"
	wantUndo(t, preview, client.Undo{Possible: true, Kind: "compensating", Loses: loses})
	if !strings.Contains(preview.Text, loses) {
		t.Errorf("the person is not told %q:\n%s", loses, preview.Text)
	}
	wantRows(t, preview,
		client.Row{Field: "id", Before: 1.0}, client.Row{Field: "name", Before: "home"}, client.Row{Field: "note", Before: "since ever"})
	wantProfiles(t, db, profile{1, "home", "since ever"})

	rig.Call(t, server, "apply_delete_profile", rig.Approval(preview), string(runtime.CodeAwaitingApproval))
	rig.SayYes(t, place.ledger, preview)
	done := rig.Call(t, server, "apply_delete_profile", rig.Approval(preview), string(ledger.Applied))
	wantProfiles(t, db)

	rig.Call(t, server, "undo_delete_profile", rig.TakeBack(preview, done), string(ledger.Undone))
	wantProfiles(t, db, profile{2, "home", "since ever"})
}

func TestServerDoesNotUndoADeleteWhoseNameIsTaken(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	server, db := place.serve(t, runtime.Guarded), openAt(t, place.database)
	preview := rig.Call(t, server, "preview_delete_profile", rig.Args{"name": "home"}, "preview")
	rig.SayYes(t, place.ledger, preview)
	done := rig.Call(t, server, "apply_delete_profile", rig.Approval(preview), string(ledger.Applied))
	alter(t, db, `INSERT INTO profiles (name, note) VALUES ('home', 'another')`)
	rig.Call(t, server, "undo_delete_profile", rig.TakeBack(preview, done), string(runtime.CodeStateChanged))
	wantProfiles(t, db, profile{2, "home", "another"})
}

// serveNew starts a server with writes on, on files of its own.
func serveNew(t *testing.T) (*client.Server, *sql.DB) {
	t.Helper()
	place := newPlace(t)
	server := place.serve(t, runtime.Guarded)
	return server, openAt(t, place.database)
}

// alter writes as another program would.
func alter(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func wantRows(t *testing.T, preview *client.Answer, want ...client.Row) {
	t.Helper()
	if diff := cmp.Diff(want, preview.Diff); diff != "" {
		t.Errorf("diff of the preview (-want +got):\n%s", diff)
	}
}

func wantUndo(t *testing.T, preview *client.Answer, want client.Undo) {
	t.Helper()
	if diff := cmp.Diff(want, preview.Undo); diff != "" {
		t.Errorf("what the preview says of an undo (-want +got):\n%s", diff)
	}
}

// profile is a row of the table.
type profile struct {
	ID         int64
	Name, Note string
}

func wantProfiles(t *testing.T, db *sql.DB, want ...profile) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT id, name, note FROM profiles ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []profile
	for rows.Next() {
		var p profile
		if err := rows.Scan(&p.ID, &p.Name, &p.Note); err != nil {
			t.Fatal(err)
		}
		got = append(got, p)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
}
