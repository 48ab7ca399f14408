package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/examples/internal/client"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// generate runs the generator and compares what it wrote with what is in the clone.
func (w *walk) generate(ctx context.Context) error {
	w.command("go", "build", "./cmd/changesetgen", "./cmd/changesetctl", "./examples/settings")
	if err := w.place.build(ctx); err != nil {
		return err
	}
	const spec, generated = "examples/settings.changeset.yaml", "examples/generated/settings"
	output := w.place.path("generated")
	if err := os.Mkdir(output, 0o700); err != nil {
		return err
	}
	w.command("changesetgen", spec, "-o", "generated")
	if err := w.place.inClone(ctx, w.place.path("changesetgen"), spec, "-o", output); err != nil {
		return err
	}
	names, err := sameFiles(output, w.place.cloned(generated))
	if err != nil {
		return err
	}
	w.list(names)
	w.checked("equal to %s, byte for byte", generated)
	return nil
}

// start starts the server for the first time, which makes the database.
func (w *walk) start(ctx context.Context) error {
	if err := w.startServer(ctx, writesOff); err != nil {
		return err
	}
	tools, err := w.server.Tools(ctx)
	if err != nil {
		return err
	}
	w.list(tools)
	if err := expect("the list of tools", strings.Join(tools, " "), strings.Join(allTools(), " ")); err != nil {
		return err
	}
	w.settings, err = openSettings(ctx, w.place.path(settingsFile))
	return err
}

// allTools are the names of the tools that the server must have, sorted.
func allTools() []string {
	all := []string{statusTool}
	for _, operation := range []string{"set_setting", "reset_setting", "rename_profile", "create_profile", "delete_profile"} {
		for _, kind := range []string{"preview_", "apply_", "undo_"} {
			all = append(all, kind+operation)
		}
	}
	slices.Sort(all)
	return all
}

// preview asks for a change and is shown what it would do.
func (w *walk) preview(ctx context.Context) error {
	var err error
	if w.theme, err = w.call(ctx, previewTool, setting{"theme", "dark"}, "preview"); err != nil {
		return err
	}
	if err := expectOne("row of the diff", w.theme.Diff, client.Row{Field: "theme", Before: "light", After: "dark"}); err != nil {
		return err
	}
	return w.holds(ctx, "theme", row{"light", 1})
}

// applyWhileOff tries to apply the preview on a server whose operator has not switched writes on.
func (w *walk) applyWhileOff(ctx context.Context) error {
	if _, err := w.call(ctx, applyTool, approve(w.theme), string(runtime.CodeWritesDisabled)); err != nil {
		return err
	}
	if err := w.holds(ctx, "theme", row{"light", 1}); err != nil {
		return err
	}
	return w.hasStatus(ctx, w.theme, ledger.Pending)
}

// apply applies the same preview, with the same token, after a restart.
func (w *walk) apply(ctx context.Context) error {
	if err := w.stopServer(); err != nil {
		return err
	}
	if err := w.startServer(ctx, runtime.Guarded); err != nil {
		return err
	}
	var err error
	if w.applied, err = w.call(ctx, applyTool, approve(w.theme), string(ledger.Applied)); err != nil {
		return err
	}
	return w.holds(ctx, "theme", row{"dark", 2})
}

// applyAgain repeats the apply, as a client does that never got the answer.
func (w *walk) applyAgain(ctx context.Context) error {
	again, err := w.call(ctx, applyTool, approve(w.theme), string(runtime.CodeAlreadyUsed))
	if err != nil {
		return err
	}
	if err := expect("the stored result", string(again.Result), string(w.applied.Result)); err != nil {
		return err
	}
	w.checked("the answer carries the stored result: %s", again.Result)
	if again.UndoToken == "" {
		return errors.New("expected a new undo_token, got none")
	}
	w.applied.UndoToken = again.UndoToken // it replaces the one of the answer before
	return w.holds(ctx, "theme", row{"dark", 2})
}

// applyStale applies a preview whose setting somebody else has changed since.
func (w *walk) applyStale(ctx context.Context) error {
	stale, err := w.call(ctx, previewTool, setting{"language", "de"}, "preview")
	if err != nil {
		return err
	}
	if err := w.settings.write(ctx, "language", "fr"); err != nil {
		return err
	}
	w.note("meanwhile another program sets language to fr")
	refused, err := w.call(ctx, applyTool, approve(stale), string(runtime.CodeStateChanged))
	if err != nil {
		return err
	}
	if err := expectOne("changed field", refused.Changed, client.Changed{Field: "value", Was: "en", Now: "fr"}); err != nil {
		return err
	}
	return w.holds(ctx, "language", row{"fr", 2})
}

// undo takes the applied change back.
func (w *walk) undo(ctx context.Context) error {
	arguments := takeBack{w.theme.ChangeID, w.applied.UndoToken}
	if _, err := w.call(ctx, undoTool, arguments, string(ledger.Undone)); err != nil {
		return err
	}
	return w.holds(ctx, "theme", row{"light", 3})
}

// previewTwo previews the change that is applied after the kill, and the one that is killed.
func (w *walk) previewTwo(ctx context.Context) error {
	var err error
	if w.survivor, err = w.call(ctx, previewTool, setting{"theme", "blue"}, "preview"); err != nil {
		return err
	}
	w.doomed, err = w.call(ctx, previewTool, setting{"language", "it"}, "preview")
	return err
}

// killDuringApply kills the server while the write of an apply waits for a lock that the demo holds.
func (w *walk) killDuringApply(ctx context.Context) error {
	if err := w.settings.lock(ctx); err != nil {
		return err
	}
	w.note("another program locks the settings, so that the write has to wait")
	if err := w.request(applyTool, approve(w.doomed)); err != nil {
		return err
	}
	server, answered := w.server, make(chan error, 1)
	go func() {
		_, err := ask(ctx, server, applyTool, approve(w.doomed))
		answered <- err
	}()
	if err := w.awaitStatus(ctx, w.doomed, ledger.Applying); err != nil {
		return err
	}
	if err := w.killServer(); err != nil {
		return err
	}
	w.command("kill", "-9", "settings")
	if err := <-answered; err == nil {
		return errors.New("expected no answer from the killed server, got one")
	}
	w.checked("the client got no answer")
	return w.settings.unlock(ctx)
}

// inDoubt restarts the server and looks at what became of the change.
func (w *walk) inDoubt(ctx context.Context) error {
	if err := w.startServer(ctx, runtime.Guarded); err != nil {
		return err
	}
	status, err := w.call(ctx, statusTool, question{w.doomed.ChangeID}, string(ledger.Applying))
	if err != nil {
		return err
	}
	if err := expect("in_doubt", status.InDoubt, true); err != nil {
		return err
	}
	if _, err := w.call(ctx, applyTool, approve(w.doomed), string(runtime.CodeInDoubt)); err != nil {
		return err
	}
	return w.holds(ctx, "language", row{"fr", 2})
}

// applySurvivor applies a preview that an earlier process made, and tries it twice.
func (w *walk) applySurvivor(ctx context.Context) error {
	if _, err := w.call(ctx, applyTool, approve(w.survivor), string(ledger.Applied)); err != nil {
		return err
	}
	if _, err := w.call(ctx, applyTool, approve(w.survivor), string(runtime.CodeAlreadyUsed)); err != nil {
		return err
	}
	return w.holds(ctx, "theme", row{"blue", 4})
}
