package runtime_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
)

func toolNames(tools []*mcp.Tool) []string {
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

func TestToolsSayWhatTheyDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	want := []string{"apply_set_setting", "get_change_status", "preview_set_setting", "undo_set_setting"}
	if diff := cmp.Diff(want, toolNames(w.tools(t))); diff != "" {
		t.Errorf("tools:\n%s", diff)
	}
	type hint struct{ readOnly, idempotent, destructive bool }
	hints := map[string]hint{
		"preview_set_setting": {true, false, false}, "get_change_status": {true, true, false},
		"apply_set_setting": {false, false, true}, "undo_set_setting": {false, false, true},
	}
	for _, tool := range w.tools(t) {
		a := tool.Annotations
		if a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil {
			t.Errorf("%s leaves hints out: %+v", tool.Name, a)
			continue
		}
		if got := (hint{a.ReadOnlyHint, a.IdempotentHint, *a.DestructiveHint}); got != hints[tool.Name] {
			t.Errorf("%s: %+v, want %+v", tool.Name, got, hints[tool.Name])
		}
		first, _, _ := strings.Cut(tool.Description, "\n")
		if !strings.Contains(first, "preview") && !strings.Contains(first, "apply_set_setting") && !strings.Contains(first, "applied") || tool.Title == "" {
			t.Errorf("%s is described as %q", tool.Name, tool.Description)
		}
		for name, schema := range map[string]any{"input": tool.InputSchema, "output": tool.OutputSchema} {
			root, ok := schema.(map[string]any)
			if !ok || root["type"] != "object" || root["oneOf"] != nil || root["anyOf"] != nil || root["allOf"] != nil {
				t.Errorf("the %s schema of %s: %v", name, tool.Name, schema)
			}
		}
	}
}

func TestPayloadSchemaIsHandedOutWithTheRequestID(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var file map[string]any
	if err := json.Unmarshal([]byte(schemaFile), &file); err != nil {
		t.Fatal(err)
	}
	for _, tool := range w.tools(t) {
		if tool.Name == "preview_set_setting" {
			shown := tool.InputSchema.(map[string]any)
			properties := shown["properties"].(map[string]any)
			if properties["request_id"] == nil {
				t.Errorf("no request_id: %v", shown)
			}
			delete(properties, "request_id")
			if diff := cmp.Diff(file["set_setting.payload"], shown); diff != "" {
				t.Error(diff)
			}
		}
	}
}

func TestSharedToolsServeAllOperations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.spec.Tools, w.spec.Prefix = runtime.SharedTools, "acme_" })
	want := []string{"acme_preview_set_setting", "apply_change", "get_change_status", "undo_change"}
	if diff := cmp.Diff(want, toolNames(w.tools(t))); diff != "" {
		t.Errorf("tools:\n%s", diff)
	}
	p := w.call(t, "acme_preview_set_setting", map[string]string{"key": "theme", "value": "dark"})
	if !strings.Contains(p.NextStep, "apply_change") {
		t.Errorf("%s", p.raw)
	}
	a := w.call(t, "apply_change", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
	if a.Status != "applied" || !strings.Contains(a.NextStep, "undo_change") {
		t.Fatalf("%s", a.raw)
	}
	if u := w.call(t, "undo_change", map[string]string{"change_id": a.ChangeID, "undo_token": a.UndoToken}); u.Status != "undone" {
		t.Errorf("%s", u.raw)
	}
}

func TestSharedToolDoesNotKnowTheOperationAnyMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.spec.Tools = runtime.SharedTools })
	p := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"})
	w.operation.Name = "set_other"
	w.spec.Schemas = []byte(strings.ReplaceAll(schemaFile, "set_setting.", "set_other."))
	w.restart(t)
	wantRefused(t, w.call(t, "apply_change", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}), "operation_unknown")
	if s := w.status(t, p.ChangeID); s.Status != "pending" {
		t.Errorf("%s", s.raw)
	}
}

// A client allows tools one by one: the tool of one operation moves no change of another.
func TestToolOfAnotherOperationIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := newOperation(w.target)
	other.Name = "set_other"
	spec := settings
	spec.Tools = runtime.SharedTools
	spec.Schemas = []byte(strings.ReplaceAll(schemaFile, "set_setting.", "set_other."))
	if err := w.guard.Register(w.server, spec, other); err != nil {
		t.Fatal(err)
	}
	p := w.preview(t, "theme", "dark")
	wantRefused(t, w.call(t, "apply_change", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}), "unknown_change")
	q := w.call(t, "preview_set_other", map[string]string{"key": "theme", "value": "dark"})
	wantRefused(t, w.apply(t, q.ChangeID, q.ConfirmationToken), "unknown_change")
	if a := w.call(t, "apply_change", map[string]string{"change_id": q.ChangeID, "confirmation_token": q.ConfirmationToken}); a.Status != "applied" {
		t.Errorf("%s", a.raw)
	}
}

func TestRegisterTakesAllOrNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := func() *setOperation {
		o := newOperation(w.target)
		o.Name = "set_other"
		return o
	}
	spec := settings
	spec.Schemas = []byte(strings.ReplaceAll(schemaFile, "set_setting.", "set_other."))
	for name, test := range map[string]struct {
		change func(spec *runtime.Spec, o *setOperation)
		says   string
	}{
		"no server name":       {func(s *runtime.Spec, _ *setOperation) { s.Server = "" }, "Spec.Server"},
		"unknown style":        {func(s *runtime.Spec, _ *setOperation) { s.Tools = 7 }, "Spec.Tools"},
		"no name":              {func(_ *runtime.Spec, o *setOperation) { o.Name = "" }, "Meta.Name"},
		"a name that is taken": {func(s *runtime.Spec, o *setOperation) { o.Name, s.Schemas = "set_setting", []byte(schemaFile) }, "registered already"},
		"a tool that is taken": {func(s *runtime.Spec, o *setOperation) {
			o.Name, s.Server, s.Schemas = "set_setting", "other", []byte(schemaFile)
		}, "taken"},
		"a name with spaces":        {func(s *runtime.Spec, _ *setOperation) { s.Prefix = "my tools " }, "not allowed"},
		"a name that is long":       {func(s *runtime.Spec, _ *setOperation) { s.Prefix = strings.Repeat("x", 120) }, "not allowed"},
		"no apply":                  {func(_ *runtime.Spec, o *setOperation) { o.Apply = nil }, "Apply"},
		"no digest":                 {func(_ *runtime.Spec, o *setOperation) { o.Digest = "" }, "Digest"},
		"TTL out of bounds":         {func(_ *runtime.Spec, o *setOperation) { o.TTL = time.Second }, "TTL"},
		"undo TTL out of bounds":    {func(_ *runtime.Spec, o *setOperation) { o.UndoTTL = -2 }, "UndoTTL"},
		"a limit without a window":  {func(_ *runtime.Spec, o *setOperation) { o.Limits.Changes = 1 }, "both, or none"},
		"a window without a limit":  {func(_ *runtime.Spec, o *setOperation) { o.Limits.Per = time.Hour }, "both, or none"},
		"a negative limit":          {func(_ *runtime.Spec, o *setOperation) { o.Limits.MaxItems = -1 }, "negative"},
		"an unknown approval":       {func(_ *runtime.Spec, o *setOperation) { o.Approval = 7 }, "Approval"},
		"an unknown undo approval":  {func(_ *runtime.Spec, o *setOperation) { o.UndoApproval = -1 }, "UndoApproval"},
		"an alias that is taken":    {func(_ *runtime.Spec, o *setOperation) { o.Aliases = []string{"old", "set_setting"} }, "would belong to both"},
		"an alias twice":            {func(_ *runtime.Spec, o *setOperation) { o.Aliases = []string{"old", "old"} }, "would belong to both"},
		"a tool name that is taken": {func(_ *runtime.Spec, o *setOperation) { o.ToolNames.Apply = "apply_set_setting" }, "taken"},
		"two tools of one name": {func(_ *runtime.Spec, o *setOperation) {
			o.ToolNames = runtime.ToolNames{Preview: "do", Apply: "do"}
		}, "taken"},
		"a tool name with spaces": {func(_ *runtime.Spec, o *setOperation) { o.ToolNames.Preview = "show it" }, "not allowed"},
		"a name for a shared tool": {func(s *runtime.Spec, o *setOperation) {
			s.Tools, o.ToolNames.Apply = runtime.SharedTools, "do_it"
		}, "shares those of all"},
		"a name for no undo": {func(_ *runtime.Spec, o *setOperation) {
			o.Undo, o.ToolNames.Undo = nil, "take_back"
		}, "it has no Undo"},
		"negative timeout":   {func(_ *runtime.Spec, o *setOperation) { o.Timeout = -1 }, "Timeout"},
		"no schemas":         {func(s *runtime.Spec, _ *setOperation) { s.Schemas = nil }, "Spec.Schemas"},
		"schemas of another": {func(s *runtime.Spec, _ *setOperation) { s.Schemas = []byte(schemaFile) }, "set_other.payload is missing"},
		"schemas twice":      {func(s *runtime.Spec, _ *setOperation) { s.Schemas = []byte(`{"a":{},"a":{}}`) }, "duplicate"},
		"no state schema":    {func(_ *runtime.Spec, o *setOperation) { o.Resource = "thing" }, "thing.state is missing"},
		"broken schema":      {func(s *runtime.Spec, _ *setOperation) { s.Schemas = []byte(`{"set_other.payload":{"type":7}}`) }, "set_other.payload"},
		"payload of no object": {func(s *runtime.Spec, o *setOperation) {
			o.Observe = nil
			s.Schemas = []byte(`{"set_other.payload":{}}`)
		}, "object"},
		"what the SDK refuses": {func(s *runtime.Spec, o *setOperation) {
			o.Observe = nil
			s.Schemas = []byte(`{"set_other.payload":{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}}`)
		}, "cannot be added"},
	} {
		s, o := spec, good()
		test.change(&s, o)
		err := w.guard.Register(w.server, s, o)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, which should say %q", name, err, test.says)
		}
	}
	broken := good()
	broken.Name = "set_setting"
	for name, err := range map[string]error{
		"one that is good, one that is taken": w.guard.Register(w.server, spec, good(), broken),

		"no server":     w.guard.Register(nil, spec, good()),
		"no operations": w.guard.Register(w.server, spec),
		"nil":           w.guard.Register(w.server, spec, nil),
		"nil operation": w.guard.Register(w.server, spec, (*setOperation)(nil)),
		"twice":         w.guard.Register(w.server, spec, good(), good()),
	} {
		if err == nil {
			t.Errorf("%s was registered", name)
		}
	}
	if got := toolNames(w.tools(t)); len(got) != 4 {
		t.Errorf("failed registrations left tools: %v", got)
	}
	if err := w.guard.Register(w.server, spec, good()); err != nil {
		t.Errorf("after the failures: %v", err)
	}
	if got := toolNames(w.tools(t)); len(got) != 7 {
		t.Errorf("two operations have the tools %v", got)
	}
}

