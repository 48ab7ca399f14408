package sqlop

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// textOf is the text that a driver gave as a string or as bytes.
func textOf(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	return "", false
}

// exactFloats is how far floats count every integer.
const exactFloats = 1 << 53

// integerOf is the integer that a driver gave in any form that shows all of it.
func integerOf(value any) (int64, bool) {
	switch v := value.(type) {
	case int64:
		return v, true
	case float64:
		return int64(v), math.Trunc(v) == v && math.Abs(v) <= exactFloats
	}
	text, ok := textOf(value)
	if !ok {
		return 0, false
	}
	number, err := exact.Number(text)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(number, 10, 64)
	return n, err == nil
}

// numberOf is the canonical spelling of the number that a driver gave.
func numberOf(value any) (string, bool) {
	var literal string
	switch v := value.(type) {
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		literal = strconv.FormatFloat(v, 'g', -1, 64)
	default:
		text, ok := textOf(value)
		if !ok {
			return "", false
		}
		literal = text
	}
	number, err := exact.Number(literal)
	return number, err == nil
}

// wideIntegerOf is the integer that a driver gave in any form that shows all of it, in plain digits.
func wideIntegerOf(value any) (string, bool) {
	if f, ok := value.(float64); ok && math.Abs(f) > exactFloats {
		return "", false
	}
	number, ok := numberOf(value)
	return number, ok && !strings.Contains(number, ".")
}

// floatOf is the float that stands for the number that a driver gave, if that is the same number again.
func floatOf(value any) (float64, bool) {
	number, ok := numberOf(value)
	if !ok {
		return 0, false
	}
	var f float64
	err := exact.Decode([]byte(number), &f)
	return f, err == nil
}

// decodeJSON reads JSON text into v and makes sure that v says all of it and nothing else.
func decodeJSON(text string, v any) error {
	canonical, err := exact.Canonical([]byte(text), exact.DefaultLimits)
	if err != nil {
		return err
	}
	if err := exact.Decode(canonical, v); err != nil {
		return err
	}
	again, err := exact.Encode(v)
	if err != nil {
		return err
	}
	if !bytes.Equal(canonical, again) {
		return fmt.Errorf("as the state it would read %s, which is not the same", shorten(string(again)))
	}
	return nil
}

// mismatch says that a column holds something else than it should.
func mismatch(column string, value any, want, instead string) *ColumnError {
	return &ColumnError{
		Column: column,
		Flaw:   fmt.Sprintf("holds %s, not %s", describe(value), want),
		Advice: fmt.Sprintf("write %s AS %s in the query, or correct the row", instead, column),
	}
}

// describe shows a value of a driver and its kind.
func describe(value any) string {
	switch v := value.(type) {
	case string:
		return fmt.Sprintf("the text %q", shorten(v))
	case []byte:
		return fmt.Sprintf("the bytes %q", shorten(string(v)))
	case int64:
		return fmt.Sprintf("the integer %d", v)
	case float64:
		return fmt.Sprintf("the float %v", v)
	case bool:
		return fmt.Sprintf("the boolean %v", v)
	case time.Time:
		return "the time " + v.Format(time.RFC3339Nano)
	}
	return fmt.Sprintf("a %T", value)
}

// maxQuoted is how much of a value a message repeats, in bytes.
const maxQuoted = 60

func shorten(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	return s[:maxQuoted] + "…"
}
