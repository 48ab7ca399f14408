package drive_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	tables "github.com/changesetgen/changesetgen/testdata/golden/const/want"
	meetings "github.com/changesetgen/changesetgen/testdata/golden/date_time/want"
	climate "github.com/changesetgen/changesetgen/testdata/golden/float/want"
	tickets "github.com/changesetgen/changesetgen/testdata/golden/integer_enum/want"
	cells "github.com/changesetgen/changesetgen/testdata/golden/raw/want"
	tokens "github.com/changesetgen/changesetgen/testdata/golden/wide_integer/want"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type tokenBodies struct {
	target[tokens.SetBalancePayload, tokens.AccountState]
	db *sql.DB
}

func (b *tokenBodies) ApplySetBalance(ctx context.Context, c *tokens.SetBalanceChange) error {
	p := c.Payload
	if err := b.apply(p, nil); err != nil {
		return err
	}
	return sqlop.ExecOne(ctx, b.db, `UPDATE accounts SET balance = ?, nonce = coalesce(?, nonce), held = ? WHERE owner = ?`,
		p.Amount, p.Nonce, p.Held, p.Owner)
}

func (b *tokenBodies) UndoSetBalance(ctx context.Context, c *tokens.SetBalanceApplied) error {
	s := c.Before
	return sqlop.ExecOne(ctx, b.db, `UPDATE accounts SET balance = ?, nonce = ?, held = ? WHERE owner = ?`, s.Balance, s.Nonce, s.Held, c.Payload.Owner)
}

func TestIntegersBeyond64BitsKeepEveryDigit(t *testing.T) {
	t.Parallel()
	const most = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	b := &tokenBodies{}
	w := start(t, `CREATE TABLE accounts (owner TEXT, balance TEXT, nonce INTEGER, held TEXT);
		INSERT INTO accounts VALUES ('a', '1234567890123456789012345', 7, '-9223372036854775809')`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			b.db = db
			return tokens.Register(server, guard, tokens.Config{Operations: b, Main: db})
		})
	now := func() string {
		return w.column(t, `SELECT balance || '|' || nonce || '|' || coalesce(held, 'NULL') FROM accounts`)
	}
	_, after := trip{
		operation: "set_balance", summary: "Set the balance of a to " + most,
		payload: `{"owner":"a","amount":` + most + `,"nonce":9223372036854775807,"held":null,"splits":[1e3,18446744073709551616]}`,
		diff: []row{
			{"balance", "1234567890123456789012345", most}, {"nonce", "7", "9223372036854775807"},
			{"held", "-9223372036854775809", "null"}, {"splits", "", "[1000,18446744073709551616]"},
		},
	}.make(t, w, now, b.lastGiven)
	if want := most + "|9223372036854775807|NULL"; after != want {
		t.Errorf("after apply the row is %s, want %s", after, want)
	}
	beyond := strings.TrimSuffix(most, "5") + "6"
	if got := w.call(t, "preview_set_balance", `{"owner":"a","amount":`+beyond+`}`); got.Code != "invalid_payload" {
		t.Errorf("beyond its maximum: %+v, want invalid_payload", got)
	}
}

type climateBodies struct {
	target[climate.SetTargetPayload, climate.RoomState]
	db *sql.DB
}

func (b *climateBodies) ApplySetTarget(ctx context.Context, c *climate.SetTargetChange) error {
	p := c.Payload
	if err := b.apply(p, nil); err != nil {
		return err
	}
	return sqlop.ExecOne(ctx, b.db, `UPDATE rooms SET target = ?, offset_by = CASE WHEN ? THEN offset_by ELSE ? END WHERE name = ?`,
		p.Target, p.OffsetBy.IsAbsent(), p.OffsetBy, p.Room)
}

func (b *climateBodies) UndoSetTarget(ctx context.Context, c *climate.SetTargetApplied) error {
	return sqlop.ExecOne(ctx, b.db, `UPDATE rooms SET target = ?, offset_by = ? WHERE name = ?`, c.Before.Target, c.Before.OffsetBy, c.Payload.Room)
}

func TestFloatsAreNumbersThatTheyGiveBack(t *testing.T) {
	t.Parallel()
	b := &climateBodies{}
	w := start(t, `CREATE TABLE rooms (name TEXT, target REAL, offset_by REAL); INSERT INTO rooms VALUES ('hall', 20.5, NULL)`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			b.db = db
			return climate.Register(server, guard, climate.Config{Operations: b, Main: db})
		})
	now := func() string { return w.column(t, `SELECT target || '|' || coalesce(offset_by, 'NULL') FROM rooms`) }
	_, after := trip{
		operation: "set_target", summary: "Set hall to 21.1", payload: `{"room":"hall","target":21.10,"offset_by":-0.3,"steps":[20.7,1e-7]}`,
		diff: []row{{"target", "20.5", "21.1"}, {"offset", "", "-0.3"}, {"steps", "", "[20.7,0.0000001]"}},
	}.make(t, w, now, b.lastGiven)
	if want := "21.1|-0.3"; after != want {
		t.Errorf("after apply the row is %s, want %s", after, want)
	}
	for _, payload := range []string{
		`{"room":"hall","target":21.100000000000000001}`, `{"room":"hall","target":21,"steps":[1,9007199254740993]}`,
	} {
		if got := w.call(t, "preview_set_target", payload); got.Code != "invalid_payload" {
			t.Errorf("%s: %+v, want invalid_payload", payload, got)
		}
	}
}

