package runtime_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// renamed is the operation of a world under another name, which remembers the old one.
func renamed(w *world) {
	w.operation.Name, w.operation.Aliases = "put_setting", []string{"set_setting"}
	w.spec.Schemas = []byte(strings.ReplaceAll(schemaFile, "set_setting.", "put_setting."))
}

// A change outlives the name of its operation: it is found, applied, undone and counted under the new one.
func TestChangesOfAnOldNameLiveOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	waiting, applied := w.request(t, "r1", "language", "de"), w.applied(t, "theme", "dark")
	rejected := w.preview(t, "theme", "pink")
	reject(t, w, rejected.ChangeID, "not pink")
	renamed(w)
	w.restart(t)
	if s := w.status(t, waiting.ChangeID); s.Status != "pending" {
		t.Errorf("%s", s.raw)
	}
	again := w.call(t, "preview_put_setting", map[string]string{"request_id": "r1", "key": "language", "value": "de"})
	if again.ChangeID != waiting.ChangeID || again.ConfirmationToken == "" {
		t.Errorf("the request of before: %s", again.raw)
	}
	if p := w.call(t, "preview_put_setting", map[string]string{"key": "theme", "value": "pink"}); p.PreviouslyRejected == nil {
		t.Errorf("the rejection of before: %s", p.raw)
	}
	a := w.call(t, "apply_put_setting", map[string]string{"change_id": waiting.ChangeID, "confirmation_token": again.ConfirmationToken})
	u := w.call(t, "undo_put_setting", map[string]string{"change_id": applied.ChangeID, "undo_token": applied.UndoToken})
	if a.Status != "applied" || u.Status != "undone" || w.value(t, "language") != "de" || w.value(t, "theme") != "light" {
		t.Errorf("%s\n%s", a.raw, u.raw)
	}
}

func TestLimitCountsWhatWasClaimedUnderAnOldName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.operation.Limits = runtime.Limits{Changes: 2, Per: runtime.DefaultUndoTTL} })
	old, other := w.preview(t, "language", "de"), w.preview(t, "language", "fr")
	w.applied(t, "theme", "dark")
	renamed(w)
	w.restart(t)
	p := w.call(t, "preview_put_setting", map[string]string{"key": "theme", "value": "blue"})
	use := func(of reply) reply {
		return w.call(t, "apply_put_setting", map[string]string{"change_id": of.ChangeID, "confirmation_token": of.ConfirmationToken})
	}
	if a := use(old); a.Status != "applied" {
		t.Fatalf("%s", a.raw)
	}
	wantRefused(t, use(p), "limit_exceeded")
	wantRefused(t, use(other), "limit_exceeded")
	wantRefused(t, w.call(t, "preview_put_setting", map[string]string{"key": "theme", "value": "pink"}), "limit_exceeded")
}

// Both claims are decided before either is written.
func TestRacingClaimsUnderTwoNamesKeepToTheLimit(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t, func(w *world) { w.operation.Limits = runtime.Limits{Changes: 1, Per: time.Hour} })
	changes := []reply{w.preview(t, "theme", "dark")}
	renamed(w)
	w.restart(t)
	changes = append(changes, w.call(t, "preview_put_setting", map[string]string{"key": "language", "value": "de"}))
	var both sync.WaitGroup
	both.Add(len(changes))
	f.set(func(f *faulty) {
		f.swap = func(to ledger.Status, write func() error) error {
			if to == ledger.Applying {
				both.Done()
				both.Wait()
			}
			return write()
		}
	})
	codes := make(chan string, len(changes))
	for _, p := range changes {
		c := w.connect(t)
		go func() {
			codes <- c.call(t, "apply_put_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}).Code
		}()
	}
	if one, other := <-codes, <-codes; one+other != "limit_exceeded" || w.writes(t) != 1 {
		t.Errorf("%q and %q, after %d writes", one, other, w.writes(t))
	}
}

// An alias is no excuse: what an approval is bound to must be the same.
func TestChangeOfAnOldNameNeedsTheSameBehaviour(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, a := w.preview(t, "language", "de"), w.applied(t, "theme", "dark")
	renamed(w)
	w.operation.Digest, w.operation.UndoDigest = "sha256:other", "sha256:other"
	w.restart(t)
	wantRefused(t, w.call(t, "apply_put_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}), "operation_changed")
	wantRefused(t, w.call(t, "undo_put_setting", map[string]string{"change_id": a.ChangeID, "undo_token": a.UndoToken}), "operation_changed")
}

// Given names are taken as they are, and named wherever an agent is told of a tool.
func TestToolsHaveTheNamesThatTheyAreGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.spec.Prefix = "acme_"
		w.operation.ToolNames = runtime.ToolNames{Preview: "settings-propose", Apply: "settings-do"}
	})
	want := []string{"acme_undo_set_setting", "get_change_status", "settings-do", "settings-propose"}
	if diff := cmp.Diff(want, toolNames(w.tools(t))); diff != "" {
		t.Errorf("tools:\n%s", diff)
	}
	w.cycle(t, "settings-propose", "settings-do", "acme_undo_set_setting")
	wantSaid(t, w.call(t, "settings-propose", map[string]string{"key": "theme", "value": "blue"}), "call settings-do", "apply_set_setting")
	for _, tool := range w.tools(t) {
		if strings.Contains(tool.Description, "apply_set_setting") {
			t.Errorf("%s names a tool that there is not: %s", tool.Name, tool.Description)
		}
	}
}

