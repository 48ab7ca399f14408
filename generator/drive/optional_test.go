package drive_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	issues "github.com/changesetgen/changesetgen/testdata/golden/optional_nullable/want"
	people "github.com/changesetgen/changesetgen/testdata/golden/optional_nullable_object/want"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// issueBodies write what is given of an issue, and put back what was there.
type issueBodies struct {
	target[issues.UpdateIssuePayload, issues.IssueState]
	db *sql.DB
}

func (b *issueBodies) ApplyUpdateIssue(ctx context.Context, c *issues.UpdateIssueChange) error {
	p := c.Payload
	if err := b.apply(p, nil); err != nil {
		return err
	}
	return sqlop.ExecOne(ctx, b.db, `UPDATE issues SET
		description = CASE WHEN ? THEN description ELSE ? END, estimate = CASE WHEN ? THEN estimate ELSE ? END,
		labels = CASE WHEN ? THEN labels ELSE ? END, due = CASE WHEN ? THEN due ELSE ? END,
		priority = CASE WHEN ? THEN priority ELSE ? END, meta = CASE WHEN ? THEN meta ELSE ? END WHERE id = ?`,
		p.Description.IsAbsent(), p.Description, p.Estimate.IsAbsent(), p.Estimate, p.Labels.IsAbsent(), p.Labels,
		p.Due.IsAbsent(), p.Due, p.Priority.IsAbsent(), p.Priority, p.Meta.IsAbsent(), p.Meta, p.ID)
}

func (b *issueBodies) UndoUpdateIssue(ctx context.Context, c *issues.UpdateIssueApplied) error {
	s := c.Before
	return sqlop.ExecOne(ctx, b.db, `UPDATE issues SET description = ?, estimate = ?, labels = ?, due = ?, priority = ?, meta = ? WHERE id = ?`,
		s.Description, s.Estimate, s.Labels, s.Due, s.Priority, s.Meta, c.Payload.ID)
}

const issueTable = `CREATE TABLE issues (id INTEGER, description TEXT, estimate TEXT, labels TEXT, due TEXT, priority INTEGER, meta TEXT);
	INSERT INTO issues VALUES (1, 'x', '2.5', '["a"]', '2026-03-01T12:00:00.50+01:00', 2, '{"k":"v"}')`

func startIssues(t *testing.T) (w *world, b *issueBodies, now func() string) {
	b = &issueBodies{}
	w = start(t, issueTable, func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
		b.db = db
		return issues.Register(server, guard, issues.Config{Operations: b, Main: db})
	})
	return w, b, func() string {
		return w.column(t, `SELECT json_array(description, estimate, labels, due, priority, meta) FROM issues`)
	}
}

// An update of a description leaves it alone where it is absent, clears it by null, and writes "" as any text.
func TestAbsentNullAndEmptyAreThreeUpdates(t *testing.T) {
	t.Parallel()
	w, b, now := startIssues(t)
	tests := []struct {
		payload, summary, after string
		diff                    []row
	}{
		{
			payload: `{"id":1,"priority":3}`, summary: "Change issue 1: (none), (none)",
			diff:  []row{{"priority", "2", "3"}},
			after: `["x","2.5","[\"a\"]","2026-03-01T12:00:00.50+01:00",3,"{\"k\":\"v\"}"]`,
		},
		{
			payload: `{"id":1,"description":null}`, summary: "Change issue 1: (none), (none)",
			diff:  []row{{"description", `"x"`, "null"}},
			after: `[null,"2.5","[\"a\"]","2026-03-01T12:00:00.50+01:00",2,"{\"k\":\"v\"}"]`,
		},
		{
			payload: `{"id":1,"description":""}`, summary: "Change issue 1: , (none)",
			diff:  []row{{"description", `"x"`, `""`}},
			after: `["","2.5","[\"a\"]","2026-03-01T12:00:00.50+01:00",2,"{\"k\":\"v\"}"]`,
		},
		{
			payload: `{"id":1,"description":"y","estimate":null,"labels":null,"due":null,"priority":null,"meta":null}`,
			summary: "Change issue 1: y, (none)",
			diff: []row{
				{"description", `"x"`, `"y"`}, {"estimate", "2.5", "null"}, {"labels", `["a"]`, "null"},
				{"due", `"2026-03-01T12:00:00.50+01:00"`, "null"}, {"priority", "2", "null"}, {"meta", `{"k":"v"}`, "null"},
			},
			after: `["y",null,null,null,null,null]`,
		},
		{
			payload: `{"id":1,"estimate":12345678901234567890123.5,"labels":[],"due":"2026-03-02T00:00:00Z","priority":1,"meta":{}}`,
			summary: "Change issue 1: (none), []",
			diff: []row{
				{"estimate", "2.5", "12345678901234567890123.5"}, {"labels", `["a"]`, "[]"},
				{"due", `"2026-03-01T12:00:00.50+01:00"`, `"2026-03-02T00:00:00Z"`}, {"priority", "2", "1"}, {"meta", `{"k":"v"}`, "{}"},
			},
			after: `["x","12345678901234567890123.5","[]","2026-03-02T00:00:00Z",1,"{}"]`,
		},
	}
	for _, test := range tests {
		_, after := trip{operation: "update_issue", payload: test.payload, summary: test.summary, diff: test.diff}.make(t, w, now, b.lastGiven)
		if after != test.after {
			t.Errorf("%s: after apply the row is %s, want %s", test.payload, after, test.after)
		}
	}
}

