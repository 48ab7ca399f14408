package main

import (
	"context"
	"database/sql"

	"github.com/changesetgen/changesetgen/examples/generated/settings"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
)

// handlers are the bodies that are written by hand: how a setting is written, and how it is taken back.
type handlers struct{ db *sql.DB }

var _ settings.Operations = handlers{}

// ApplySetSetting writes the new value, on the version that was looked at.
func (h handlers) ApplySetSetting(ctx context.Context, c *settings.SetSettingChange) (*settings.SetSettingResult, error) {
	if c.State.Locked {
		return nil, runtime.NotApplied(runtime.Refuse("%s is locked; ask an administrator to unlock it", c.Payload.Key))
	}
	if err := h.write(ctx, c.Payload.Key, c.Payload.Value, c.State.Version); err != nil {
		return nil, err
	}
	return &settings.SetSettingResult{Version: c.State.Version + 1}, nil
}

// UndoSetSetting writes the old value back, on the version that apply left.
func (h handlers) UndoSetSetting(ctx context.Context, c *settings.SetSettingApplied) error {
	return h.write(ctx, c.Payload.Key, c.Before.Value, c.After.Version)
}

// write changes a setting if it still has that version. Otherwise nothing is written, and the agent is told that the
// setting has changed.
func (h handlers) write(ctx context.Context, key settings.SetSettingKey, value string, version int64) error {
	return sqlop.ExecOne(ctx, h.db,
		`UPDATE settings SET value = ?, version = version + 1 WHERE key = ? AND version = ?`, value, key, version)
}