// Where writes are off, tools that write need not be there at all, and nothing names them.
func TestWriteToolsAreHiddenWhereWritesAreOff(t *testing.T) {
	t.Parallel()
	for _, style := range []runtime.ToolStyle{runtime.PerOperation, runtime.SharedTools} {
		w := newWorld(t, func(w *world) {
			w.options.WriteMode, w.options.WriteModeEnv, w.options.HideWhenDisabled = "", "CHANGESET_TEST_NEVER_SET", true
			w.spec.Tools = style
		})
		if diff := cmp.Diff([]string{"get_change_status", "preview_set_setting"}, toolNames(w.tools(t))); diff != "" {
			t.Errorf("tools:\n%s", diff)
		}
		p := w.preview(t, "theme", "dark")
		if p.WritesEnabled {
			t.Errorf("%s", p.raw)
		}
		wantSaid(t, p, "Writes are switched off on this server", "call apply")
		for _, tool := range w.tools(t) {
			if strings.Contains(tool.Description, "call apply") {
				t.Errorf("%s: %s", tool.Name, tool.Description)
			}
		}
		w.options.WriteMode = runtime.Guarded
		w.restart(t)
		if n := len(w.tools(t)); n != 4 {
			t.Errorf("with writes on there are %d tools", n)
		}
	}
}

// Whatever an operation and a spec say, every tool tells clients all four hints, and those that write tell that they do.
func TestEveryToolHasAllFourHints(t *testing.T) {
	t.Parallel()
	for _, style := range []runtime.ToolStyle{runtime.PerOperation, runtime.SharedTools} {
		for _, closed := range []bool{false, true} {
			w := newWorld(t, func(w *world) { w.spec.Tools, w.operation.ClosedWorld = style, closed })
			for _, tool := range w.tools(t) {
				wantHints(t, tool, closed && style == runtime.PerOperation || closed && strings.HasPrefix(tool.Name, "preview"))
			}
		}
	}
}

func wantHints(t *testing.T, tool *mcp.Tool, closed bool) {
	t.Helper()
	raw, err := json.Marshal(tool.Annotations)
	if err != nil {
		t.Fatal(err)
	}
	var sent map[string]any
	if err := json.Unmarshal(raw, &sent); err != nil {
		t.Fatal(err)
	}
	delete(sent, "title")
	status := tool.Name == "get_change_status"
	reads := status || strings.HasPrefix(tool.Name, "preview")
	want := map[string]any{"readOnlyHint": reads, "destructiveHint": !reads, "idempotentHint": status, "openWorldHint": !closed && !status}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("hints of %s, of %v:\n%s", tool.Name, slices.Sorted(maps.Keys(sent)), diff)
	}
}

// What a schema may be like around its properties.
func TestRequestIDIsShownInEverySchema(t *testing.T) {
	t.Parallel()
	for name, payload := range map[string]string{
		"properties":       `{"type": "object", "properties": {"key": {"enum": ["theme"]}, "value": {"type": "string"}}, "required": ["key", "value"]}`,
		"empty properties": `{"type": "object", "properties": { }}`,
		"no properties":    `{"type":"object"}`,
		"properties first": `{"properties": {"key": {}}, "type": "object", "additionalProperties": false}`,
	} {
		w := newWorld(t)
		var file map[string]json.RawMessage
		if err := json.Unmarshal([]byte(strings.ReplaceAll(schemaFile, "set_setting.", "put_it.")), &file); err != nil {
			t.Fatal(err)
		}
		file["put_it.payload"] = json.RawMessage(payload)
		spec, o := specOf(w, "other", "put_it", runtime.PerOperation)
		spec.Schemas, _ = json.Marshal(file)
		if err := w.guard.Register(w.server, spec, o); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, tool := range w.connect(t).tools(t) {
			if tool.Name != "preview_put_it" {
				continue
			}
			if names := argumentsOf(t, tool); !slices.Contains(names, "request_id") {
				t.Errorf("%s: the arguments are %v", name, names)
			}
		}
	}
}

// The changes of a name belong to one operation, on whichever servers of a guard its operations are.
func TestAliasIsOfOneOperationOnAllServersOfAGuard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	another := func() *mcp.Server { return mcp.NewServer(&mcp.Implementation{Name: "another"}, nil) }
	spec, o := specOf(w, w.spec.Server, "shift_setting", runtime.PerOperation)
	o.Aliases = []string{w.operation.Name}
	if err := w.guard.Register(another(), spec, o); err == nil || !strings.Contains(err.Error(), "would belong to both") {
		t.Errorf("an alias that is the name of an operation elsewhere: %v", err)
	}
	if err := w.guard.Register(another(), w.spec, w.operation); err != nil {
		t.Errorf("the same operation on another server: %v", err)
	}
}
