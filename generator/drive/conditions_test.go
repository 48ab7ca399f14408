package drive_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	conditions "github.com/changesetgen/changesetgen/testdata/golden/conditions/want"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// conditionsBodies panic when they run, which leaves an apply in doubt.
type conditionsBodies struct{ conditions.Operations }

// values are a thing's, by property, as JSON writes them, or a row's, as SQL does.
type values map[string]string

// with is a copy with other values; "" takes one out.
func (v values) with(other values) values {
	all := maps.Clone(v)
	maps.Copy(all, other)
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

// payload is what a thing is as a payload.
func (v values) payload(t *testing.T) string {
	t.Helper()
	thing := map[string]json.RawMessage{}
	for name, value := range v {
		thing[name] = json.RawMessage(value)
	}
	raw, err := json.Marshal(map[string]any{"thing": thing})
	check(t, "write the payload", err)
	return string(raw)
}

// insert makes the row that is looked at.
func (v values) insert(t *testing.T, db *sql.DB) {
	t.Helper()
	names := slices.Sorted(maps.Keys(v))
	row := make([]string, len(names))
	for i, name := range names {
		row[i] = v[name]
	}
	_, err := db.ExecContext(t.Context(), fmt.Sprintf("INSERT INTO things (%s) VALUES (%s)", strings.Join(names, ", "), strings.Join(row, ", ")))
	check(t, "insert", err)
}

const thingsTable = `CREATE TABLE things (text TEXT, status TEXT, level INTEGER, count INTEGER, wide TEXT, price TEXT, ratio REAL, live BOOLEAN,
	cleared TEXT, note TEXT, flag BOOLEAN, phase TEXT, maybe TEXT, sum TEXT, tags TEXT, size TEXT, box TEXT)`

var (
	smallThing = values{"text": `"a"`, "status": `"open"`, "level": "1", "count": "5", "wide": "7", "price": "1.5", "ratio": "2.5", "live": "false", "cleared": `"c"`}
	smallRow   = values{"text": `'b'`, "status": `'closed'`, "level": "20", "count": "6", "wide": "'8'", "price": "'3'", "ratio": "4.5", "live": "0", "cleared": "'d'"}
)

// conditionCase is a row and a payload, and whether both conditions of an operation hold of them: the one under which a
// person is asked, and the one that tells that an apply in doubt was done.
type conditionCase struct {
	operation  string
	row, thing values // what differs from the least ones
	asks, done bool
}

var conditionCases = []conditionCase{
	{"text", values{"text": "'a'"}, nil, true, false},
	{"text", values{"text": `'it''s "so"'`}, nil, false, true},
	{"text", nil, nil, false, false},
	{"enum_as_text", values{"text": "'open'"}, nil, true, true},
	{"enum_as_text", nil, nil, false, false},
	{"enum", values{"status": "'open'"}, nil, true, false},
	{"enum", nil, nil, false, true},
	{"level", values{"level": "1"}, values{"count": "1"}, true, false},
	{"level", nil, nil, false, true},
	{"count", values{"count": "5"}, nil, true, false},
	{"count", values{"count": "-3"}, nil, false, true},
	{"count", values{"count": "9007199254740993"}, values{"count": "9007199254740992"}, false, false},
	{"count_and_price", values{"count": "9007199254740993", "wide": "'12'"}, values{"price": "9007199254740993.0"}, true, true},
	{"count_and_price", values{"count": "9007199254740993"}, values{"price": "9007199254740992"}, false, false},
	{"price", values{"price": "'1.50'"}, nil, true, false},
	{"price", values{"price": "'2.5'"}, nil, false, true},
	{"ratio", values{"ratio": "0.5"}, nil, true, false},
	{"ratio", values{"ratio": "1.0"}, nil, false, true},
	{"live", nil, nil, false, true},
	{"live", values{"live": "1"}, nil, true, false},
	{"flag", nil, nil, false, false},
	{"flag", values{"flag": "1"}, nil, true, false},
	{"flag", values{"flag": "0"}, nil, false, true},
	{"live_and_flag", nil, nil, false, false},
	{"live_and_flag", nil, values{"flag": "false"}, true, false},
	{"note", nil, nil, false, false}, // absent on both sides
	{"note", values{"note": "'done'"}, nil, false, true},
	{"note", values{"note": "'x'"}, values{"note": `"x"`}, true, false},
	{"note", nil, values{"note": `"x"`}, false, false},
	{"note_or_none", nil, nil, true, false},
	{"note_or_none", values{"note": "'a'"}, nil, false, true},
	{"phase", nil, nil, false, false},
	{"phase", values{"phase": "'old'"}, values{"phase": `"old"`}, true, true},
	{"cleared", values{"cleared": "'a'"}, nil, false, true},
	{"cleared", values{"cleared": "NULL"}, values{"cleared": "null"}, true, false},
	{"cleared", values{"cleared": "NULL"}, nil, false, false},
	{"cleared", nil, values{"cleared": "null"}, false, false},
	{"cleared_or_not", values{"cleared": "NULL"}, nil, true, true},
	{"cleared_or_not", values{"tags": "'[]'"}, nil, false, false},
	{"maybe", values{"maybe": "'x'"}, nil, false, true},
	{"maybe", values{"maybe": "'x'"}, values{"maybe": `"x"`}, true, true},
	{"maybe", nil, nil, false, false},
	{"maybe_and_cleared", values{"maybe": "'c'"}, values{"note": `"c"`}, true, true},
	{"maybe_and_cleared", values{"maybe": "'c'"}, values{"cleared": "null"}, false, false},
	{"maybe_or_none", nil, nil, true, false},
	{"maybe_or_none", values{"maybe": "'x'", "sum": "'1000.0'"}, nil, false, true},
	{"unit", nil, nil, false, true},
	{"unit", values{"size": `'{"unit":"kg"}'`}, nil, true, false},
	{"unit", values{"size": `'{"unit":"g"}'`}, nil, false, false},
	{"depth", values{"size": `'{"unit":"kg"}'`}, values{"size": `{"unit":"kg"}`}, false, true}, // absent is not null
	{"depth", values{"size": `'{"unit":"kg","depth":null}'`}, values{"size": `{"unit":"g","depth":null}`}, true, true},
	{"depth", values{"size": `'{"unit":"kg","depth":"x"}'`}, values{"size": `{"unit":"g","depth":"x"}`}, true, false},
	{"depth", values{"size": `'{"unit":"kg","depth":"x"}'`}, nil, false, false},
	{"box", values{"box": `'{"unit":"kg"}'`}, values{"size": `{"unit":"kg"}`, "box": `{"unit":"kg"}`}, true, true},
	{"box", nil, values{"size": `{"unit":"kg"}`, "box": "null"}, false, false},
}

// startConditions serves operations whose bodies leave every apply in doubt.
func startConditions(t *testing.T) (w *world, guard *runtime.Guard) {
	t.Helper()
	w = start(t, thingsTable, func(server *mcp.Server, g *runtime.Guard, db *sql.DB) error {
		guard = g
		return conditions.Register(server, g, conditions.Config{Operations: conditionsBodies{}, Main: db})
	})
	return w, guard
}

// inDoubt previews and applies without a row, for which no condition holds.
func inDoubt(t *testing.T, w *world, operation, payload string) answer {
	t.Helper()
	previewed := w.call(t, "preview_"+operation, payload)
	if previewed.Approval != "token" {
		t.Fatalf("without a state, %s is previewed as %+v", operation, previewed)
	}
	if applied := w.apply(t, operation, previewed); applied.Code != "in_doubt" {
		t.Fatalf("%s is applied as %+v", operation, applied)
	}
	return previewed
}

func TestConditionsHoldOfWhatIsThereAndEqual(t *testing.T) {
	t.Parallel()
	w, guard := startConditions(t)
	for _, test := range conditionCases {
		_, err := w.db.ExecContext(t.Context(), "DELETE FROM things")
		check(t, "delete", err)
		payload := smallThing.with(test.thing).payload(t)
		doubtful := inDoubt(t, w, test.operation, payload)
		smallRow.with(test.row).insert(t, w.db)

		verdict, err := guard.Reconcile(t.Context(), doubtful.ChangeID)
		check(t, "reconcile "+test.operation, err)
		if (verdict == runtime.Done) != test.done {
			t.Errorf("%s of %v and %v: the verdict is %d, want done: %v", test.operation, test.row, test.thing, verdict, test.done)
		}
		asked := w.call(t, "preview_"+test.operation, payload).Approval
		if (asked == "operator") != test.asks || asked == "" {
			t.Errorf("%s of %v and %v: the approval is %q, want that of an operator: %v", test.operation, test.row, test.thing, asked, test.asks)
		}
	}
}

func TestDoneWhenNothingIsFoundAnyMore(t *testing.T) {
	t.Parallel()
	w, guard := startConditions(t)
	smallRow.insert(t, w.db)
	doubtful := inDoubt(t, w, "live_and_flag", smallThing.payload(t))
	_, err := w.db.ExecContext(t.Context(), "DELETE FROM things")
	check(t, "delete", err)
	if verdict, err := guard.Reconcile(t.Context(), doubtful.ChangeID); err != nil || verdict != runtime.Done {
		t.Errorf("the verdict is %d (%v), want done", verdict, err)
	}
}
