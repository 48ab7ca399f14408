package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	driver "modernc.org/sqlite" // "sqlite" to database/sql
)

// busyTimeout is how long a statement waits for another process that is writing to the settings. It is well within the
// time that a guard gives its bodies, and the time it waits for them at the end. It is longer in tests, which hold writes up.
var busyTimeout = 5 * time.Second

// schema makes the tables. A version counts the writes of a row; a locked setting is the administrator's. The id of a
// profile is never given to another.
const schema = `
CREATE TABLE IF NOT EXISTS settings (
	key           TEXT    PRIMARY KEY,
	value         TEXT    NOT NULL,
	default_value TEXT    NOT NULL,
	locked        INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0, 1)),
	version       INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE TABLE IF NOT EXISTS profiles (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	name       TEXT    NOT NULL UNIQUE,
	note       TEXT    NOT NULL DEFAULT '',
	created_at TEXT    NOT NULL DEFAULT CURRENT_TIMESTAMP,
	version    INTEGER NOT NULL DEFAULT 1
) STRICT;
`

// seed fills new tables. That a table is empty does not make it new: everything in it may have been deleted.
const seed = `
INSERT INTO settings (key, value, default_value, locked)
SELECT column1, column2, column2, column3
FROM (VALUES ('theme', 'light', 0), ('language', 'en', 0), ('timezone', 'UTC', 1))
WHERE NOT EXISTS (SELECT 1 FROM settings);
INSERT INTO profiles (name)
SELECT 'home' WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'profiles');
`

// openDatabase opens the settings in the file at path, and makes and fills the tables where they are missing. What
// is there stays as it is.
func openDatabase(ctx context.Context, path string) (*sql.DB, error) {
	address, err := databaseURL(path)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", address)
	if err != nil {
		return nil, fmt.Errorf("open the settings %s: %w", path, err)
	}
	if _, err := db.ExecContext(ctx, schema+seed); err != nil {
		_ = db.Close() // the first error says more
		return nil, fmt.Errorf("open the settings %s: %w; %s", path, err, adviceOn(err))
	}
	return db, nil
}

// adviceOn says what to do about settings that cannot be opened.
func adviceOn(err error) string {
	const busy, primary = 5, 0xff // of SQLite's codes; the upper bits say more of a code
	var failed *driver.Error
	if errors.As(err, &failed) && failed.Code()&primary == busy {
		return "another process is writing to them: wait until it is done, or end it"
	}
	return "--db must name a SQLite file that can be written, or one that can be made"
}

// databaseURL is the address of the file at path for the driver. Any path is safe in it, a question mark included.
func databaseURL(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the settings %s: %w", path, err)
	}
	full = filepath.ToSlash(full)
	if !strings.HasPrefix(full, "/") {
		full = "/" + full // C:/settings.db
	}
	pragmas := url.Values{"_pragma": {
		"busy_timeout(" + strconv.FormatInt(busyTimeout.Milliseconds(), 10) + ")",
		"journal_mode(WAL)", // so that looking never waits for a writer
	}}
	address := url.URL{Scheme: "file", Path: full, RawQuery: pragmas.Encode()}
	return address.String(), nil
}
