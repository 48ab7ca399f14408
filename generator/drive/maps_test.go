package drive_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	preferences "github.com/changesetgen/changesetgen/testdata/golden/free_map/want"
	labels "github.com/changesetgen/changesetgen/testdata/golden/map/want"
	access "github.com/changesetgen/changesetgen/testdata/golden/map_of_objects/want"
	contacts "github.com/changesetgen/changesetgen/testdata/golden/open_object/want"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type labelBodies struct {
	target[labels.LabelWorkloadPayload, labels.WorkloadState]
	db *sql.DB
}

func (b *labelBodies) ApplyLabelWorkload(ctx context.Context, c *labels.LabelWorkloadChange) error {
	p := c.Payload
	if err := b.apply(p, nil); err != nil {
		return err
	}
	notes := p.Notes
	for key, note := range c.State.Notes {
		if _, given := notes[key]; !given && notes != nil {
			notes[key] = note
		}
	}
	return sqlop.ExecOne(ctx, b.db, `UPDATE workloads SET labels = ?, quotas = coalesce(?, quotas), notes = coalesce(?, notes) WHERE name = ?`,
		p.Labels, p.Quotas, notes, p.Name)
}

func (b *labelBodies) UndoLabelWorkload(ctx context.Context, c *labels.LabelWorkloadApplied) error {
	s := c.Before
	return sqlop.ExecOne(ctx, b.db, `UPDATE workloads SET labels = ?, quotas = ?, notes = ? WHERE name = ?`, s.Labels, s.Quotas, s.Notes, c.Payload.Name)
}

func TestMapsAreShownWrittenAndTakenBack(t *testing.T) {
	t.Parallel()
	b := &labelBodies{}
	w := start(t, `CREATE TABLE workloads (name TEXT, labels TEXT, quotas TEXT, notes TEXT);
		INSERT INTO workloads VALUES ('web', '{"app":"web"}', '{"cpu":0.5}', NULL)`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			b.db = db
			return labels.Register(server, guard, labels.Config{Operations: b, Main: db})
		})
	now := func() string {
		return w.column(t, `SELECT labels || quotas || coalesce(notes, 'NULL') FROM workloads`)
	}
	for _, test := range []struct {
		payload, summary, after string
		diff                    []row
	}{
		{
			payload: `{"name":"web","labels":{}}`, summary: "Label web with {}",
			diff:  []row{{"labels", `{"app":"web"}`, `{}`}},
			after: `{}{"cpu":0.5}NULL`,
		},
		{
			payload: `{"name":"web","labels":{"b":"2","a":"1"},"quotas":{"cpu":0.10,"disk":12345678901234567890.5},"notes":{"x":null,"y":"z"}}`,
			summary: `Label web with {"a":"1","b":"2"}`,
			diff: []row{
				{"labels", `{"app":"web"}`, `{"a":"1","b":"2"}`},
				{"quotas", `{"cpu":0.5}`, `{"cpu":0.1,"disk":12345678901234567890.5}`},
				{"notes", "", `{"x":null,"y":"z"}`},
			},
			after: `{"a":"1","b":"2"}{"cpu":0.1,"disk":12345678901234567890.5}{"x":null,"y":"z"}`,
		},
		{
			payload: `{"name":"web","labels":{"a":""},"notes":{}}`, summary: `Label web with {"a":""}`,
			diff:  []row{{"labels", `{"app":"web"}`, `{"a":""}`}, {"notes", "", `{}`}},
			after: `{"a":""}{"cpu":0.5}{}`,
		},
	} {
		_, after := trip{operation: "label_workload", payload: test.payload, summary: test.summary, diff: test.diff}.make(t, w, now, b.lastGiven)
		if after != test.after {
			t.Errorf("%s: after apply the row is %s, want %s", test.payload, after, test.after)
		}
	}
}

type accessBodies struct {
	target[access.GrantAccessPayload, access.GrantAccessState]
}

func (b *accessBodies) ObserveGrantAccess(context.Context, *access.GrantAccessPayload) (*access.GrantAccessState, error) {
	return b.observe()
}

func (b *accessBodies) ApplyGrantAccess(_ context.Context, c *access.GrantAccessChange) error {
	return b.apply(c.Payload, &access.GrantAccessState{Members: c.Payload.Members, Teams: c.Payload.Teams})
}

func (b *accessBodies) UndoGrantAccess(_ context.Context, c *access.GrantAccessApplied) error {
	return b.undo(c.Before)
}