// Where there is a longest time to undo, nothing lasts longer, and nothing lasts for ever.
func TestUndoTTLKeepsToItsMaximum(t *testing.T) {
	t.Parallel()
	store := openLedger(t, t.TempDir(), &fakeClock{})
	for name, test := range map[string]struct {
		guard, operation time.Duration
		says             string
	}{
		"neither says":        {0, 0, ""},
		"both within":         {time.Hour, 2 * time.Hour, ""},
		"guard too long":      {3 * time.Hour, 0, "Options.UndoTTL is 3h0m0s"},
		"guard for ever":      {runtime.Never, 0, "Options.UndoTTL is Never"},
		"operation too long":  {time.Hour, 3 * time.Hour, "set_setting: its UndoTTL is 3h0m0s"},
		"operation for ever":  {time.Hour, runtime.Never, "set_setting: its UndoTTL is Never"},
		"operation too short": {time.Hour, time.Second, "set_setting: its UndoTTL is 1s"},
	} {
		guard, err := runtime.NewGuard(t.Context(), runtime.Options{Store: store, UndoTTL: test.guard, MaxUndoTTL: 2 * time.Hour})
		if err == nil {
			operation := newOperation(nil)
			operation.UndoTTL = test.operation
			err = guard.Register(mcp.NewServer(&mcp.Implementation{Name: "settings"}, nil), settings, operation)
			_ = guard.Close(context.Background())
		}
		if said := err != nil; said != (test.says != "") || said && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w := newWorld(t, func(w *world) { w.options.MaxUndoTTL = time.Hour })
	a := w.applied(t, "theme", "dark")
	w.clock.move(time.Hour)
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "expired")
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		store := openLedger(t, t.TempDir(), &fakeClock{})
		for field, change := range map[string]func(*runtime.Options){
			"Store":           func(o *runtime.Options) { o.Store = nil },
			"WriteMode":       func(o *runtime.Options) { o.WriteMode = "on" },
			"TTL":             func(o *runtime.Options) { o.TTL = runtime.MinTTL - 1 },
			"UndoTTL":         func(o *runtime.Options) { o.UndoTTL = time.Second },
			"Timeout":         func(o *runtime.Options) { o.Timeout = -1 },
			"ShutdownGrace":   func(o *runtime.Options) { o.ShutdownGrace = -1 },
			"MaxClockSkew":    func(o *runtime.Options) { o.MaxClockSkew = -1 },
			"MaxPayloadBytes": func(o *runtime.Options) { o.MaxPayloadBytes = -1 },
			"MaxResultBytes":  func(o *runtime.Options) { o.MaxResultBytes = -1 },
			"MaxPending":      func(o *runtime.Options) { o.MaxPending = -1 },
			"MaxPendingAll":   func(o *runtime.Options) { o.MaxPendingAll = -1 },
			"RequestPoll":     func(o *runtime.Options) { o.RequestPoll = -1 },
			"RejectionMemory": func(o *runtime.Options) { o.RejectionMemory = -1 },
			"ApprovalTTL":     func(o *runtime.Options) { o.ApprovalTTL = runtime.MaxApprovalTTL + 1 },
			"MaxUndoTTL":      func(o *runtime.Options) { o.MaxUndoTTL = time.Second },
		} {
			opts := runtime.Options{Store: store}
			change(&opts)
			if _, err := runtime.NewGuard(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "Options."+field) {
				t.Errorf("%s: %v", field, err)
			}
		}
		wrong := runtime.Options{Store: store, Timeout: -1, RequestPoll: -1, MaxPending: -1}
		for range 20 { // the same field is told of each time
			if _, err := runtime.NewGuard(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), "Options.Timeout") {
				t.Fatalf("%v", err)
			}
		}
		for _, ttl := range []time.Duration{runtime.MinTTL, runtime.MaxTTL} {
			g, err := runtime.NewGuard(t.Context(), runtime.Options{Store: store, TTL: ttl})
			if err != nil {
				t.Errorf("TTL %s: %v", ttl, err)
				continue
			}
			if err := g.Close(context.Background()); err != nil {
				t.Error(err)
			}
			if err := g.Close(context.Background()); err != nil {
				t.Errorf("closed again: %v", err)
			}
		}
	})
}

