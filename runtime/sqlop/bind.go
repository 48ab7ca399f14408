package sqlop

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// bind makes parameters that a driver passes on exactly.
func bind(args []any) ([]any, error) {
	bound := make([]any, len(args))
	for i, arg := range args {
		value, err := parameter(arg)
		if err != nil {
			return nil, fmt.Errorf("parameter %d: %w", i+1, err)
		}
		bound[i] = value
	}
	return bound, nil
}

// parameter is what stands for a Go value in a statement.
func parameter(arg any) (any, error) {
	switch v := arg.(type) {
	case nil, string, []byte, int64, float64, bool, time.Time, driver.Valuer:
		return v, nil
	case sql.NamedArg:
		value, err := parameter(v.Value)
		return sql.Named(v.Name, value), err
	case json.Number:
		return numberParameter(v)
	case json.RawMessage:
		return rawParameter(v), nil
	case optional:
		return optionalParameter(v)
	}
	v := reflect.ValueOf(arg)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return parameter(v.Elem().Interface())
	case reflect.String:
		return v.String(), nil
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return unsignedParameter(v.Uint())
	case reflect.Float32, reflect.Float64:
		return v.Float(), nil
	}
	return jsonParameter(arg)
}

// floatDigits is how many significant digits of any decimal a float64 gives back, and SQLite writes when it turns a
// float into text.
const floatDigits = 15

// numberParameter keeps every digit and, where the database has such a number, is one: an integer of 64 bits, or for a
// fraction a float where that is the same decimal again. Text stands above all numbers in SQLite, so that it is left to
// numbers that nothing else holds; the database turns it into the type of the column it meets. An integer beyond 64 bits
// is always text, as SQLite can hold it in columns of text only, where a float would be compared as 1.0e+20.
func numberParameter(n json.Number) (any, error) {
	number, err := exact.Number(n.String())
	if err != nil {
		return nil, err
	}
	if i, err := strconv.ParseInt(number, 10, 64); err == nil {
		return i, nil
	}
	if !strings.Contains(number, ".") {
		return number, nil
	}
	if f, err := strconv.ParseFloat(number, 64); err == nil && f != 0 && significantDigits(number) <= floatDigits {
		return f, nil
	}
	return number, nil
}

// significantDigits counts the digits of a canonical number without the zeros at both ends.
func significantDigits(number string) int {
	digits := strings.Replace(strings.TrimPrefix(number, "-"), ".", "", 1)
	return len(strings.Trim(digits, "0"))
}

// optional is a runtime.Optional of any type.
type optional interface {
	IsAbsent() bool
	IsNull() bool
	Any() any
}

// optionalParameter is NULL for what is absent and for null.
func optionalParameter(o optional) (any, error) {
	if o.IsAbsent() || o.IsNull() {
		return nil, nil
	}
	switch v := o.Any(); reflect.ValueOf(v).Kind() {
	case reflect.Slice, reflect.Map:
		return jsonText(v) // a value even if it is nil
	default:
		return parameter(v)
	}
}

// rawParameter is JSON text as it stands: that of a string has its quotes, and that of null is text too.
func rawParameter(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return string(raw)
}

func unsignedParameter(n uint64) (any, error) {
	if n > math.MaxInt64 {
		return numberParameter(json.Number(strconv.FormatUint(n, 10)))
	}
	return int64(n), nil
}

// jsonParameter is the JSON text of an array or an object; a nil slice or map is NULL, as a nil pointer is.
func jsonParameter(arg any) (any, error) {
	v := reflect.ValueOf(arg)
	if (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.IsNil() {
		return nil, nil
	}
	return jsonText(arg)
}

func jsonText(v any) (any, error) {
	text, err := exact.Encode(v)
	if err != nil {
		return nil, err
	}
	return string(text), nil
}
