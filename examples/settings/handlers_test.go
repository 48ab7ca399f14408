package main

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/changesetgen/changesetgen/examples/generated/settings"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/google/go-cmp/cmp"
)

// stored is a row of the table.
type stored struct {
	Value   string
	Locked  bool
	Version int64
}

func TestOpenDatabaseFillsANewTable(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	for key, want := range map[string]stored{
		"theme":    {"light", false, 1},
		"language": {"en", false, 1},
		"timezone": {"UTC", true, 1},
	} {
		wantStored(t, db, key, want)
	}
}

func TestOpenDatabaseKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	// The name holds what an address would have to escape.
	path := filepath.Join(t.TempDir(), "a settings?file%41.db")
	first := openAt(t, path)
	if _, err := first.Exec(`UPDATE settings SET value = 'dark', version = 7 WHERE key = 'theme'`); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Exec(`DELETE FROM settings WHERE key = 'language'`); err != nil {
		t.Fatal(err)
	}

	second := openAt(t, path)
	wantStored(t, second, "theme", stored{"dark", false, 7})
	var languages int
	if err := second.QueryRow(`SELECT count(*) FROM settings WHERE key = 'language'`).Scan(&languages); err != nil {
		t.Fatal(err)
	}
	if languages != 0 {
		t.Error("a setting that was deleted came back")
	}
}

func TestApplyWritesTheValueOnTheVersionThatWasSeen(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	result, err := handlers{db}.ApplySetSetting(t.Context(), change("theme", "dark", stored{"light", false, 1}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&settings.SetSettingResult{Version: 2}, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	wantStored(t, db, "theme", stored{"dark", false, 2})
}

func TestApplyWritesNothingOnAnotherVersion(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	_, err := handlers{db}.ApplySetSetting(t.Context(), change("theme", "dark", stored{"light", false, 9}))
	if !errors.Is(err, runtime.ErrConflict) || !errors.Is(err, runtime.ErrNotApplied) {
		t.Errorf("got the error %v, want a conflict", err)
	}
	wantStored(t, db, "theme", stored{"light", false, 1})
}

func TestApplyRefusesALockedSetting(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	_, err := handlers{db}.ApplySetSetting(t.Context(), change("timezone", "CET", stored{"UTC", true, 1}))
	var refusal *runtime.Refusal
	if !errors.As(err, &refusal) || !errors.Is(err, runtime.ErrNotApplied) {
		t.Errorf("got the error %v, want a refusal that proves nothing was written", err)
	}
	wantStored(t, db, "timezone", stored{"UTC", true, 1})
}

func TestUndoWritesTheOldValueBack(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	bodies := handlers{db}
	before := stored{"light", false, 1}
	if _, err := bodies.ApplySetSetting(t.Context(), change("theme", "dark", before)); err != nil {
		t.Fatal(err)
	}
	if err := bodies.UndoSetSetting(t.Context(), applied("theme", before, stored{"dark", false, 2})); err != nil {
		t.Fatal(err)
	}
	wantStored(t, db, "theme", stored{"light", false, 3})
}

func TestUndoWritesNothingOnAnotherVersion(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	err := handlers{db}.UndoSetSetting(t.Context(), applied("theme", stored{"blue", false, 4}, stored{"dark", false, 5}))
	if !errors.Is(err, runtime.ErrConflict) {
		t.Errorf("got the error %v, want a conflict", err)
	}
	wantStored(t, db, "theme", stored{"light", false, 1})
}

// change is a previewed set_setting.
func change(key settings.SetSettingKey, value string, seen stored) *settings.SetSettingChange {
	return &settings.SetSettingChange{
		Payload: &settings.SetSettingPayload{Key: key, Value: value},
		State:   state(seen),
	}
}

// applied is an applied set_setting.
func applied(key settings.SetSettingKey, before, after stored) *settings.SetSettingApplied {
	return &settings.SetSettingApplied{
		Payload: &settings.SetSettingPayload{Key: key, Value: after.Value},
		Before:  state(before),
		After:   state(after),
		Result:  &settings.SetSettingResult{Version: after.Version},
	}
}

func state(s stored) *settings.SettingState {
	return &settings.SettingState{Value: s.Value, Locked: s.Locked, Version: s.Version}
}

func newDatabase(t *testing.T) *sql.DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "settings.db"))
}

func openAt(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := openDatabase(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func wantStored(t *testing.T, db *sql.DB, key string, want stored) {
	t.Helper()
	var got stored
	err := db.QueryRow(`SELECT value, locked, version FROM settings WHERE key = ?`, key).Scan(&got.Value, &got.Locked, &got.Version)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("setting %s (-want +got):\n%s", key, diff)
	}
}
