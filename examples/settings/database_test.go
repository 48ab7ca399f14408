package main

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
)

// A file that somebody else is writing to is no wrong file.
func TestSettingsThatAreBusyAreToldAsBusy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "settings.db")
	holder, err := openDatabase(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	writing, err := holder.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writing.Rollback() }()
	if _, err := writing.ExecContext(t.Context(), `DELETE FROM settings`); err != nil {
		t.Fatal(err)
	}
	impatient, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer impatient.Close()
	_, err = impatient.ExecContext(t.Context(), `DELETE FROM settings`)
	if err == nil {
		t.Fatal("two wrote at once")
	}
	if advice := adviceOn(err); !strings.Contains(advice, "another process is writing") {
		t.Errorf("%v: %s", err, advice)
	}
}
