package main

import (
	"context"
	"database/sql"
	"fmt"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// settingsTable is the server's table of settings, reached behind the server's back as another program might.
type settingsTable struct{ conn *sql.DB }

// openSettings opens the database that the server has made at path.
func openSettings(ctx context.Context, path string) (*settingsTable, error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, fmt.Errorf("open the settings: %w", err)
	}
	// One connection, so that a lock which one statement takes is there for the next to release.
	db.SetMaxOpenConns(1)
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close() // the first error says more
		return nil, fmt.Errorf("open the settings: %w", err)
	}
	return &settingsTable{db}, nil
}

// row is one setting. Its version counts the writes.
type row struct {
	value   string
	version int
}

// read reads a setting.
func (t *settingsTable) read(ctx context.Context, key string) (row, error) {
	var r row
	err := t.conn.QueryRowContext(ctx, `SELECT value, version FROM settings WHERE key = ?`, key).Scan(&r.value, &r.version)
	if err != nil {
		return r, fmt.Errorf("read the setting %s: %w", key, err)
	}
	return r, nil
}

// write changes a setting.
func (t *settingsTable) write(ctx context.Context, key, value string) error {
	if _, err := t.conn.ExecContext(ctx, `UPDATE settings SET value = ?, version = version + 1 WHERE key = ?`, value, key); err != nil {
		return fmt.Errorf("write the setting %s: %w", key, err)
	}
	return nil
}

// countProfiles is how many profiles there are.
func (t *settingsTable) countProfiles(ctx context.Context) (n int, err error) {
	if err := t.conn.QueryRowContext(ctx, `SELECT count(*) FROM profiles`).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the profiles: %w", err)
	}
	return n, nil
}

// lock makes everybody else's writes wait until unlock.
func (t *settingsTable) lock(ctx context.Context) error {
	if _, err := t.conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return fmt.Errorf("lock the settings: %w", err)
	}
	return nil
}

// unlock lets others write again.
func (t *settingsTable) unlock(ctx context.Context) error {
	if _, err := t.conn.ExecContext(ctx, `ROLLBACK`); err != nil {
		return fmt.Errorf("unlock the settings: %w", err)
	}
	return nil
}

// close ends the connection, and with it a lock that is still held.
func (t *settingsTable) close() error { return t.conn.Close() }
