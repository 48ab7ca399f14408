package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
)

// specOf is a spec of one operation of its own, beside that of the world.
func specOf(w *world, server, operation string, style runtime.ToolStyle) (runtime.Spec, *setOperation) {
	o := newOperation(w.target)
	o.Name = operation
	return runtime.Spec{
		Server: server, Tools: style, Schemas: []byte(strings.ReplaceAll(schemaFile, "set_setting.", operation+".")),
	}, o
}

func (w *world) register(t *testing.T, server, operation string, style runtime.ToolStyle) {
	t.Helper()
	spec, o := specOf(w, server, operation, style)
	if err := w.guard.Register(w.server, spec, o); err != nil {
		t.Fatalf("register %s: %v", operation, err)
	}
}

// cycle previews, applies and undoes a change with the tools of those names.
func (c *client) cycle(t *testing.T, preview, apply, undo string) (change string) {
	t.Helper()
	p := c.call(t, preview, map[string]string{"key": "theme", "value": "dark"})
	a := c.call(t, apply, map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
	u := c.call(t, undo, map[string]string{"change_id": p.ChangeID, "undo_token": a.UndoToken})
	if s := c.call(t, "get_change_status", map[string]string{"change_id": p.ChangeID}); a.Status != "applied" || u.Status != "undone" || s.Status != "undone" {
		t.Errorf("%s: %s\n%s\n%s", preview, a.raw, u.raw, s.raw)
	}
	return p.ChangeID
}

// Specs of both styles live on one server: the tools that belong to the guard are there once, and each change is
// recorded under the name of its own spec.
func TestSeveralSpecsShareOneServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.register(t, "one", "set_one", runtime.SharedTools)
	w.register(t, "two", "set_two", runtime.SharedTools)
	w.register(t, "two", "set_three", runtime.PerOperation)
	c := w.connect(t)
	want := []string{
		"apply_change", "apply_set_setting", "apply_set_three", "get_change_status",
		"preview_set_one", "preview_set_setting", "preview_set_three", "preview_set_two",
		"undo_change", "undo_set_setting", "undo_set_three",
	}
	if diff := cmp.Diff(want, toolNames(c.tools(t))); diff != "" {
		t.Errorf("tools:\n%s", diff)
	}
	for _, test := range []struct{ server, preview, apply, undo string }{
		{"settings", "preview_set_setting", "apply_set_setting", "undo_set_setting"},
		{"one", "preview_set_one", "apply_change", "undo_change"},
		{"two", "preview_set_two", "apply_change", "undo_change"},
		{"two", "preview_set_three", "apply_set_three", "undo_set_three"},
	} {
		id := c.cycle(t, test.preview, test.apply, test.undo)
		if got := w.record(t, id).Server; got != test.server {
			t.Errorf("the change of %s is recorded under %q", test.preview, got)
		}
	}
}

// Two specs may have an operation of one name if their tools differ.
func TestSpecsThatShareNamesNeedAPrefix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := toolNames(w.tools(t))
	spec, o := specOf(w, "other", "set_setting", runtime.PerOperation)
	_, free := specOf(w, "other", "set_free", runtime.PerOperation)
	both := strings.TrimSuffix(strings.TrimSpace(string(spec.Schemas)), "}") + `, "set_free.payload": {"type": "object", "properties": {}}}`
	spec.Schemas = []byte(both)
	if err := w.guard.Register(w.server, spec, free, o); err == nil || !strings.Contains(err.Error(), "preview_set_setting is taken: give Spec.Prefix") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, toolNames(w.tools(t))); diff != "" {
		t.Errorf("the refused spec left tools:\n%s", diff)
	}
	spec.Prefix = "other_"
	if err := w.guard.Register(w.server, spec, free, o); err != nil {
		t.Fatal(err)
	}
	c := w.connect(t)
	for prefix, server := range map[string]string{"": "settings", "other_": "other"} {
		id := c.cycle(t, prefix+"preview_set_setting", prefix+"apply_set_setting", prefix+"undo_set_setting")
		if got := w.record(t, id).Server; got != server {
			t.Errorf("recorded under %q", got)
		}
	}
}

