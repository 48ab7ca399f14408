package sqlop_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	"github.com/google/go-cmp/cmp"
)

// readOne reads the column v of a query with one row.
func readOne[T any](ctx context.Context, db sqlop.Queryer, query string, of func(string, *T) sqlop.Column) (T, error) {
	var v T
	found, err := sqlop.One(ctx, db, query, nil, of("v", &v))
	if err == nil && !found {
		return v, errors.New("no row was found")
	}
	return v, err
}

// reading is a value of a database and what a column makes of it.
type reading[T any] struct {
	query string // in SQLite; its column is v
	value any    // of a driver, where there is no query
	want  T
	flaw  string // part of the error, if it is one
}

func expectReadings[T any](t *testing.T, of func(string, *T) sqlop.Column, readings []reading[T]) {
	t.Helper()
	real := sqliteDB(t,
		"CREATE TABLE kinds (price NUMERIC, day DATE, flag BOOLEAN, real REAL, text TEXT)",
		"INSERT INTO kinds VALUES ('10.10', '2026-03-29', TRUE, 1e6, 5)")
	for _, r := range readings {
		db := real
		if r.query == "" {
			db = (&fake{value: r.value}).db(t)
		}
		got, err := readOne(t.Context(), db, r.query, of)
		if r.flaw != "" {
			expectFlaw(t, r.query, err, r.flaw)
			continue
		}
		if err != nil {
			t.Errorf("%s %v: %v", r.query, r.value, err)
		}
		if diff := cmp.Diff(r.want, got); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", r.query, r.value, diff)
		}
	}
}

// expectFlaw expects an error that names the column, what is wrong, and what to do.
func expectFlaw(t *testing.T, query string, err error, flaw string) {
	t.Helper()
	var found *sqlop.ColumnError
	switch {
	case !errors.As(err, &found):
		t.Errorf("%s: error %v, want a ColumnError", query, err)
	case found.Column == "" || found.Advice == "":
		t.Errorf("%s: %+v lacks a column or advice", query, found)
	case !strings.Contains(found.Flaw, flaw):
		t.Errorf("%s: flaw %q, want %q in it", query, found.Flaw, flaw)
	}
}

func TestIntegerReadsWholeNumbersExactly(t *testing.T) {
	t.Parallel()
	expectReadings(t, sqlop.Integer[int64], []reading[int64]{
		{query: "SELECT 9007199254740993 AS v", want: 9007199254740993},
		{query: "SELECT -9223372036854775808 AS v", want: math.MinInt64},
		{query: "SELECT 1e6 AS v", want: 1000000},
		{query: "SELECT real AS v FROM kinds", want: 1000000},
		{query: "SELECT -0.0 AS v", want: 0},
		{query: "SELECT '9223372036854775807' AS v", want: math.MaxInt64},
		{query: "SELECT '1e3' AS v", want: 1000},
		{query: "SELECT '10.00' AS v", want: 10},
		{value: []byte("42"), want: 42},
		{query: "SELECT 9007199254740994.0 AS v", flaw: "the float 9.007199254740994e+15"},
		{query: "SELECT 1.5 AS v", flaw: "the float 1.5"},
		{query: "SELECT 9e999 AS v", flaw: "the float +Inf"},
		{query: "SELECT '9223372036854775808' AS v", flaw: `the text "9223372036854775808"`},
		{query: "SELECT '1.5' AS v", flaw: `the text "1.5"`},
		{query: "SELECT '' AS v", flaw: `the text ""`},
		{query: "SELECT x'00ff' AS v", flaw: `the bytes "\x00\xff"`},
		{query: "SELECT NULL AS v", flaw: "is NULL"},
		{value: true, flaw: "the boolean true"},
		{value: math.NaN(), flaw: "the float NaN"},
	})
}

