package drive_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	schedules "github.com/changesetgen/changesetgen/testdata/golden/nullable_union/want"
	pages "github.com/changesetgen/changesetgen/testdata/golden/union/want"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type pageBodies struct {
	target[pages.MovePagePayload, pages.PageState]
	db *sql.DB
}

func (b *pageBodies) ApplyMovePage(ctx context.Context, c *pages.MovePageChange) (*pages.MovePageResult, error) {
	p := c.Payload
	if err := b.apply(p, nil); err != nil {
		return nil, err
	}
	err := sqlop.ExecOne(ctx, b.db, `UPDATE pages SET parent = ? WHERE id = ?`, p.Parent, p.ID)
	return &pages.MovePageResult{Parent: p.Parent}, err
}

func (b *pageBodies) UndoMovePage(ctx context.Context, c *pages.MovePageApplied) error {
	return sqlop.ExecOne(ctx, b.db, `UPDATE pages SET parent = ? WHERE id = ?`, c.Before.Parent, c.Payload.ID)
}

func TestUnionsAreShownWrittenAndReturned(t *testing.T) {
	t.Parallel()
	b := &pageBodies{}
	w := start(t, `CREATE TABLE pages (id TEXT, title TEXT, parent TEXT); INSERT INTO pages VALUES ('p', 'P', '{"page_id":"q","type":"page_id"}')`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			b.db = db
			return pages.Register(server, guard, pages.Config{Operations: b, Main: db})
		})
	now := func() string { return w.column(t, `SELECT json(parent) FROM pages`) }
	for _, parent := range []string{
		`{"page_id":"r","type":"page_id"}`, `{"database_id":"d","rank":12345678901234567890.5,"type":"database_id"}`,
		`{"type":"workspace","workspace":true}`, `{"type":"workspace"}`,
	} {
		applied, after := trip{
			operation: "move_page", summary: "Move page p to " + parent,
			payload: `{"id":"p","parent":` + parent + `,"fallbacks":[` + parent + `]}`,
			diff:    []row{{"parent", `{"page_id":"q","type":"page_id"}`, parent}, {"fallbacks", "", "[" + parent + "]"}},
		}.make(t, w, now, b.lastGiven)
		if result := `{"parent":` + parent + `}`; after != parent || string(applied.Result) != result {
			t.Errorf("%s: after apply the row is %s, and the result %s", parent, after, applied.Result)
		}
	}
	for _, parent := range []string{`{"type":"block","page_id":"r"}`, `{"page_id":"r"}`, `{"type":"page_id"}`, `{"type":"page_id","page_id":"r","x":1}`, `null`} {
		if got := w.call(t, "preview_move_page", `{"id":"p","parent":`+parent+`}`); got.Code != "invalid_payload" {
			t.Errorf("%s: %+v, want invalid_payload", parent, got)
		}
	}
}

type scheduleBodies struct {
	target[schedules.ScheduleJobPayload, schedules.ScheduleJobState]
}

func (b *scheduleBodies) ObserveScheduleJob(context.Context, *schedules.ScheduleJobPayload) (*schedules.ScheduleJobState, error) {
	return b.observe()
}

func (b *scheduleBodies) ApplyScheduleJob(_ context.Context, c *schedules.ScheduleJobChange) error {
	return b.apply(c.Payload, &schedules.ScheduleJobState{Trigger: c.Payload.Trigger})
}

func (b *scheduleBodies) UndoScheduleJob(_ context.Context, c *schedules.ScheduleJobApplied) error {
	return b.undo(c.Before)
}

func TestUnionsMayBeAbsentAndNull(t *testing.T) {
	t.Parallel()
	const at, every = `{"at":"2026-03-01T12:00:00.50Z","kind":"at"}`, `{"kind":"every","seconds":9007199254740993}`
	for _, test := range []struct {
		payload string
		diff    []row
	}{
		{`{"job":"j","trigger":null}`, []row{{"trigger", at, "null"}}},
		{`{"job":"j","trigger":null,"pause":null}`, []row{{"trigger", at, "null"}, {"pause", "", "null"}}},
		{
			`{"job":"j","trigger":` + every + `,"retry":` + at + `,"pause":` + every + `,"others":{"a":` + at + `,"b":` + every + `}}`,
			[]row{{"trigger", at, every}, {"retry", "", at}, {"pause", "", every}, {"others", "", `{"a":` + at + `,"b":` + every + `}`}},
		},
	} {
		b := &scheduleBodies{}
		b.state = []byte(`{"trigger":` + at + `}`)
		w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
			return schedules.Register(server, guard, schedules.Config{Operations: b})
		})
		trip{operation: "schedule_job", payload: test.payload, summary: "Schedule j", diff: test.diff}.make(t, w, b.now, b.lastGiven)
	}
}
