package drive_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	invoices "github.com/changesetgen/changesetgen/testdata/golden/list_nested/want"
	kinds "github.com/changesetgen/changesetgen/testdata/golden/state_kinds/want"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// thingColumns are the columns of a thing, and their values where all are there and where none is that need not be.
var thingColumns = []struct{ name, full, least string }{
	{"text", `'t'`, `''`}, {"at", `'2026-03-01T12:00:00.50+01:00'`, `''`}, {"count", `9007199254740993`, `0`},
	{"wide", `'1234567890123456789012345'`, `0`}, {"number", `'12345678901234567890.50'`, `0`}, {"float", `0.1`, `0`},
	{"yes", `1`, `0`}, {"word", `'a'`, `'b'`}, {"level", `1`, `2`},
	{"size", `'{"depth":null,"height":9007199254740993,"width":1.5}'`, `'{"width":0}'`},
	{"shape", `'{"is":"circle","radius":0.5}'`, `'{"is":"square","side":0}'`}, {"list", `'[1.5,null]'`, `'[]'`},
	{"map", `'{"a":0.10}'`, `'{}'`}, {"raw", `'{"a":[null]}'`, `NULL`},
	{"null_text", `'n'`, `NULL`}, {"null_level", `2`, `NULL`}, {"null_list", `'["a"]'`, `NULL`}, {"null_size", `'{"width":2}'`, `NULL`},
	{"null_shape", `'{"is":"square","side":2}'`, `NULL`}, {"null_raw", `'"r"'`, `NULL`},
	{"maybe_at", `'2026-03-01T12:00:00Z'`, `NULL`}, {"maybe_wide", `'18446744073709551616'`, `NULL`}, {"maybe_float", `2.5`, `NULL`},
	{"maybe_list", `'[]'`, `NULL`}, {"maybe_map", `'{}'`, `NULL`}, {"maybe_raw", `'null'`, `NULL`}, {"maybe_shape", `'{"is":"circle","radius":1}'`, `NULL`},
	{"either_text", `''`, `NULL`}, {"either_number", `0`, `NULL`}, {"either_list", `'[]'`, `NULL`}, {"either_size", `'{"width":3}'`, `NULL`},
	{"either_raw", `7`, `NULL`},
}

const (
	fullThing = `{"at":"2026-03-01T12:00:00.50+01:00","count":9007199254740993,"either_list":[],"either_number":0,"either_raw":7,` +
		`"either_size":{"width":3},"either_text":"","float":0.1,"level":1,"list":[1.5,null],"map":{"a":0.1},"maybe_at":"2026-03-01T12:00:00Z",` +
		`"maybe_float":2.5,"maybe_list":[],"maybe_map":{},"maybe_raw":null,"maybe_shape":{"is":"circle","radius":1},"maybe_wide":18446744073709551616,` +
		`"null_level":2,"null_list":["a"],"null_raw":"r","null_shape":{"is":"square","side":2},"null_size":{"width":2},"null_text":"n",` +
		`"number":12345678901234567890.5,"raw":{"a":[null]},"shape":{"is":"circle","radius":0.5},` +
		`"size":{"depth":null,"height":9007199254740993,"width":1.5},"text":"t","wide":1234567890123456789012345,"word":"a","yes":true}`
	leastThing = `{"at":"","count":0,"either_list":null,"either_number":null,"either_size":null,"either_text":null,"float":0,"level":2,"list":[],` +
		`"map":{},"null_level":null,"null_list":null,"null_raw":null,"null_shape":null,"null_size":null,"null_text":null,"number":0,"raw":null,` +
		`"shape":{"is":"square","side":0},"size":{"width":0},"text":"","wide":0,"word":"b","yes":false}`
)

type thingBodies struct {
	target[kinds.RemoveThingPayload, kinds.ThingState]
	db *sql.DB
}

func (b *thingBodies) ApplyRemoveThing(ctx context.Context, c *kinds.RemoveThingChange) error {
	if err := b.apply(c.Payload, nil); err != nil {
		return err
	}
	return sqlop.ExecOne(ctx, b.db, `DELETE FROM things WHERE id = ?`, c.Payload.ID)
}

func (b *thingBodies) UndoRemoveThing(ctx context.Context, c *kinds.RemoveThingApplied) error {
	s := c.Before
	names := []string{"id"}
	for _, column := range thingColumns {
		names = append(names, column.name)
	}
	return sqlop.ExecOne(ctx, b.db, `INSERT INTO things (`+strings.Join(names, ", ")+`) VALUES (?`+strings.Repeat(", ?", len(thingColumns))+`)`,
		c.Payload.ID, s.Text, s.At, s.Count, s.Wide, s.Number, s.Float, s.Yes, s.Word, s.Level, s.Size, s.Shape, s.List, s.Map, s.Raw,
		s.NullText, s.NullLevel, s.NullList, s.NullSize, s.NullShape, s.NullRaw,
		s.MaybeAt, s.MaybeWide, s.MaybeFloat, s.MaybeList, s.MaybeMap, s.MaybeRaw, s.MaybeShape,
		s.EitherText, s.EitherNumber, s.EitherList, s.EitherSize, s.EitherRaw)
}