func TestNumberReadsDecimalsExactly(t *testing.T) {
	t.Parallel()
	expectReadings(t, sqlop.Number, []reading[json.Number]{
		{query: "SELECT price AS v FROM kinds", want: "10.1"},
		{query: "SELECT '10.10' AS v", want: "10.1"},
		{query: "SELECT 9007199254740993 AS v", want: "9007199254740993"},
		{query: "SELECT 0.1 AS v", want: "0.1"},
		{query: "SELECT -0.0 AS v", want: "0"},
		{query: "SELECT 1e21 AS v", want: "1000000000000000000000"},
		{query: "SELECT '123456789012345678901234567890.123456789' AS v", want: "123456789012345678901234567890.123456789"},
		{value: []byte("-1.50"), want: "-1.5"},
		{query: "SELECT 9e999 AS v", flaw: "the float +Inf"},
		{query: "SELECT 'NaN' AS v", flaw: `the text "NaN"`},
		{query: "SELECT '1,5' AS v", flaw: `the text "1,5"`},
		{query: "SELECT '1e999999' AS v", flaw: `the text "1e999999"`},
		{query: "SELECT NULL AS v", flaw: "is NULL"},
		{value: false, flaw: "the boolean false"},
	})
}

type level int64

func TestIntegerReadsANamedType(t *testing.T) {
	t.Parallel()
	expectReadings(t, sqlop.Integer[level], []reading[level]{
		{query: "SELECT -3 AS v", want: -3},
		{query: "SELECT 'low' AS v", flaw: `the text "low"`},
	})
}

func TestWideIntegerReadsEveryDigit(t *testing.T) {
	t.Parallel()
	expectReadings(t, sqlop.WideInteger, []reading[json.Number]{
		{query: "SELECT '1234567890123456789012345' AS v", want: "1234567890123456789012345"},
		{query: "SELECT 9223372036854775807 AS v", want: "9223372036854775807"},
		{query: "SELECT 1e6 AS v", want: "1000000"},
		{query: "SELECT '-1.0e3' AS v", want: "-1000"},
		{value: []byte("18446744073709551616"), want: "18446744073709551616"},
		{query: "SELECT 1e20 AS v", flaw: "the float 1e+20"},
		{query: "SELECT 1.5 AS v", flaw: "the float 1.5"},
		{query: "SELECT '0.5' AS v", flaw: `the text "0.5"`},
		{query: "SELECT NULL AS v", flaw: "is NULL"},
	})
}

func TestFloatReadsWhatItGivesBack(t *testing.T) {
	t.Parallel()
	expectReadings(t, sqlop.Float, []reading[float64]{
		{query: "SELECT 0.1 AS v", want: 0.1},
		{query: "SELECT 1e300 AS v", want: 1e300},
		{query: "SELECT 9007199254740992 AS v", want: 1 << 53},
		{query: "SELECT '10.10' AS v", want: 10.1},
		{query: "SELECT 9007199254740993 AS v", flaw: "the integer 9007199254740993"},
		{query: "SELECT '0.10000000000000000001' AS v", flaw: `the text "0.10000000000000000001"`},
		{query: "SELECT 9e999 AS v", flaw: "the float +Inf"},
		{query: "SELECT NULL AS v", flaw: "is NULL"},
	})
}

func TestRawReadsAnyJSON(t *testing.T) {
	t.Parallel()
	expectReadings(t, sqlop.Raw, []reading[json.RawMessage]{
		{query: `SELECT '{"b": 12345678901234567890123456, "a": [1.50]}' AS v`, want: json.RawMessage(`{"a":[1.5],"b":12345678901234567890123456}`)},
		{query: `SELECT '"text"' AS v`, want: json.RawMessage(`"text"`)},
		{query: `SELECT 'null' AS v`, want: json.RawMessage(`null`)},
		{query: `SELECT 9007199254740993 AS v`, want: json.RawMessage(`9007199254740993`)},
		{query: `SELECT 0.5 AS v`, want: json.RawMessage(`0.5`)},
		{query: `SELECT price AS v FROM kinds`, want: json.RawMessage(`10.1`)},
		{query: `SELECT NULL AS v`, want: json.RawMessage(`null`)},
		{value: true, want: json.RawMessage(`true`)},
		{value: []byte(`[]`), want: json.RawMessage(`[]`)},
		{query: `SELECT 'text' AS v`, flaw: "not JSON"},
		{query: `SELECT '' AS v`, flaw: "not JSON"},
		{query: `SELECT 9e999 AS v`, flaw: "the float +Inf"},
		{query: `SELECT '{"a":1,"a":2}' AS v`, flaw: "more than once"},
	})
	expectReadings(t, sqlop.OptionalRaw, []reading[json.RawMessage]{
		{query: `SELECT NULL AS v`},
		{query: `SELECT 'null' AS v`, want: json.RawMessage(`null`)},
	})
}

