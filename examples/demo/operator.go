package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The tools of an operation that needs a person's yes.
const (
	previewDelete = "preview_delete_profile"
	applyDelete   = "apply_delete_profile"
)

// waitForAYes previews a delete, and tries to apply it before anybody has said yes.
func (w *walk) waitForAYes(ctx context.Context) error {
	var err error
	if w.removal, err = w.call(ctx, previewDelete, profile{"home"}, "preview"); err != nil {
		return err
	}
	if _, err := w.call(ctx, applyDelete, approve(w.removal), string(runtime.CodeAwaitingApproval)); err != nil {
		return err
	}
	return w.hasProfiles(ctx, 1)
}

// applyApproved approves the delete as an operator does, and applies it.
func (w *walk) applyApproved(ctx context.Context) error {
	if err := w.operate(ctx, "pending"); err != nil {
		return err
	}
	if err := w.operate(ctx, "approve", w.removal.ChangeID, "--as", "ana", "--yes"); err != nil {
		return err
	}
	if _, err := w.call(ctx, applyDelete, approve(w.removal), string(ledger.Applied)); err != nil {
		return err
	}
	return w.hasProfiles(ctx, 0)
}

// hasProfiles expects that many profiles, and says so.
func (w *walk) hasProfiles(ctx context.Context, want int) error {
	got, err := w.settings.countProfiles(ctx)
	if err != nil {
		return err
	}
	if err := expect("the number of profiles", got, want); err != nil {
		return err
	}
	w.checked("the database says: profiles = %d", got)
	return nil
}

// operate runs a command of the operator on the ledger, and shows what it prints.
func (w *walk) operate(ctx context.Context, args ...string) error {
	w.command(append([]string{"changesetctl", "--ledger", ledgerFile}, args...)...)
	command := exec.CommandContext(ctx, w.place.path("changesetctl"), append([]string{"--ledger", w.place.path(ledgerFile)}, args...)...)
	var said strings.Builder
	command.Stderr = &said
	printed, err := command.Output()
	if err != nil {
		return fmt.Errorf("changesetctl %s: %w\n%s", args[0], err, &said)
	}
	w.print(string(printed))
	return nil
}