func TestColumnsOfEveryKindAreReadAndPutBack(t *testing.T) {
	t.Parallel()
	var names, full, least []string
	for _, column := range thingColumns {
		names, full, least = append(names, column.name), append(full, column.full), append(least, column.least)
	}
	b := &thingBodies{}
	w := start(t, fmt.Sprintf("CREATE TABLE things (id INTEGER, %s); INSERT INTO things VALUES (1, %s), (2, %s)",
		strings.Join(names, ", "), strings.Join(full, ", "), strings.Join(least, ", ")),
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			b.db = db
			return kinds.Register(server, guard, kinds.Config{Operations: b, Main: db})
		})
	for _, test := range []struct {
		id, summary string
		diff        []row
	}{
		{"1", `Remove 1, , [], {"is":"circle","radius":0.5}`, []row{
			{"thing", fullThing, ""}, {"width", "3", ""}, {"depth", "", ""}, {"number", "0", ""}, {"raw", "null", ""}, {"map", "{}", ""},
		}},
		{"2", `Remove 2, (none), (none), {"is":"square","side":0}`, []row{
			{"thing", leastThing, ""}, {"width", "", ""}, {"depth", "", ""}, {"number", "null", ""}, {"raw", "", ""}, {"map", "", ""},
		}},
	} {
		// What is put back reads as what was there, though numbers and raw JSON may be stored in another way.
		seen := func() string {
			got := w.call(t, "preview_remove_thing", `{"id":`+test.id+`}`)
			if len(got.Diff) == 0 {
				return got.Code
			}
			return got.Diff[0].Before
		}
		_, after := trip{operation: "remove_thing", payload: `{"id":` + test.id + `}`, summary: test.summary, diff: test.diff}.make(t, w, seen, b.lastGiven)
		if after != "not_found" {
			t.Errorf("%s: after apply there is %s", test.id, after)
		}
	}
}

// invoiceBodies settle invoices by clearing their totals.
type invoiceBodies struct {
	target[invoices.SettleInvoicesPayload, invoices.OpenInvoicesState]
	db *sql.DB
}

func (b *invoiceBodies) ApplySettleInvoices(ctx context.Context, c *invoices.SettleInvoicesChange) error {
	if err := b.apply(c.Payload, nil); err != nil {
		return err
	}
	for _, invoice := range *c.State {
		if err := sqlop.ExecOne(ctx, b.db, `UPDATE invoices SET total = 0, tags = NULL WHERE id = ?`, invoice.ID); err != nil {
			return err
		}
	}
	return nil
}

func (b *invoiceBodies) UndoSettleInvoices(ctx context.Context, c *invoices.SettleInvoicesApplied) error {
	for _, invoice := range *c.Before {
		if err := sqlop.ExecOne(ctx, b.db, `UPDATE invoices SET total = ?, tags = ? WHERE id = ?`, invoice.Total, invoice.Tags, invoice.ID); err != nil {
			return err
		}
	}
	return nil
}

func TestListedRowsHoldNestedValues(t *testing.T) {
	t.Parallel()
	b := &invoiceBodies{}
	w := start(t, `CREATE TABLE invoices (id INTEGER, total TEXT, customer TEXT, lines TEXT, due TEXT, tags TEXT, customer_id TEXT);
		INSERT INTO invoices VALUES (2, '12345678901234567890.5', '{"name":"A","vat":null}', '[{"what":"x","price":0.1,"count":2}]', NULL, '{"k":"v"}', 'a'),
			(1, '1', '{"name":"A"}', '[]', '2026-03-01T12:00:00Z', NULL, 'a')`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			b.db = db
			return invoices.Register(server, guard, invoices.Config{Operations: b, Main: db})
		})
	now := func() string {
		return w.column(t, `SELECT group_concat(total || coalesce(tags, 'NULL')) FROM invoices`)
	}
	const rows = `[{"customer":{"name":"A"},"due":"2026-03-01T12:00:00Z","id":1,"lines":[],"total":1},` +
		`{"customer":{"name":"A","vat":null},"due":null,"id":2,"lines":[{"count":2,"price":0.1,"what":"x"}],"tags":{"k":"v"},"total":12345678901234567890.5}]`
	trip{
		operation: "settle_invoices", payload: `{"customer":"a"}`, summary: "Settle the invoices of a",
		diff: []row{{"open invoices", rows, rows}},
	}.make(t, w, now, b.lastGiven)

	previewed := w.call(t, "preview_settle_invoices", `{"customer":"a"}`)
	_, err := w.db.Exec(`UPDATE invoices SET tags = NULL, lines = '[{"what":"x","price":0.2}]' WHERE id = 2`)
	check(t, "change a row", err)
	refused := w.apply(t, "settle_invoices", previewed)
	want := []row{{"/1/lines/0/count", "2", ""}, {"/1/lines/0/price", "0.1", "0.2"}, {"/1/tags", `{"k":"v"}`, ""}}
	if diff := cmp.Diff(want, refused.Changed); diff != "" || refused.Code != "state_changed" {
		t.Errorf("%+v, changed (-want +got):\n%s", refused, diff)
	}
	if got := w.call(t, "preview_settle_invoices", `{"customer":"none"}`); got.Status != "preview" || len(got.Diff) != 1 || got.Diff[0].Before != "" {
		t.Errorf("no invoices: %+v", got)
	}
}
