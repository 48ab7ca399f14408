package drive_test

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	flags "github.com/changesetgen/changesetgen/testdata/golden/absent/want"
	notes "github.com/changesetgen/changesetgen/testdata/golden/create/want"
	files "github.com/changesetgen/changesetgen/testdata/golden/delete/want"
	tasks "github.com/changesetgen/changesetgen/testdata/golden/list/want"
	issues "github.com/changesetgen/changesetgen/testdata/golden/observe_go/want"
	products "github.com/changesetgen/changesetgen/testdata/golden/product/want"
	profiles "github.com/changesetgen/changesetgen/testdata/golden/rename/want"
	shop "github.com/changesetgen/changesetgen/testdata/golden/shared_tools/want"
	catalogue "github.com/changesetgen/changesetgen/testdata/golden/types/want"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The hand-written bodies that a test does not call are nil.
type (
	flagsBodies     struct{ flags.Operations }
	notesBodies     struct{ notes.Operations }
	filesBodies     struct{ files.Operations }
	tasksBodies     struct{ tasks.Operations }
	issuesBodies    struct{ issues.Operations }
	productsBodies  struct{ products.Operations }
	profilesBodies  struct{ profiles.Operations }
	shopBodies      struct{ shop.Operations }
	catalogueBodies struct{ catalogue.Operations }
)