// A prefix keeps the tools of operations apart, and the shared tools have none.
func TestSharedToolsHaveNoPrefix(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.spec.Tools, w.spec.Prefix = runtime.SharedTools, "a_" })
	spec, o := specOf(w, "other", "set_setting", runtime.SharedTools)
	spec.Prefix = "b_"
	if err := w.guard.Register(w.server, spec, o); err != nil {
		t.Fatal(err)
	}
	c := w.connect(t)
	if diff := cmp.Diff([]string{"a_preview_set_setting", "apply_change", "b_preview_set_setting", "get_change_status", "undo_change"}, toolNames(c.tools(t))); diff != "" {
		t.Errorf("tools:\n%s", diff)
	}
	for prefix, server := range map[string]string{"a_": "settings", "b_": "other"} {
		if got := w.record(t, c.cycle(t, prefix+"preview_set_setting", "apply_change", "undo_change")).Server; got != server {
			t.Errorf("recorded under %q", got)
		}
	}
}

// refusesForeign checks that a server says of a change of another one what it says of one that is not there, and that
// nothing is spent.
func refusesForeign(t *testing.T, stranger *client, p reply) {
	t.Helper()
	for tool, arguments := range map[string]map[string]string{
		"apply_set_setting": {"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken},
		"undo_set_setting":  {"change_id": p.ChangeID, "undo_token": "undo_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
		"get_change_status": {"change_id": p.ChangeID},
	} {
		r := stranger.call(t, tool, arguments)
		wantRefused(t, r, "unknown_change")
		if strings.Contains(string(r.raw), p.ConfirmationToken) {
			t.Errorf("%s repeats the token", tool)
		}
	}
}

// serveOther is another server, with a guard of its own, on the ledger of a world.
func serveOther(t *testing.T, w *world, name string) *client {
	t.Helper()
	guard, err := runtime.NewGuard(t.Context(), w.options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = guard.Close(context.Background()) })
	server := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, nil)
	spec, o := specOf(w, name, "set_setting", runtime.PerOperation)
	if err := guard.Register(server, spec, o); err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(context.Background(), there, nil); err != nil {
		t.Fatal(err)
	}
	return connect(t, here)
}

func TestServersThatShareALedgerKeepToTheirOwnChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := serveOther(t, w, "other")
	p := w.preview(t, "theme", "dark")
	refusesForeign(t, other, p)
	q := other.call(t, "preview_set_setting", map[string]string{"key": "language", "value": "fr"})
	refusesForeign(t, w.client, q)
	for name, of := range map[string]struct {
		client *client
		change reply
	}{"settings": {w.client, p}, "other": {other, q}} {
		a := of.client.call(t, "apply_set_setting", map[string]string{"change_id": of.change.ChangeID, "confirmation_token": of.change.ConfirmationToken})
		if got := w.record(t, of.change.ChangeID).Server; a.Status != "applied" || got != name {
			t.Errorf("%s: recorded under %q, %s", name, got, a.raw)
		}
	}
}

// The same holds for processes: one crashes in a body, and the other says nothing of its change and goes on.
func TestProcessesThatShareALedgerKeepToTheirOwnChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.closes(t) // the process has the name of its server
	there := startProcess(t, inFiles(w.directory), atApply)
	here := serveOther(t, w, "other")
	p := there.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"})
	refusesForeign(t, here, p)
	there.crash(t, "apply_set_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
	refusesForeign(t, here, p)
	for i := range 3 {
		q := here.call(t, "preview_set_setting", map[string]string{"key": "language", "value": fmt.Sprint("v", i)})
		a := here.call(t, "apply_set_setting", map[string]string{"change_id": q.ChangeID, "confirmation_token": q.ConfirmationToken})
		if a.Status != "applied" || w.record(t, q.ChangeID).Server != "other" {
			t.Errorf("%s", a.raw)
		}
	}
	if r := w.record(t, p.ChangeID); r.Server != "settings" || r.Status != "applying" {
		t.Errorf("the change of the process: %s of %s", r.Status, r.Server)
	}
	if strings.Contains(w.log.String(), p.ChangeID) {
		t.Errorf("the log of one server speaks of the change of another:\n%s", w.log)
	}
}
