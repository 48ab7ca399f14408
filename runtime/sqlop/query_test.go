package sqlop_test

import (
	"context"
	"errors"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	"github.com/google/go-cmp/cmp"
)

// setting is a state as the generator writes it.
type setting struct {
	Value   string
	Version int64
}

func settingColumns(s *setting) []sqlop.Column {
	return []sqlop.Column{sqlop.Text("value", &s.Value), sqlop.Integer("version", &s.Version)}
}

const (
	createSettings = "CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT, version INTEGER)"
	insertSettings = "INSERT INTO settings VALUES ('language', 'en', 1), ('theme', 'dark', 9007199254740993)"
)

func TestOneReadsTheOnlyRow(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t, createSettings, insertSettings)
	var s setting
	found, err := sqlop.One(t.Context(), db, "SELECT version, value FROM settings WHERE key = ?", []any{"theme"}, settingColumns(&s)...)
	if err != nil || !found {
		t.Fatalf("found %v, %v", found, err)
	}
	if diff := cmp.Diff(setting{"dark", 9007199254740993}, s); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

func TestOneTellsNoneFromMany(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t, createSettings, insertSettings)
	var s setting
	found, err := sqlop.One(t.Context(), db, "SELECT value, version FROM settings WHERE key = ?", []any{"none"}, settingColumns(&s)...)
	if found || err != nil {
		t.Errorf("no row: found %v, %v", found, err)
	}
	found, err = sqlop.One(t.Context(), db, "SELECT value, version FROM settings", nil, settingColumns(&s)...)
	if found || !errors.Is(err, sqlop.ErrManyRows) || !errors.Is(err, runtime.ErrNotUnique) {
		t.Errorf("two rows: found %v, %v", found, err)
	}
}

func TestListReadsAllRows(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t, createSettings, insertSettings)
	const query = "SELECT value, version FROM settings WHERE version >= ? ORDER BY key"
	got, err := sqlop.List(t.Context(), db, query, []any{0}, settingColumns)
	if diff := cmp.Diff([]setting{{"en", 1}, {"dark", 9007199254740993}}, got); diff != "" || err != nil {
		t.Errorf("list: %v (-want +got):\n%s", err, diff)
	}
	if got, err := sqlop.List(t.Context(), db, query, []any{int64(9007199254740994)}, settingColumns); got != nil || err != nil {
		t.Errorf("no row: %v, %v, want nil", got, err)
	}
	exec(t, db, "UPDATE settings SET value = NULL WHERE key = 'theme'")
	got, err = sqlop.List(t.Context(), db, query, []any{0}, settingColumns)
	expectFlaw(t, query, err, "is NULL")
	if got != nil {
		t.Errorf("a broken row gives %v", got)
	}
}

func TestColumnsHaveToBeThoseOfTheState(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t, createSettings) // with no row: the query is wrong all the same
	for query, flaw := range map[string]string{
		"SELECT value FROM settings":                                     "not in the query, which has value",
		"SELECT value, version, key FROM settings":                       "not in the state",
		"SELECT value, version, version FROM settings":                   "twice",
		"SELECT value, version AS Version FROM settings":                 `is in the query as "Version"`,
		"SELECT value, version AS \"version \" FROM settings":            "not in the query",
		"SELECT value, version, 1 AS value FROM settings":                "twice",
		"SELECT 'x' AS value, 'x' AS Value, 1 AS version":                "not in the state",
		"SELECT value, version, max(version) FROM settings":              "not in the state",
		"SELECT * FROM settings":                                         "not in the state",
		"SELECT value AS version, version AS v FROM settings":            "is in the state and not in the query",
		"SELECT s.value, t.version, t.value FROM settings s, settings t": "twice",
	} {
		var s setting
		_, err := sqlop.One(t.Context(), db, query, nil, settingColumns(&s)...)
		expectFlaw(t, query, err, flaw)
		_, err = sqlop.List(t.Context(), db, query, nil, settingColumns)
		expectFlaw(t, query, err, flaw)
	}
}

func TestALookWritesNothingWhateverItsQuery(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t, createSettings, insertSettings)
	for _, query := range []string{
		"UPDATE settings SET version = version + 1 WHERE key = 'theme' RETURNING value, version",
		"INSERT INTO settings VALUES ('timezone', 'UTC', 1) RETURNING value, version",
		"DELETE FROM settings WHERE key = 'theme' RETURNING value, version",
	} {
		var s setting
		_, _ = sqlop.One(t.Context(), db, query, nil, settingColumns(&s)...)
		got, err := sqlop.List(t.Context(), db, "SELECT value, version FROM settings ORDER BY key", nil, settingColumns)
		if diff := cmp.Diff([]setting{{"en", 1}, {"dark", 9007199254740993}}, got); diff != "" || err != nil {
			t.Errorf("after %s: %v (-want +got):\n%s", query, err, diff)
		}
	}
}

func TestALookInsideATransactionSeesItsWrites(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t, createSettings, insertSettings)
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(t.Context(), "UPDATE settings SET value = 'light' WHERE key = 'theme'"); err != nil {
		t.Fatal(err)
	}
	var s setting
	const query = "SELECT value, version FROM settings WHERE key = 'theme'"
	if _, err := sqlop.One(t.Context(), tx, query, nil, settingColumns(&s)...); err != nil || s.Value != "light" {
		t.Errorf("%+v, %v", s, err)
	}
	if err := tx.Commit(); err != nil {
		t.Errorf("the look ended the transaction of its caller: %v", err)
	}
}

func TestALookEndsWithItsContext(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t, createSettings)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var s setting
	if _, err := sqlop.One(ctx, db, "SELECT value, version FROM settings", nil, settingColumns(&s)...); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

func TestALookFailsOnABrokenQuery(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t)
	var s setting
	found, err := sqlop.One(t.Context(), db, "SELECT value, version FROM nowhere", nil, settingColumns(&s)...)
	if found || err == nil {
		t.Errorf("found %v, %v", found, err)
	}
}
