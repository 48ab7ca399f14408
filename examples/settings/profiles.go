package main

import (
	"context"
	"database/sql"
	"errors"

	"github.com/changesetgen/changesetgen/examples/generated/profiles"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// profileHandlers are the bodies of profiles.changeset.yaml.
type profileHandlers struct{ db *sql.DB }

var _ profiles.Operations = profileHandlers{}

// ApplyCreateProfile adds the profile if its name is still free, and gives the id that it is looked at under.
func (h profileHandlers) ApplyCreateProfile(ctx context.Context, c *profiles.CreateProfileChange) (*profiles.CreateProfileResult, error) {
	tx, err := h.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, runtime.NotApplied(err)
	}
	defer tx.Rollback() // after a commit it does nothing

	var id int64
	err = tx.QueryRowContext(ctx,
		`INSERT INTO profiles (name, note) VALUES (?, ?) ON CONFLICT (name) DO NOTHING RETURNING id`,
		c.Payload.Name, c.Payload.Note).Scan(&id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, runtime.Conflict("a profile called %s was created meanwhile", c.Payload.Name)
	case err != nil:
		return nil, runtime.NotApplied(err) // rolled back
	}
	if err := tx.Commit(); err != nil {
		return nil, err // it may have been written
	}
	return &profiles.CreateProfileResult{ID: id}, nil
}

// UndoCreateProfile deletes the profile, on the version that apply left.
func (h profileHandlers) UndoCreateProfile(ctx context.Context, c *profiles.CreateProfileApplied) error {
	return sqlop.ExecOne(ctx, h.db, `DELETE FROM profiles WHERE id = ? AND version = ?`, c.After.ID, c.After.Version)
}

// ApplyDeleteProfile deletes the profile, on the version that was looked at.
func (h profileHandlers) ApplyDeleteProfile(ctx context.Context, c *profiles.DeleteProfileChange) error {
	return sqlop.ExecOne(ctx, h.db, `DELETE FROM profiles WHERE id = ? AND version = ?`, c.State.ID, c.State.Version)
}

// UndoDeleteProfile adds the profile again, under an id of its own.
func (h profileHandlers) UndoDeleteProfile(ctx context.Context, c *profiles.DeleteProfileApplied) error {
	err := sqlop.ExecOne(ctx, h.db, `INSERT INTO profiles (name, note) VALUES (?, ?)`, c.Before.Name, c.Before.Note)
	if isTaken(err) {
		return runtime.Conflict("a profile called %s was created meanwhile", c.Before.Name)
	}
	return err
}

// isTaken tells whether a write failed because another row has the name.
func isTaken(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE
}
