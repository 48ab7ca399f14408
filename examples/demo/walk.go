package main

import (
	"context"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/examples/internal/client"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The tools of the settings server.
const (
	previewTool = "preview_set_setting"
	applyTool   = "apply_set_setting"
	undoTool    = "undo_set_setting"
	statusTool  = "get_change_status"
)

// callPatience is how long one call may take. A call takes milliseconds; a machine may stall for longer.
const callPatience = 2 * time.Minute

// walk is the demo as it goes along: what runs, and what later steps need of earlier ones.
type walk struct {
	screen
	place    *workplace
	server   *client.Server // nil while none runs
	settings *settingsTable // nil until the server has made it

	theme    *client.Answer // the preview that is applied and undone
	applied  *client.Answer // its apply
	doomed   *client.Answer // the preview whose apply is killed
	survivor *client.Answer // a preview made before that, applied after it
	removal  *client.Answer // the preview of a delete
}

// step is one step of the walk.
type step struct {
	title string
	run   func(context.Context) error
}

// steps are the steps in order; each needs those before it.
func (w *walk) steps() []step {
	return []step{
		{"Generate the tools from the spec", w.generate},
		{"Start the server, with writes off, and list its tools", w.start},
		{"Preview a change", w.preview},
		{"Apply is refused while writes are off, and nothing is used up", w.applyWhileOff},
		{"Start the server with writes on, on the same ledger, and apply", w.apply},
		{"The same apply again does not run again", w.applyAgain},
		{"What changed since the preview is not overwritten", w.applyStale},
		{"Undo", w.undo},
		{"Preview two more changes", w.previewTwo},
		{"Kill the server in the middle of applying the second", w.killDuringApply},
		{"After a restart that change is in doubt, and is not run again", w.inDoubt},
		{"The first was previewed before the kill, and still applies, once", w.applySurvivor},
		{"A delete waits until an operator has said yes, which no tool can say", w.waitForAYes},
		{"An operator looks at what waits, and says yes; then it is deleted", w.applyApproved},
	}
}

// call calls a tool, shows both sides, and expects the answer to have that status, or that code if it is a refusal.
func (w *walk) call(ctx context.Context, tool string, arguments any, want string) (*client.Answer, error) {
	if err := w.request(tool, arguments); err != nil {
		return nil, err
	}
	answer, err := ask(ctx, w.server, tool, arguments)
	if err != nil {
		return nil, err
	}
	w.reply(answer.Text)
	if got := answer.Outcome(); got != want {
		return nil, fmt.Errorf("expected %s to answer %q, got %q", tool, want, got)
	}
	return answer, nil
}

// ask calls a tool of server and shows nothing.
func ask(ctx context.Context, server *client.Server, tool string, arguments any) (*client.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	return server.Call(ctx, tool, arguments)
}

// setting is the payload of set_setting.
type setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// approval is what apply is called with.
type approval struct {
	ChangeID string `json:"change_id"`
	Token    string `json:"confirmation_token"`
}

// approve is the approval of a previewed change.
func approve(preview *client.Answer) approval {
	return approval{preview.ChangeID, preview.ConfirmationToken}
}

// takeBack is what undo is called with.
type takeBack struct {
	ChangeID string `json:"change_id"`
	Token    string `json:"undo_token"`
}

// profile is the payload of delete_profile.
type profile struct {
	Name string `json:"name"`
}

// question is what get_change_status is called with.
type question struct {
	ChangeID string `json:"change_id"`
}

// holds expects a setting to have that value after that many writes, and says so.
func (w *walk) holds(ctx context.Context, key string, want row) error {
	got, err := w.settings.read(ctx, key)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("expected the setting %s to be %+v, got %+v", key, want, got)
	}
	w.checked("the database says: %s = %s, version %d", key, got.value, got.version)
	return nil
}

// hasStatus expects a change to have that status, and says so.
func (w *walk) hasStatus(ctx context.Context, change *client.Answer, want ledger.Status) error {
	answer, err := ask(ctx, w.server, statusTool, question{change.ChangeID})
	if err != nil {
		return err
	}
	if err := expect("the status of the change", answer.Status, string(want)); err != nil {
		return err
	}
	w.checked("the change is still %s", want)
	return nil
}

// awaitStatus asks for the status of a change until it is the one that was wanted.
func (w *walk) awaitStatus(ctx context.Context, change *client.Answer, want ledger.Status) error {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	for {
		answer, err := ask(ctx, w.server, statusTool, question{change.ChangeID})
		if err != nil {
			return fmt.Errorf("wait until the change is %s: %w", want, err)
		}
		if answer.Status == string(want) {
			return nil
		}
	}
}

// expect is an error unless got is what was wanted.
func expect[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("expected %s to be %v, got %v", what, want, got)
	}
	return nil
}

// expectOne is an error unless got is one value, the one that was wanted.
func expectOne[T comparable](what string, got []T, want T) error {
	if len(got) != 1 {
		return fmt.Errorf("expected one %s, got %d: %v", what, len(got), got)
	}
	return expect("the "+what, got[0], want)
}