type meetingBodies struct {
	target[meetings.MoveMeetingPayload, meetings.MeetingState]
	db *sql.DB
}

func (b *meetingBodies) ApplyMoveMeeting(ctx context.Context, c *meetings.MoveMeetingChange) error {
	p := c.Payload
	if err := b.apply(p, nil); err != nil {
		return err
	}
	starts, err := p.Starts.Time()
	if err != nil {
		return runtime.NotApplied(err)
	}
	return sqlop.ExecOne(ctx, b.db, `UPDATE meetings SET starts = ?, ends = ?, day = ? WHERE id = ?`, p.Starts, p.Ends, starts.Format("2006-01-02"), p.ID)
}

func (b *meetingBodies) UndoMoveMeeting(ctx context.Context, c *meetings.MoveMeetingApplied) error {
	s := c.Before
	return sqlop.ExecOne(ctx, b.db, `UPDATE meetings SET starts = ?, ends = ?, day = ? WHERE id = ?`, s.Starts, s.Ends, s.Day, c.Payload.ID)
}

func TestDateTimesKeepTheirSpelling(t *testing.T) {
	t.Parallel()
	b := &meetingBodies{}
	w := start(t, `CREATE TABLE meetings (id INTEGER, starts TEXT, ends TEXT, day TEXT);
		INSERT INTO meetings VALUES (1, '2026-03-01T12:00:00.50+01:00', NULL, '2026-03-01')`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			b.db = db
			return meetings.Register(server, guard, meetings.Config{Operations: b, Main: db})
		})
	now := func() string {
		return w.column(t, `SELECT starts || '|' || coalesce(ends, 'NULL') || '|' || day FROM meetings`)
	}
	_, after := trip{
		operation: "move_meeting", summary: "Move meeting 1 to 2026-03-02T23:30:00.0-05:00",
		payload: `{"id":1,"starts":"2026-03-02T23:30:00.0-05:00","ends":"2026-03-03T05:30:00.000Z",
			"remind":["2026-03-02T12:00:00Z"],"by_zone":{"UTC":"2026-03-03T04:30:00Z"}}`,
		diff: []row{
			{"starts", `"2026-03-01T12:00:00.50+01:00"`, `"2026-03-02T23:30:00.0-05:00"`},
			{"ends", "null", `"2026-03-03T05:30:00.000Z"`}, {"remind", "", `["2026-03-02T12:00:00Z"]`},
			{"by zone", "", `{"UTC":"2026-03-03T04:30:00Z"}`},
		},
	}.make(t, w, now, b.lastGiven)
	if want := "2026-03-02T23:30:00.0-05:00|2026-03-03T05:30:00.000Z|2026-03-02"; after != want {
		t.Errorf("after apply the row is %s, want %s", after, want)
	}
}

type ticketBodies struct {
	target[tickets.SetPriorityPayload, tickets.TicketState]
	db *sql.DB
}

func (b *ticketBodies) ApplySetPriority(ctx context.Context, c *tickets.SetPriorityChange) error {
	p := c.Payload
	if err := b.apply(p, nil); err != nil {
		return err
	}
	if p.Priority != tickets.SetPriorityPriorityUrgent {
		return runtime.NotApplied(runtime.Refuse("only urgent ones"))
	}
	return sqlop.ExecOne(ctx, b.db, `UPDATE tickets SET priority = ?, vote = ? WHERE id = ?`, p.Priority, p.Vote, p.ID)
}

func (b *ticketBodies) UndoSetPriority(ctx context.Context, c *tickets.SetPriorityApplied) error {
	return sqlop.ExecOne(ctx, b.db, `UPDATE tickets SET priority = ?, vote = ? WHERE id = ?`, c.Before.Priority, c.Before.Vote, c.Payload.ID)
}

func TestEnumsOfIntegersHaveConstants(t *testing.T) {
	t.Parallel()
	b := &ticketBodies{}
	w := start(t, `CREATE TABLE tickets (id INTEGER, priority INTEGER, vote INTEGER); INSERT INTO tickets VALUES (1, 4, NULL)`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			b.db = db
			return tickets.Register(server, guard, tickets.Config{Operations: b, Main: db})
		})
	now := func() string { return w.column(t, `SELECT priority || '|' || coalesce(vote, 'NULL') FROM tickets`) }
	_, after := trip{
		operation: "set_priority", summary: "Set ticket 1 to 1", payload: `{"id":1,"priority":1.0,"levels":[20,10],"sizes":{"a":8}}`,
		diff: []row{{"priority", "4", "1"}, {"vote", "", "0"}, {"levels", "", "[20,10]"}, {"sizes", "", `{"a":8}`}},
	}.make(t, w, now, b.lastGiven)
	if want := "1|0"; after != want {
		t.Errorf("after apply the row is %s, want %s", after, want)
	}
	for _, payload := range []string{`{"id":1,"priority":5}`, `{"id":1,"priority":"1"}`, `{"id":1,"priority":1.5}`} {
		if got := w.call(t, "preview_set_priority", payload); got.Code != "invalid_payload" {
			t.Errorf("%s: %+v, want invalid_payload", payload, got)
		}
	}
}

