package main

import (
	"context"
	"database/sql"

	"github.com/changesetgen/changesetgen/examples/generated/settings"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
)

// handlers are the bodies of settings.changeset.yaml: how things are written, and how they are taken back.
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

// ApplyResetSetting writes the default that was shown, on the version that was looked at.
func (h handlers) ApplyResetSetting(ctx context.Context, c *settings.ResetSettingChange) (*settings.ResetSettingResult, error) {
	if c.State.Locked {
		return nil, runtime.NotApplied(runtime.Refuse("%s is locked; ask an administrator to unlock it", c.Payload.Key))
	}
	key := settings.SetSettingKey(c.Payload.Key)
	if err := h.write(ctx, key, c.State.DefaultValue, c.State.Version); err != nil {
		return nil, err
	}
	return &settings.ResetSettingResult{Version: c.State.Version + 1}, nil
}

// UndoResetSetting writes the old value back, on the version that apply left.
func (h handlers) UndoResetSetting(ctx context.Context, c *settings.ResetSettingApplied) error {
	return h.write(ctx, settings.SetSettingKey(c.Payload.Key), c.Before.Value, c.After.Version)
}

// ApplyRenameProfile writes the new name, on the version that was looked at.
func (h handlers) ApplyRenameProfile(ctx context.Context, c *settings.RenameProfileChange) error {
	return h.rename(ctx, c.State, c.Payload.NewName)
}

// UndoRenameProfile writes the old name back. The profile was found under its new one: After has it with its version.
func (h handlers) UndoRenameProfile(ctx context.Context, c *settings.RenameProfileApplied) error {
	return h.rename(ctx, c.After, c.Before.Name)
}

// rename gives a profile another name if it still has the version that was seen, and if no other has that name.
func (h handlers) rename(ctx context.Context, seen *settings.RenameProfileState, name string) error {
	err := sqlop.ExecOne(ctx, h.db,
		`UPDATE profiles SET name = ?, version = version + 1 WHERE id = ? AND version = ?`, name, seen.ID, seen.Version)
	if isTaken(err) {
		return runtime.NotApplied(runtime.Refuse("another profile is called %s", name))
	}
	return err
}
