package sqlop_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
)

// parameter is a parameter as SQLite sees it.
type parameter struct{ kind, text string }

func TestParametersArriveExactly(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t)
	text, number := "a\x00b", json.Number("9007199254740993")
	twice := &text
	var none *string
	for _, c := range []struct {
		name string
		arg  any
		want parameter
	}{
		{"nil", nil, parameter{"null", ""}},
		{"a nil pointer", none, parameter{"null", ""}},
		{"a pointer", &text, parameter{"text", "a\x00b"}},
		{"a pointer to a pointer", &twice, parameter{"text", "a\x00b"}},
		{"a named string", colour("green"), parameter{"text", "green"}},
		{"a large integer", int64(9007199254740993), parameter{"integer", "9007199254740993"}},
		{"an int", math.MinInt64, parameter{"integer", "-9223372036854775808"}},
		{"an unsigned integer", uint64(math.MaxUint64), parameter{"text", "18446744073709551615"}},
		{"a small unsigned integer", uint8(7), parameter{"integer", "7"}},
		{"a boolean", true, parameter{"integer", "1"}},
		{"a float", 0.5, parameter{"real", "0.5"}},
		{"a large number", number, parameter{"integer", "9007199254740993"}},
		{"a pointer to a number", &number, parameter{"integer", "9007199254740993"}},
		{"a whole number", json.Number("1.50e1"), parameter{"integer", "15"}},
		{"a decimal", json.Number("0.10"), parameter{"real", "0.1"}},
		{"a decimal of 15 digits", json.Number("-0.00123456789012345"), parameter{"real", "-0.00123456789012345"}},
		{"a decimal of 16 digits", json.Number("0.1234567890123456"), parameter{"text", "0.1234567890123456"}},
		{"a decimal too fine for a float", json.Number("1e-330"), parameter{"text", "0." + strings.Repeat("0", 329) + "1"}},
		{"few digits beyond 64 bits", json.Number("1e20"), parameter{"text", "100000000000000000000"}},
		{"a number beyond 64 bits", json.Number("9223372036854775808"), parameter{"text", "9223372036854775808"}},
		{"a list", []string{"b", "a\x00"}, parameter{"text", `["b","a\u0000"]`}},
		{"an empty list", []string{}, parameter{"text", "[]"}},
		{"a list that is not there", []string(nil), parameter{"null", ""}},
		{"an object", size{Width: 9007199254740993, Height: "1.50"}, parameter{"text", `{"height":1.5,"width":9007199254740993}`}},
		{"a pointer to an object", &size{Height: "1"}, parameter{"text", `{"height":1,"width":0}`}},
		{"a map", map[string]json.Number{"b": "2", "a": "1.0"}, parameter{"text", `{"a":1,"b":2}`}},
		{"raw JSON", json.RawMessage(`[1, 2]`), parameter{"text", `[1, 2]`}},
		{"raw JSON that is not there", json.RawMessage(nil), parameter{"null", ""}},
		{"raw JSON of text", json.RawMessage(`"a"`), parameter{"text", `"a"`}},
		{"raw JSON of null", json.RawMessage(`null`), parameter{"text", `null`}},
		{"a date-time", runtime.DateTime("2026-03-01T12:00:00.50+01:00"), parameter{"text", "2026-03-01T12:00:00.50+01:00"}},
		{"an integer of a named type", level(-3), parameter{"integer", "-3"}},
		{"an absent value", runtime.Optional[string]{}, parameter{"null", ""}},
		{"null that may be absent", runtime.OptionalNull[string](), parameter{"null", ""}},
		{"a value that may be absent", runtime.OptionalOf("null"), parameter{"text", "null"}},
		{"a number that may be absent", runtime.OptionalOf(json.Number("0.10")), parameter{"real", "0.1"}},
		{"a list that may be absent", runtime.OptionalOf([]string{"a"}), parameter{"text", `["a"]`}},
		{"an empty list that may be absent", runtime.OptionalOf([]string(nil)), parameter{"text", `[]`}},
		{"an object that may be absent", runtime.OptionalOf(size{Height: "1"}), parameter{"text", `{"height":1,"width":0}`}},
		{"a pointer to a list", &[]string{"a"}, parameter{"text", `["a"]`}},
		{"bytes", []byte("a\x00b"), parameter{"blob", "a\x00b"}},
		{"a value with a form of its own", sql.NullString{}, parameter{"null", ""}},
	} {
		var got parameter
		_, err := sqlop.One(t.Context(), db, "SELECT typeof(?1) AS kind, coalesce(CAST(?1 AS TEXT), '') AS text", []any{c.arg},
			sqlop.Text("kind", &got.kind), sqlop.Text("text", &got.text))
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
}