// personBodies write what is given of a person.
type personBodies struct {
	target[people.UpdatePersonPayload, people.UpdatePersonState]
}

func (b *personBodies) ObserveUpdatePerson(context.Context, *people.UpdatePersonPayload) (*people.UpdatePersonState, error) {
	return b.observe()
}

func (b *personBodies) ApplyUpdatePerson(_ context.Context, c *people.UpdatePersonChange) error {
	next := *c.State
	if !c.Payload.Description.IsAbsent() {
		next.Description = c.Payload.Description
	}
	if !c.Payload.Address.IsAbsent() {
		next.Address = c.Payload.Address
	}
	return b.apply(c.Payload, &next)
}

func (b *personBodies) UndoUpdatePerson(_ context.Context, c *people.UpdatePersonApplied) error {
	return b.undo(c.Before)
}

// What the state did not have before, it does not have after an undo either.
func TestUndoLeavesAbsentWhatWasAbsent(t *testing.T) {
	t.Parallel()
	for state, diff := range map[string][]row{
		`{}`:                      {{"description", "", `"y"`}},
		`{"description":null}`:    {{"description", "null", `"y"`}},
		`{"description":"x"}`:     {{"description", `"x"`, `"y"`}},
		`{"address":null}`:        {{"description", "", `"y"`}},
		`{"address":{"city":""}}`: {{"description", "", `"y"`}},
	} {
		b := &personBodies{}
		b.state = []byte(state)
		w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
			return people.Register(server, guard, people.Config{Operations: b})
		})
		_, after := trip{
			operation: "update_person", payload: `{"id":"a","description":"y"}`, summary: "Change a, of (none)", diff: diff,
		}.make(t, w, b.now, b.lastGiven)
		if after == state {
			t.Errorf("%s: nothing was applied", state)
		}
	}
}

func TestPathsGoThroughObjectsThatMayBeAbsentOrNull(t *testing.T) {
	t.Parallel()
	const state = `{"address":{"city":"Oslo","country":{"code":null}}}`
	tests := map[string]struct {
		summary string
		diff    []row
	}{
		`{"id":"a","address":null}`: {"Change a, of (none)", []row{{"address", `{"city":"Oslo","country":{"code":null}}`, "null"}}},
		`{"id":"a","address":{"city":"Rome"}}`: {"Change a, of (none)", []row{
			{"address", `{"city":"Oslo","country":{"code":null}}`, `{"city":"Rome"}`}, {"city", `"Oslo"`, `"Rome"`},
		}},
		`{"id":"a","address":{"city":"Rome","country":null}}`: {"Change a, of (none)", []row{
			{"address", `{"city":"Oslo","country":{"code":null}}`, `{"city":"Rome","country":null}`}, {"city", `"Oslo"`, `"Rome"`},
		}},
		`{"id":"a","address":{"city":"Rome","country":{"code":"IT"}}}`: {"Change a, of IT", []row{
			{"address", `{"city":"Oslo","country":{"code":null}}`, `{"city":"Rome","country":{"code":"IT"}}`},
			{"city", `"Oslo"`, `"Rome"`}, {"code", "null", `"IT"`},
		}},
	}
	for payload, want := range tests {
		b := &personBodies{}
		b.state = []byte(state)
		w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
			return people.Register(server, guard, people.Config{Operations: b})
		})
		trip{operation: "update_person", payload: payload, summary: want.summary, diff: want.diff}.make(t, w, b.now, b.lastGiven)
	}
}

// A state that is null where it was absent has changed since.
func TestAbsentThatBecomesNullHasChanged(t *testing.T) {
	t.Parallel()
	b := &personBodies{}
	b.state = []byte(`{}`)
	w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
		return people.Register(server, guard, people.Config{Operations: b})
	})
	previewed := w.call(t, "preview_update_person", `{"id":"a","description":"y"}`)
	check(t, "write", b.undo(&people.UpdatePersonState{Description: runtime.OptionalNull[string]()}))
	refused := w.apply(t, "update_person", previewed)
	want := []row{{Field: "description", Before: "", After: "null"}}
	if diff := cmp.Diff(want, refused.Changed); diff != "" || refused.Code != "state_changed" {
		t.Errorf("%+v, changed (-want +got):\n%s", refused, diff)
	}
}