// Those of the examples are registered by their own server.
func TestEveryGeneratedPackageRegistersOnOneServer(t *testing.T) {
	t.Parallel()
	w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
		for _, err := range []error{
			flags.Register(server, guard, flags.Config{Operations: flagsBodies{}, Main: db}),
			notes.Register(server, guard, notes.Config{Operations: notesBodies{}, Main: db}),
			files.Register(server, guard, files.Config{Operations: filesBodies{}, Main: db}),
			tasks.Register(server, guard, tasks.Config{Operations: tasksBodies{}, Main: db}),
			issues.Register(server, guard, issues.Config{Operations: issuesBodies{}}),
			products.Register(server, guard, products.Config{Operations: productsBodies{}, Main: db}),
			profiles.Register(server, guard, profiles.Config{Operations: profilesBodies{}, Main: db}),
			shop.Register(server, guard, shop.Config{Operations: shopBodies{}, OrdersDB: db, Archive: db}),
			catalogue.Register(server, guard, catalogue.Config{Operations: catalogueBodies{}, Main: db}),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	var names []string
	for tool, err := range w.client.Tools(t.Context(), nil) {
		check(t, "list tools", err)
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	want := []string{
		"apply_change", "apply_close_issue", "apply_close_tasks", "apply_create_note", "apply_lock_issue", "apply_notify",
		"apply_purge_file", "apply_put_flag", "apply_rename_profile", "apply_trash_file",
		"apply_update_entry", "apply_update_product", "get_change_status",
		"preview_close_issue", "preview_close_tasks", "preview_create_note", "preview_lock_issue", "preview_notify",
		"preview_purge_file", "preview_put_flag", "preview_rename_profile", "preview_trash_file",
		"preview_update_entry", "preview_update_product",
		"shop_preview_archive_order", "shop_preview_cancel_order", "shop_preview_refund_order",
		"undo_change", "undo_close_issue", "undo_close_tasks", "undo_create_note", "undo_lock_issue", "undo_put_flag",
		"undo_rename_profile", "undo_trash_file", "undo_update_entry", "undo_update_product",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

func TestRegisterNamesTheMissingFieldOfItsConfig(t *testing.T) {
	t.Parallel()
	tests := []struct {
		config shop.Config
		want   error
	}{
		{shop.Config{}, runtime.MissingConfig("Operations")},
		{shop.Config{Operations: shopBodies{}}, runtime.MissingConfig("OrdersDB")},
		{shop.Config{Operations: shopBodies{}, OrdersDB: new(sql.DB)}, runtime.MissingConfig("Archive")},
	}
	for _, test := range tests {
		got := shop.Register(nil, nil, test.config)
		if got == nil || got.Error() != test.want.Error() {
			t.Errorf("Register() = %v, want %v", got, test.want)
		}
	}
}

// productBodies writes products, on the version that was looked at.
type productBodies struct{ db *sql.DB }

const writeProduct = `UPDATE products SET name = ?, amount = ?, price = ?, active = ?, tags = ?, kind = ?, note = ?, version = version + 1
	WHERE id = ? AND version = ?`

func (b productBodies) ApplyUpdateProduct(ctx context.Context, c *products.UpdateProductChange) (*products.UpdateProductResult, error) {
	p := c.Payload
	err := sqlop.ExecOne(ctx, b.db, writeProduct, p.Name, p.Amount, p.Price, p.Active, p.Tags, p.Kind, p.Note, p.ID, c.State.Version)
	return &products.UpdateProductResult{Version: c.State.Version + 1}, err
}

func (b productBodies) UndoUpdateProduct(ctx context.Context, c *products.UpdateProductApplied) error {
	s := c.Before
	return sqlop.ExecOne(ctx, b.db, writeProduct, s.Name, s.Amount, s.Price, s.Active, s.Tags, s.Kind, s.Note, c.Payload.ID, c.After.Version)
}

func TestGeneratedOperationKeepsEveryDigitThroughPreviewApplyAndUndo(t *testing.T) {
	t.Parallel()
	// The integers differ by less than a float64 can tell at their size, and the price has more digits than one has.
	const (
		before = `VALUES ('p1', 'Lamp', 9007199254740993, '12345678901234567890.12', 1, '["a","b"]', 'goods', NULL, 9007199254740993)`
		query  = `SELECT name || '|' || amount || '|' || price || '|' || active || '|' || tags || '|' || kind || '|' || coalesce(note, 'NULL') FROM products`
		asWas  = `Lamp|9007199254740993|12345678901234567890.12|1|["a","b"]|goods|NULL`
	)
	w := start(t, `CREATE TABLE products (id TEXT, name TEXT, amount INTEGER, price TEXT, active INTEGER, tags TEXT, kind TEXT, note TEXT, version INTEGER);
		INSERT INTO products `+before,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			return products.Register(server, guard, products.Config{Operations: productBodies{db}, Main: db})
		})

	previewed := w.call(t, "preview_update_product", `{"id": "p1", "name": "Lamp", "amount": 9007199254740995,
		"price": 12345678901234567890.13, "active": true, "tags": [], "kind": "goods", "note": "new"}`)
	wantDiff := []row{
		{"name", `"Lamp"`, `"Lamp"`},
		{"amount", "9007199254740993", "9007199254740995"},
		{"price", "12345678901234567890.12", "12345678901234567890.13"},
		{"active", "true", "true"},
		{"tags", `["a","b"]`, `[]`},
		{"kind", `"goods"`, `"goods"`},
		{"note", "null", `"new"`},
	}
	if diff := cmp.Diff(wantDiff, previewed.Diff); diff != "" {
		t.Errorf("diff (-want +got):\n%s", diff)
	}
	if got := w.column(t, query); got != asWas {
		t.Errorf("after preview the row is %s, want %s", got, asWas)
	}

	applied := w.apply(t, "update_product", previewed)
	if applied.Status != "applied" || string(applied.Result) != `{"version":9007199254740994}` {
		t.Fatalf("apply: %+v", applied)
	}
	const asAsked = `Lamp|9007199254740995|12345678901234567890.13|1|[]|goods|new`
	if got := w.column(t, query); got != asAsked {
		t.Errorf("after apply the row is %s, want %s", got, asAsked)
	}

	if undone := w.undo(t, "update_product", applied); undone.Status != "undone" {
		t.Fatalf("undo: %+v", undone)
	}
	if got := w.column(t, query); got != asWas {
		t.Errorf("after undo the row is %s, want %s", got, asWas)
	}
}

// What the payload leaves out asks for nothing, and has no row.
func TestGeneratedDiffTellsAbsentFromNull(t *testing.T) {
	t.Parallel()
	w := start(t, `CREATE TABLE entries (id INTEGER, price TEXT, kind TEXT, note TEXT, tags TEXT, size INTEGER, ratio TEXT, visible INTEGER,
			remark TEXT, list_price TEXT, extras TEXT, width INTEGER);
		INSERT INTO entries VALUES (1, '{"amount":2.50,"currency":"EUR"}', 'goods', NULL, '["a"]', NULL, '0.10', 1, NULL, NULL, '[1.0]', 7)`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			return catalogue.Register(server, guard, catalogue.Config{Operations: catalogueBodies{}, Main: db})
		})
	const absent, null = "", "null"
	tests := []struct {
		name, payload, summary string
		want                   []row
	}{
		{
			name: "little", payload: `{"id": 1, "status": "50%", "labels": null}`,
			summary: "Entry 1: 50%, (none), (none), costs ${5} at 100%",
			want: []row{
				{"note", null, absent}, {"labels", absent, null}, {"ratio", "0.1", "1.5"}, {"remark", absent, absent},
				{"visible", "true", "true"},
			},
		},
		{
			name: "all", summary: "Entry 1: won't fix, mm, [\"a\"], costs ${5} at 100%",
			payload: `{"id": 1, "status": "won't fix", "labels": [], "price": {"amount": 3, "currency": "USD"}, "ratio": 2, "tags": ["a"],
				"size": {"width": 7, "height": 9007199254740993, "box": {"unit": "mm"}}, "steps": [{"name": "s", "done": null}]}`,
			want: []row{
				{"price", `{"amount":2.5,"currency":"EUR"}`, `{"amount":3,"currency":"USD"}`}, {"amount", "2.5", "3"}, {"note", null, absent},
				{"labels", absent, "[]"}, {"tags", `["a"]`, `["a"]`}, {"ratio", "0.1", "2"}, {"unit", absent, `"mm"`}, {"box", absent, `{"unit":"mm"}`},
				{"height", null, "9007199254740993"}, {"remark", absent, absent}, {"visible", "true", "true"}, {"width", absent, "7"},
				{"steps", absent, `[{"done":null,"name":"s"}]`},
			},
		},
	}
	for _, test := range tests {
		got := w.call(t, "preview_update_entry", test.payload)
		if got.Status != "preview" {
			t.Errorf("%s: %+v", test.name, got)
			continue
		}
		if diff := cmp.Diff(test.want, got.Diff); diff != "" {
			t.Errorf("%s: diff (-want +got):\n%s", test.name, diff)
		}
		if got.Summary != test.summary {
			t.Errorf("%s: summary is %q, want %q", test.name, got.Summary, test.summary)
		}
	}
	// Where the optional parameter is there, it is part of the query.
	got := w.call(t, "preview_update_entry", `{"id": 1, "status": "50%", "labels": null, "size": {"width": 8}}`)
	if got.Code != "not_found" {
		t.Errorf("another width: %+v, want not_found", got)
	}
}

func TestGeneratedUpsertShowsAnAbsentStateAsNoValue(t *testing.T) {
	t.Parallel()
	w := start(t, `CREATE TABLE flags (name TEXT, enabled INTEGER, owner TEXT);
		INSERT INTO flags VALUES ('old', 1, '{"name":"Ada"}')`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			return flags.Register(server, guard, flags.Config{Operations: flagsBodies{}, Main: db})
		})
	for name, want := range map[string][]row{
		"new": {{"enabled", "", "false"}, {"owner", "", ""}, {"team", "", ""}},
		"old": {{"enabled", "true", "false"}, {"owner", `{"name":"Ada"}`, `{"name":"Ada"}`}, {"team", "", ""}},
	} {
		got := w.call(t, "preview_put_flag", `{"name": "`+name+`", "enabled": false}`)
		if diff := cmp.Diff(want, got.Diff); diff != "" || got.Status != "preview" {
			t.Errorf("%s: %+v, diff (-want +got):\n%s", name, got, diff)
		}
	}
}

func TestGeneratedListShowsEveryRow(t *testing.T) {
	t.Parallel()
	w := start(t, `CREATE TABLE tasks (id INTEGER, title TEXT, due TEXT, weight NUMERIC, project TEXT);
		INSERT INTO tasks VALUES (2, 'b', NULL, 0.5, 'p'), (1, 'a', '2030-01-01', 3, 'p'), (3, 'c', NULL, 1, 'other')`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			return tasks.Register(server, guard, tasks.Config{Operations: tasksBodies{}, Main: db})
		})
	got := w.call(t, "preview_close_tasks", `{"project": "p"}`)
	want := []row{{Field: "open tasks", Before: `[{"due":"2030-01-01","id":1,"title":"a","weight":3},{"due":null,"id":2,"title":"b","weight":0.5}]`}}
	if diff := cmp.Diff(want, got.Diff); diff != "" {
		t.Errorf("%+v, diff (-want +got):\n%s", got, diff)
	}
	if got := w.call(t, "preview_close_tasks", `{"project": "none"}`); got.Code != "not_found" {
		t.Errorf("no tasks: %+v, want not_found", got)
	}
}

// forgetfulBodies write and return no result.
type forgetfulBodies struct{ notes.Operations }

func (forgetfulBodies) ApplyCreateNote(context.Context, *notes.CreateNoteChange) (*notes.CreateNoteResult, error) {
	return nil, nil
}

func TestGeneratedLookByAResultThatIsMissingIsAStatedError(t *testing.T) {
	t.Parallel()
	w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
		return notes.Register(server, guard, notes.Config{Operations: forgetfulBodies{}, Main: db})
	})
	w.apply(t, "create_note", w.call(t, "preview_create_note", `{"title": "Milk"}`))
	if log := w.log.String(); strings.Contains(log, "panic") || !strings.Contains(log, runtime.ErrNoResult.Error()) {
		t.Errorf("the log does not say %q:\n%s", runtime.ErrNoResult, log)
	}
}
