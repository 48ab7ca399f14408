package main

import (
	"context"

	"github.com/changesetgen/changesetgen/examples/generated/notes"
	"github.com/changesetgen/changesetgen/runtime"
)

// handlers are the bodies of notes.changeset.yaml. Every write is made on the condition that the file still is what was
// seen, so that what is shown to a person and what is written over are the same.
type handlers struct{ *folder }

var _ notes.Operations = handlers{}

// ObserveWriteNote reads the note that would be written over, if there is one.
func (h handlers) ObserveWriteNote(_ context.Context, p *notes.WriteNotePayload) (*notes.WriteNoteState, error) {
	if len(p.Text) > maxSize {
		return nil, runtime.Refuse("the text is larger than %d bytes", maxSize)
	}
	note, err := h.read(p.Name)
	return (*notes.WriteNoteState)(note), err
}

// ApplyWriteNote creates the note, or replaces the one that was shown.
func (h handlers) ApplyWriteNote(ctx context.Context, c *notes.WriteNoteChange) error {
	if c.State == nil {
		return h.create(ctx, c.Payload.Name, c.Payload.Text)
	}
	return h.replace(ctx, c.Payload.Name, c.State.Hash, c.Payload.Text)
}

// UndoWriteNote writes the old text back, or deletes the note that was created.
func (h handlers) UndoWriteNote(ctx context.Context, c *notes.WriteNoteApplied) error {
	if c.Before == nil {
		return h.remove(ctx, c.Payload.Name, c.After.Hash)
	}
	return h.replace(ctx, c.Payload.Name, c.After.Hash, c.Before.Text)
}

// PrepareRenameNote refuses a name that another note has. One that is taken later is refused by the write itself.
func (h handlers) PrepareRenameNote(_ context.Context, p *notes.RenameNotePayload) (*notes.RenameNotePayload, error) {
	other, err := h.read(p.NewName)
	if err == nil && other != nil && p.NewName != p.Name {
		err = runtime.Refuse("there is a note called %s; take another name, or rename that one first", p.NewName)
	}
	return p, err
}

// ObserveRenameNote reads the note under its old name.
func (h handlers) ObserveRenameNote(_ context.Context, p *notes.RenameNotePayload) (*notes.NoteState, error) {
	return h.read(p.Name)
}

// ObserveAfterRenameNote reads the note under its new name: under the old one there is nothing.
func (h handlers) ObserveAfterRenameNote(_ context.Context, p *notes.RenameNotePayload) (*notes.NoteState, error) {
	return h.read(p.NewName)
}

// ApplyRenameNote gives the note its new name.
func (h handlers) ApplyRenameNote(ctx context.Context, c *notes.RenameNoteChange) error {
	return h.rename(ctx, c.State.Name, c.State.Hash, c.Payload.NewName)
}

// ReconcileRenameNote finds out, after a crash, whether the note has its new name. It may have both: then a person has
// to look.
func (h handlers) ReconcileRenameNote(_ context.Context, c *notes.RenameNoteDoubtful) (runtime.Verdict, error) {
	renamed, err := h.read(c.Payload.NewName)
	switch {
	case err != nil:
		return runtime.Unsure, err
	case c.Now == nil && renamed != nil && renamed.Hash == c.Before.Hash:
		return runtime.Done, nil
	case c.Now != nil && renamed == nil:
		return runtime.NotDone, nil
	}
	return runtime.Unsure, nil
}

// UndoRenameNote gives the note its old name back.
func (h handlers) UndoRenameNote(ctx context.Context, c *notes.RenameNoteApplied) error {
	return h.rename(ctx, c.After.Name, c.After.Hash, c.Before.Name)
}

// ObserveDeleteNote reads the note that would be deleted.
func (h handlers) ObserveDeleteNote(_ context.Context, p *notes.DeleteNotePayload) (*notes.NoteState, error) {
	return h.read(p.Name)
}

// ObserveAfterDeleteNote looks whether the note is gone.
func (h handlers) ObserveAfterDeleteNote(_ context.Context, p *notes.DeleteNotePayload) (*notes.NoteState, error) {
	return h.read(p.Name)
}

// ApplyDeleteNote deletes the note that was shown.
func (h handlers) ApplyDeleteNote(ctx context.Context, c *notes.DeleteNoteChange) error {
	return h.remove(ctx, c.State.Name, c.State.Hash)
}

// UndoDeleteNote writes the note again, if no other has taken its name.
func (h handlers) UndoDeleteNote(ctx context.Context, c *notes.DeleteNoteApplied) error {
	return h.create(ctx, c.Before.Name, c.Before.Text)
}