func TestMapsOfObjectsKeepWhatIsAbsentInThem(t *testing.T) {
	t.Parallel()
	b := &accessBodies{}
	b.state = []byte(`{"members":{"ada":{"role":"owner","until":null}},"teams":{}}`)
	w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
		return access.Register(server, guard, access.Config{Operations: b})
	})
	const members = `{"ada":{"role":"reader"},"bob":{"role":"writer","until":null},"eve":{"role":"owner","until":"2026-03-01T12:00:00.50+01:00"}}`
	_, after := trip{
		operation: "grant_access", summary: "Grant access to p",
		payload: `{"project":"p","members":` + members + `,"teams":{"ops":[{"environment":"live","deploy":true}],"qa":[]}}`,
		diff: []row{
			{"members", `{"ada":{"role":"owner","until":null}}`, members},
			{"teams", `{}`, `{"ops":[{"deploy":true,"environment":"live"}],"qa":[]}`},
		},
	}.make(t, w, b.now, b.lastGiven)
	if want := `{"members":` + members + `,"teams":{"ops":[{"deploy":true,"environment":"live"}],"qa":[]}}`; after != want {
		t.Errorf("after apply the state is %s, want %s", after, want)
	}
}

type contactBodies struct {
	target[contacts.UpdateContactPayload, contacts.UpdateContactState]
	db *sql.DB
}

func (b *contactBodies) ApplyUpdateContact(ctx context.Context, c *contacts.UpdateContactChange) error {
	p := c.Payload
	if err := b.apply(p, nil); err != nil {
		return err
	}
	return sqlop.ExecOne(ctx, b.db, `UPDATE contacts SET email = ?, custom = ?, prices = ? WHERE id = ?`, p.Email, p.Custom, p.Prices, p.ID)
}

func (b *contactBodies) UndoUpdateContact(ctx context.Context, c *contacts.UpdateContactApplied) error {
	s := c.Before
	return sqlop.ExecOne(ctx, b.db, `UPDATE contacts SET email = ?, custom = ?, prices = ? WHERE id = ?`, s.Email, s.Custom, s.Prices, c.Payload.ID)
}

func TestMembersWithoutAFieldAreKeptAndShown(t *testing.T) {
	t.Parallel()
	b := &contactBodies{}
	w := start(t, `CREATE TABLE contacts (id INTEGER, email TEXT, custom TEXT, prices TEXT);
		INSERT INTO contacts VALUES (1, 'a@b.c', '{"Source":[1.25],"source":"web"}', '{"currency":"EUR"}')`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			b.db = db
			return contacts.Register(server, guard, contacts.Config{Operations: b, Main: db})
		})
	const (
		custom = `{"":null,"AdditionalProperties":{"x":12345678901234567890123456},"source":"fair","vip":true}`
		prices = `{"a b":0.1,"currency":"USD","p1":12345678901234567890.123}`
	)
	now := func() string { return w.column(t, `SELECT email || custom || prices FROM contacts`) }
	_, after := trip{
		operation: "update_contact", summary: "Change contact 1 from fair",
		payload: `{"id":1,"email":"d@e.f","custom":` + custom + `,"prices":` + prices + `}`,
		diff: []row{
			{"email", `"a@b.c"`, `"d@e.f"`}, {"custom fields", `{"Source":[1.25],"source":"web"}`, custom},
			{"currency", `"EUR"`, `"USD"`}, {"prices", `{"currency":"EUR"}`, prices},
		},
	}.make(t, w, now, b.lastGiven)
	if after != "d@e.f"+custom+prices {
		t.Errorf("after apply the row is %s", after)
	}
}

type preferenceBodies struct {
	target[preferences.SetPreferencesPayload, preferences.SetPreferencesState]
}

func (b *preferenceBodies) ObserveSetPreferences(context.Context, *preferences.SetPreferencesPayload) (*preferences.SetPreferencesState, error) {
	return b.observe()
}

func (b *preferenceBodies) ApplySetPreferences(_ context.Context, c *preferences.SetPreferencesChange) (*preferences.SetPreferencesResult, error) {
	next := &preferences.SetPreferencesState{AdditionalProperties: map[string]*json.Number{}}
	result := &preferences.SetPreferencesResult{AdditionalProperties: map[string]string{}}
	for key, raw := range c.Payload.AdditionalProperties {
		var value *json.Number
		if err := exact.Decode(raw, &value); err != nil {
			return nil, runtime.NotApplied(err)
		}
		next.AdditionalProperties[key], result.AdditionalProperties[key] = value, "set"
	}
	return result, b.apply(c.Payload, next)
}

func (b *preferenceBodies) UndoSetPreferences(_ context.Context, c *preferences.SetPreferencesApplied) error {
	return b.undo(c.Before)
}

func TestPayloadStateAndResultMayBeMaps(t *testing.T) {
	t.Parallel()
	b := &preferenceBodies{}
	b.state = []byte(`{"a":1}`)
	w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
		return preferences.Register(server, guard, preferences.Config{Operations: b})
	})
	const next = `{"":0.5,"a b":null,"z":12345678901234567890123456}`
	applied, after := trip{
		operation: "set_preferences", summary: "Replace all preferences", payload: next, diff: []row{{"preferences", `{"a":1}`, next}},
	}.make(t, w, b.now, b.lastGiven)
	if result := `{"":"set","a b":"set","z":"set"}`; after != next || string(applied.Result) != result {
		t.Errorf("after apply the state is %s, and the result %s", after, applied.Result)
	}
}
