package sqlop

import (
	"encoding/json"
	"unicode/utf8"
)

// Column is one column of a query and where its value goes.
type Column struct {
	name string
	// set stores a value that a driver gave, nil for NULL. It returns what is wrong as a *ColumnError.
	set func(value any) error
}

// Text reads text.
func Text[T ~string](name string, dst *T) Column {
	return column(name, dst, func(value any) (T, *ColumnError) {
		text, ok := textOf(value)
		switch {
		case !ok:
			return "", mismatch(name, value, "text", "CAST(… AS TEXT)")
		case !utf8.ValidString(text):
			return "", &ColumnError{Column: name, Flaw: "holds text that is not UTF-8", Advice: "give it as hex(…) or correct the row"}
		}
		return T(text), nil
	})
}

// Integer reads an integer of 64 bits. A float or a text counts if its value is exactly one; a float beyond 2^53 does
// not, because digits may be missing from it.
func Integer[T ~int64](name string, dst *T) Column {
	return column(name, dst, func(value any) (T, *ColumnError) {
		if n, ok := integerOf(value); ok {
			return T(n), nil
		}
		return 0, mismatch(name, value, "a whole number of 64 bits", "CAST(… AS INTEGER) if it may be cut")
	})
}

// Number reads a number of any size and precision in its canonical spelling. A float becomes the shortest decimal that
// stands for it; a column that needs more digits has to be text or a decimal type.
func Number(name string, dst *json.Number) Column {
	return column(name, dst, func(value any) (json.Number, *ColumnError) {
		if number, ok := numberOf(value); ok {
			return json.Number(number), nil
		}
		return "", mismatch(name, value, "a decimal number", "CAST(… AS NUMERIC) or CAST(… AS TEXT)")
	})
}

// WideInteger reads an integer of any size, as Number does. A float beyond 2^53 does not count, because digits may be
// missing from it.
func WideInteger(name string, dst *json.Number) Column {
	return column(name, dst, func(value any) (json.Number, *ColumnError) {
		if n, ok := wideIntegerOf(value); ok {
			return json.Number(n), nil
		}
		return "", mismatch(name, value, "a whole number", "CAST(… AS TEXT), or CAST(… AS INTEGER) if it may be cut,")
	})
}

// Float reads a number that a float64 gives back unchanged.
func Float(name string, dst *float64) Column {
	return column(name, dst, func(value any) (float64, *ColumnError) {
		if f, ok := floatOf(value); ok {
			return f, nil
		}
		return 0, mismatch(name, value, "a number that a float64 keeps", "CAST(… AS REAL) if it may be rounded,")
	})
}

// Bool reads a boolean, which SQLite keeps as 0 or 1.
func Bool(name string, dst *bool) Column {
	return column(name, dst, func(value any) (bool, *ColumnError) {
		switch v := value.(type) {
		case bool:
			return v, nil
		case int64:
			if v == 0 || v == 1 {
				return v == 1, nil
			}
		}
		return false, mismatch(name, value, "a boolean, 0 or 1", "a comparison, such as … <> 0")
	})
}

// column stores what read makes of a value. NULL is for Nullable and Optional only.
func column[T any](name string, dst *T, read func(value any) (T, *ColumnError)) Column {
	return Column{name: name, set: func(value any) error {
		if value == nil {
			return &ColumnError{Column: name, Flaw: "is NULL, and the state has no place for that", Advice: "use coalesce(…), or make it nullable in the state"}
		}
		v, flaw := read(value)
		if flaw != nil {
			return flaw
		}
		*dst = v
		return nil
	}}
}