type tableBodies struct {
	target[tables.DropTablePayload, tables.DropTableState]
}

func (b *tableBodies) ObserveDropTable(context.Context, *tables.DropTablePayload) (*tables.DropTableState, error) {
	return b.observe()
}

func (b *tableBodies) ApplyDropTable(_ context.Context, c *tables.DropTableChange) error {
	return b.apply(c.Payload, nil)
}

func TestConstantsAreSaidWordForWord(t *testing.T) {
	t.Parallel()
	b := &tableBodies{}
	b.state = []byte(`{"kind":"table","rows":3}`)
	w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
		return tables.Register(server, guard, tables.Config{Operations: b})
	})
	for _, payload := range []string{
		`{"table":"t","confirm":"drop","version":2}`, `{"table":"t","confirm":"DROP","version":3}`,
		`{"table":"t","confirm":"DROP","version":2,"force":false}`,
	} {
		if got := w.call(t, "preview_drop_table", payload); got.Code != "invalid_payload" {
			t.Errorf("%s: %+v, want invalid_payload", payload, got)
		}
	}
	trip{
		operation: "drop_table", summary: "Drop t with 3 rows", payload: `{"table":"t","confirm":"DROP","version":2,"force":true}`, keeps: true,
		diff: []row{{"rows", "3", ""}, {"confirmation", "", `"DROP"`}, {"version", "", "2"}, {"mode", "", `"cascade"`}, {"force", "", "true"}},
	}.make(t, w, b.now, b.lastGiven)
}

type cellBodies struct {
	target[cells.SetCellPayload, cells.CellState]
	db *sql.DB
}

func (b *cellBodies) ApplySetCell(ctx context.Context, c *cells.SetCellChange) error {
	p := c.Payload
	if err := b.apply(p, nil); err != nil {
		return err
	}
	return sqlop.ExecOne(ctx, b.db, `UPDATE cells SET value = ?, rule = coalesce(?, rule) WHERE name = ?`, p.Value, p.Rule, p.Name)
}

func (b *cellBodies) UndoSetCell(ctx context.Context, c *cells.SetCellApplied) error {
	return sqlop.ExecOne(ctx, b.db, `UPDATE cells SET value = ?, rule = ? WHERE name = ?`, c.Before.Value, c.Before.Rule, c.Payload.Name)
}

func TestRawValuesAreAnyJSON(t *testing.T) {
	t.Parallel()
	b := &cellBodies{}
	w := start(t, `CREATE TABLE cells (name TEXT, value TEXT, rule TEXT); INSERT INTO cells VALUES ('A1', '"text"', NULL)`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			b.db = db
			return cells.Register(server, guard, cells.Config{Operations: b, Main: db})
		})
	now := func() string { return w.column(t, `SELECT value || '|' || coalesce(rule, 'NULL') FROM cells`) }
	for _, test := range []struct {
		payload, summary, after string
		diff                    []row
	}{
		{`{"name":"A1","value":null}`, "Write null to A1", "null|NULL", []row{{"value", `"text"`, "null"}}},
		{`{"name":"A1","value":"t"}`, `Write "t" to A1`, `"t"|NULL`, []row{{"value", `"text"`, `"t"`}}},
		{`{"name":"A1","value":false,"rule":"x"}`, `Write false to A1`, `false|"x"`, []row{{"value", `"text"`, "false"}, {"rule", "", `"x"`}}},
		{
			payload: `{"name":"A1","value":{"b":[12345678901234567890123.50],"a":{}},"rule":1.5,"keys":["a"],"range":["a",1],"anything":[],"mixed":[1,2],
				"options":{"x":null},"rows":[1,"2"],"tags":["a",1.0]}`,
			summary: `Write {"a":{},"b":[12345678901234567890123.5]} to A1`, after: `{"a":{},"b":[12345678901234567890123.5]}|1.5`,
			diff: []row{
				{"value", `"text"`, `{"a":{},"b":[12345678901234567890123.5]}`}, {"rule", "", "1.5"}, {"keys", "", `["a"]`}, {"range", "", `["a",1]`},
				{"anything", "", "[]"}, {"mixed", "", "[1,2]"}, {"options", "", `{"x":null}`}, {"rows", "", `[1,"2"]`}, {"tags", "", `["a",1]`},
			},
		},
	} {
		_, after := trip{operation: "set_cell", payload: test.payload, summary: test.summary, diff: test.diff}.make(t, w, now, b.lastGiven)
		if after != test.after {
			t.Errorf("%s: after apply the row is %s, want %s", test.payload, after, test.after)
		}
	}
}