func TestBoolReadsTheIntegersOfSQLite(t *testing.T) {
	t.Parallel()
	expectReadings(t, sqlop.Bool, []reading[bool]{
		{query: "SELECT flag AS v FROM kinds", want: true},
		{query: "SELECT 0 AS v", want: false},
		{value: true, want: true},
		{query: "SELECT 2 AS v", flaw: "the integer 2"},
		{query: "SELECT 1.0 AS v", flaw: "the float 1"},
		{query: "SELECT 'true' AS v", flaw: `the text "true"`},
		{query: "SELECT NULL AS v", flaw: "is NULL"},
	})
}

type colour string

func TestTextReadsTextWhole(t *testing.T) {
	t.Parallel()
	expectReadings(t, sqlop.Text[colour], []reading[colour]{
		{query: "SELECT 'green' AS v", want: "green"},
		{query: "SELECT '' AS v", want: ""},
		{query: "SELECT text AS v FROM kinds", want: "5"},
		{query: "SELECT 'a' || char(0) || 'b' AS v", want: "a\x00b"},
		{query: "SELECT CAST(day AS TEXT) AS v FROM kinds", want: "2026-03-29"},
		{value: []byte("bytes"), want: "bytes"},
		{query: "SELECT day AS v FROM kinds", flaw: "the time 2026-03-29T00:00:00Z"},
		{query: "SELECT 5 AS v", flaw: "the integer 5"},
		{query: "SELECT CAST(x'61ff' AS TEXT) AS v", flaw: "not UTF-8"},
		{query: "SELECT NULL AS v", flaw: "is NULL"},
		{value: time.Date(2026, 3, 29, 1, 2, 3, 4, time.UTC), flaw: "the time 2026-03-29T01:02:03.000000004Z"},
	})
}

// size is an object as a generated state has it.
type size struct {
	Width  int64       `json:"width"`
	Height json.Number `json:"height"`
	Note   *string     `json:"note,omitzero"`
}

func TestJSONReadsWhatItsTypeHoldsWhole(t *testing.T) {
	t.Parallel()
	note := "a\x00b"
	expectReadings(t, sqlop.JSON[size], []reading[size]{
		{query: `SELECT '{"height":1.50, "width":9007199254740993}' AS v`, want: size{Width: 9007199254740993, Height: "1.5"}},
		{query: `SELECT '{"height":1,"note":"a\u0000b","width":1}' AS v`, want: size{Width: 1, Height: "1", Note: &note}},
		{value: []byte(`{"height":1,"width":1}`), want: size{Width: 1, Height: "1"}},
		{query: `SELECT '{"height":1,"width":1,"depth":1}' AS v`, flaw: "not the same"},
		{query: `SELECT '{"height":1,"Width":1}' AS v`, flaw: "not the same"},
		{query: `SELECT '{"height":1}' AS v`, flaw: "not the same"},
		{query: `SELECT '{"width":1,"height":1,"width":1}' AS v`, flaw: "not as the state has it"},
		{query: `SELECT '{"height":1,"width":1.5}' AS v`, flaw: "not as the state has it"},
		{query: `SELECT '{"height":1,"width":' AS v`, flaw: "not as the state has it"},
		{query: `SELECT 'null' AS v`, flaw: "not as the state has it"},
		{query: `SELECT 1 AS v`, flaw: "the integer 1"},
		{query: `SELECT NULL AS v`, flaw: "is NULL"},
	})
	expectReadings(t, sqlop.JSON[[]json.Number], []reading[[]json.Number]{
		{query: "SELECT '[1.0, 9007199254740993]' AS v", want: []json.Number{"1", "9007199254740993"}},
		{query: "SELECT '[]' AS v", want: []json.Number{}},
		{query: "SELECT 'null' AS v", flaw: "not the same"},
		{query: "SELECT '{1,2}' AS v", flaw: "not as the state has it"},
	})
}