// Every answer of an apply fits its output schema, wherever its definitions are.
func TestResultSchemaWithDefinitions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.spec.Schemas = []byte(strings.ReplaceAll(schemaFile, `"required": ["version"], "properties": {"version": {"type": "integer"}}`,
			`"required": ["version"], "properties": {"version": {"$ref": "#/$defs/count"}}, "$defs": {"count": {"type": "integer", "minimum": 1}}`))
	})
	w.applied(t, "theme", "dark") // checked by the client
	for _, tool := range w.tools(t) {
		if tool.Name != "apply_set_setting" {
			continue
		}
		raw, err := json.Marshal(tool.OutputSchema)
		if err != nil || !strings.Contains(string(raw), `"$ref":"#/$defs/count"`) || !strings.Contains(string(raw), `"$defs":{"count"`) {
			t.Errorf("%s, %v", raw, err)
		}
	}
}

// A reference to another part than a definition would lead elsewhere in an output schema.
func TestResultSchemaThatRefersToItsOtherParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.spec.Schemas = []byte(strings.ReplaceAll(schemaFile, `"properties": {"version": {"type": "integer"}}`,
			`"properties": {"version": {"type": "integer", "minimum": 1}, "next": {"$ref": "#/properties/version"}}`))
	})
	w.applied(t, "theme", "dark") // checked by the client
	for _, tool := range w.tools(t) {
		if raw, err := json.Marshal(tool.OutputSchema); err != nil || strings.Contains(string(raw), "$ref") {
			t.Errorf("%s: %s, %v", tool.Name, raw, err)
		}
	}
}

// get_change_status is one tool for all changes of a guard, so it cannot serve two.
func TestAServerBelongsToOneGuard(t *testing.T) {
	t.Parallel()
	for name, style := range map[string]runtime.ToolStyle{"shared tools": runtime.SharedTools, "tools for each operation": runtime.PerOperation} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.spec.Tools = style })
			before := toolNames(w.tools(t))
			p := w.preview(t, "theme", "dark")
			second, err := runtime.NewGuard(t.Context(), w.options)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = second.Close(context.Background()) })
			spec, o := specOf(w, "other", "set_other", style)
			if err := second.Register(w.server, spec, o); err == nil || !strings.Contains(err.Error(), "belongs to another guard") {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(before, toolNames(w.tools(t))); diff != "" {
				t.Errorf("the refused guard left tools:\n%s", diff)
			}
			if s := w.status(t, p.ChangeID); s.Status != "pending" {
				t.Errorf("the change of the first guard: %s", s.raw)
			}
			if err := second.Register(mcp.NewServer(&mcp.Implementation{Name: "other"}, nil), spec, o); err != nil {
				t.Errorf("a server of its own: %v", err)
			}
		})
	}
}