func TestANamedParameterKeepsItsName(t *testing.T) {
	t.Parallel()
	var got json.Number
	_, err := sqlop.One(t.Context(), sqliteDB(t), "SELECT :b AS v", []any{sql.Named("a", 1), sql.Named("b", json.Number("0.10"))},
		sqlop.Number("v", &got))
	if err != nil || got != "0.1" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestADecimalParameterKeepsItsDigitsInAColumn(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t, "CREATE TABLE prices (exact TEXT, price NUMERIC)")
	const digits = json.Number("0.12345678901234567890123456789")
	if err := sqlop.ExecOne(t.Context(), db, "INSERT INTO prices VALUES (?, ?)", digits, json.Number("10.10")); err != nil {
		t.Fatal(err)
	}
	var text, price json.Number
	found, err := sqlop.One(t.Context(), db, "SELECT exact, price FROM prices WHERE price = ?", []any{json.Number("10.1")},
		sqlop.Number("exact", &text), sqlop.Number("price", &price))
	if err != nil || !found || text != digits || price != "10.1" {
		t.Errorf("%s and %s, found %v, %v", text, price, found, err)
	}
}

func TestAnIntegerBeyond64BitsFindsItselfInAColumn(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t, "CREATE TABLE tokens (id TEXT, size NUMERIC)")
	for _, n := range []json.Number{"100000000000000000000", "-1e30", "1234567890123456789012345", "5"} {
		if err := sqlop.ExecOne(t.Context(), db, "INSERT INTO tokens VALUES (?, ?)", n, n); err != nil {
			t.Fatal(err)
		}
		for _, column := range []string{"id", "size"} {
			var id json.Number
			found, err := sqlop.One(t.Context(), db, "SELECT id FROM tokens WHERE "+column+" = ?", []any{n}, sqlop.WideInteger("id", &id))
			if want, _ := exact.Number(n.String()); !found || err != nil || id.String() != want {
				t.Errorf("%s by %s: %s, %v, %v", n, column, id, found, err)
			}
		}
	}
}

func TestParametersWithoutAnExactFormAreErrors(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t)
	for name, arg := range map[string]any{
		"an empty number": json.Number(""), "no number": json.Number("one"), "a channel": make(chan int),
		"text that is no UTF-8 in a list": []string{"\xff"}, "an object with an empty number": size{},
	} {
		var v string
		if _, err := sqlop.One(t.Context(), db, "SELECT ? AS v", []any{arg}, sqlop.Text("v", &v)); err == nil {
			t.Errorf("%s is bound", name)
		}
	}
	var v string
	_, err := sqlop.One(t.Context(), db, "SELECT ? AS v", []any{json.Number("1e9999")}, sqlop.Text("v", &v))
	if !errors.Is(err, exact.ErrNumber) {
		t.Errorf("%v, want %v", err, exact.ErrNumber)
	}
}

func TestADecimalParameterComparesAsANumber(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t, "CREATE TABLE prices (price REAL)", "INSERT INTO prices VALUES (0.1), (1.5), (2)")
	for n, want := range map[json.Number]int64{"0.1": 2, "0.10": 2, "1.5": 1, "2": 0, "1e20": 0} {
		var above int64
		_, err := sqlop.One(t.Context(), db, "SELECT count(*) AS above FROM prices WHERE price + 0 > ?", []any{n}, sqlop.Integer("above", &above))
		if err != nil || above != want {
			t.Errorf("%d prices are above %s, %v, want %d", above, n, err, want)
		}
	}
}