func TestNullIsReadWhereTheStateHasAPlaceForIt(t *testing.T) {
	t.Parallel()
	one, text, list := int64(1), "a", []string{"a"}
	nullable := func(name string, dst **int64) sqlop.Column { return sqlop.Nullable(name, dst, sqlop.Integer) }
	expectReadings(t, nullable, []reading[*int64]{
		{query: "SELECT NULL AS v"},
		{query: "SELECT 1 AS v", want: &one},
		{query: "SELECT 1.5 AS v", flaw: "the float 1.5"},
	})
	optional := func(name string, dst **string) sqlop.Column { return sqlop.Optional(name, dst, sqlop.Text) }
	expectReadings(t, optional, []reading[*string]{
		{query: "SELECT NULL AS v"},
		{query: "SELECT 'a' AS v", want: &text},
		{query: "SELECT 1 AS v", flaw: "the integer 1"},
	})
	nullableList := func(name string, dst **[]string) sqlop.Column { return sqlop.Nullable(name, dst, sqlop.JSON) }
	expectReadings(t, nullableList, []reading[*[]string]{
		{query: "SELECT NULL AS v"},
		{query: `SELECT '["a"]' AS v`, want: &list},
	})
	expectReadings(t, sqlop.OptionalList[[]string], []reading[[]string]{
		{query: "SELECT NULL AS v"},
		{query: "SELECT '[]' AS v", want: []string{}},
		{query: `SELECT '["a"]' AS v`, want: list},
		{query: `SELECT 'a' AS v`, flaw: "not as the state has it"},
	})
}

func TestNullIsAbsentWhereAMapMayBe(t *testing.T) {
	t.Parallel()
	expectReadings(t, sqlop.OptionalMap[map[string]json.Number], []reading[map[string]json.Number]{
		{query: "SELECT NULL AS v"},
		{query: "SELECT '{}' AS v", want: map[string]json.Number{}},
		{query: `SELECT '{"a":12345678901234567890.5}' AS v`, want: map[string]json.Number{"a": "12345678901234567890.5"}},
		{query: `SELECT '[]' AS v`, flaw: "not as the state has it"},
	})
}

func TestNullIsNullWhereItMayAlsoBeAbsent(t *testing.T) {
	t.Parallel()
	text := func(name string, dst *runtime.Optional[string]) sqlop.Column {
		return sqlop.OptionalNullable(name, dst, sqlop.Text)
	}
	for query, want := range map[string]string{
		"SELECT NULL AS v": "null", "SELECT '' AS v": `""`, "SELECT 'null' AS v": `"null"`,
	} {
		got, err := readOne(t.Context(), sqliteDB(t), query, text)
		if encoded, _ := got.MarshalJSON(); err != nil || got.IsAbsent() || string(encoded) != want {
			t.Errorf("%s: %s, %v, want %s", query, encoded, err, want)
		}
	}
	_, err := readOne(t.Context(), sqliteDB(t), "SELECT 1 AS v", text)
	expectFlaw(t, "SELECT 1 AS v", err, "the integer 1")
}

func TestAValueIsReplacedByNull(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t)
	old := int64(1)
	v := &old
	if _, err := sqlop.One(t.Context(), db, "SELECT NULL AS v", nil, sqlop.Nullable("v", &v, sqlop.Integer)); err != nil || v != nil {
		t.Errorf("%v, %v", v, err)
	}
}

var _ sqlop.Queryer = (*sql.DB)(nil)
var _ sqlop.Queryer = (*sql.Tx)(nil)
