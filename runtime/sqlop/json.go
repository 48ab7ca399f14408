package sqlop

import (
	"encoding/json"
	"strconv"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// JSON reads an array, an object, a map or a union that is stored as JSON text. The text must be strict JSON and say nothing that its
// Go type cannot hold, so that no member is lost or made up.
func JSON[T any](name string, dst *T) Column {
	return column(name, dst, func(value any) (T, *ColumnError) {
		var v T
		text, ok := textOf(value)
		if !ok {
			return v, mismatch(name, value, "JSON text", "json(…) or CAST(… AS TEXT)")
		}
		if err := decodeJSON(text, &v); err != nil {
			return v, &ColumnError{Column: name, Flaw: "holds JSON that is not as the state has it: " + err.Error(), Advice: "correct the row, or the state in the spec"}
		}
		return v, nil
	})
}

// Raw reads a value of any kind, which is stored as JSON text: a string of its own has its quotes there. Numbers and
// booleans of the database are themselves, because a column of numbers turns the text of a number into one. NULL is
// null.
func Raw(name string, dst *json.RawMessage) Column {
	return Column{name: name, set: func(value any) error {
		raw, flaw := rawOf(name, value)
		if flaw != nil {
			return flaw
		}
		*dst = raw
		return nil
	}}
}

// OptionalRaw is Raw for a value that may be absent, as NULL is then.
func OptionalRaw(name string, dst *json.RawMessage) Column {
	return orNothing(Raw(name, dst), dst)
}

// rawOf is the canonical JSON of a value that a driver gave.
func rawOf(column string, value any) (json.RawMessage, *ColumnError) {
	switch v := value.(type) {
	case nil:
		return json.RawMessage("null"), nil
	case bool:
		return strconv.AppendBool(nil, v), nil
	case int64, float64:
		if number, ok := numberOf(v); ok {
			return json.RawMessage(number), nil
		}
	}
	text, ok := textOf(value)
	if !ok {
		return nil, mismatch(column, value, "JSON", "json(…) or CAST(… AS TEXT)")
	}
	canonical, err := exact.Canonical([]byte(text), exact.DefaultLimits)
	if err != nil {
		return nil, &ColumnError{
			Column: column,
			Flaw:   "holds text that is not JSON: " + err.Error(),
			Advice: "make it JSON in the query (json_quote(…) in SQLite, to_json(…) in PostgreSQL) if it is plain text, or correct the row",
		}
	}
	return canonical, nil
}
