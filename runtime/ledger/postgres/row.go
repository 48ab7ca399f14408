package postgres

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
)

const recordColumns = columns.Fixed + ", revision, " + columns.Mutable

// recordFields are the values of recordColumns, to be bound or scanned.
func recordFields(r *ledger.Record) []any {
	return slices.Concat(columns.FixedOf(r), []any{&r.Revision}, columns.MutableOf(r))
}

// bound are fields as the driver takes them.
func bound(fields []any) ([]any, error) {
	values := make([]any, len(fields))
	for i, field := range fields {
		switch v := field.(type) {
		case *string, *ledger.Status:
			values[i] = textOf(v)
		case *int64:
			values[i] = *v
		case *bool:
			values[i] = *v
		case driver.Valuer:
			value, err := v.Value()
			if err != nil {
				return nil, err
			}
			values[i] = value
		default:
			return nil, fmt.Errorf("no column holds a %T", field)
		}
	}
	return values, nil
}

// textOf is the text of a field as the database can hold it.
func textOf(field any) string {
	if status, is := field.(*ledger.Status); is {
		return stored(string(*status))
	}
	return stored(*field.(*string))
}

// scanned are fields as the driver fills them.
func scanned(fields []any) []any {
	for i, field := range fields {
		switch v := field.(type) {
		case *string:
			fields[i] = textField{v}
		case *ledger.Status:
			fields[i] = textField{(*string)(v)}
		}
	}
	return fields
}

// names are the columns of a list.
func names(list string) []string { return strings.Split(list, ", ") }

// mapped is what is made of each.
func mapped(all []string, as func(string) string) []string {
	out := make([]string, len(all))
	for n, one := range all {
		out[n] = as(one)
	}
	return out
}

// joined is mapped as a list.
func joined(all []string, as func(string) string) string { return strings.Join(mapped(all, as), ", ") }

// What columns hold that are not texts. Nothing but an array of its own type tells the database what a parameter is.
const (
	numbers = " revision created_at ttl undo_ttl items updated_at expires_at claimed_at doubt_at applied_at undo_expires_at seq at not_after place "
	blobs   = " apply_token undo_token decision undo_decision undo_request finding sensitive sensitive_now shown payload state " +
		"state_before state_after result "
	truths = " joined "
)

// typeOf is the type of a column.
func typeOf(column string) string {
	name := " " + column + " "
	switch {
	case strings.Contains(numbers, name):
		return "bigint"
	case strings.Contains(blobs, name):
		return "bytea"
	case strings.Contains(truths, name):
		return "boolean"
	}
	return "text"
}

// arrays turns rows of fields into one argument for each column, of that type.
func arrays(types []string, rows [][]any) (args []any, err error) {
	args = make([]any, len(types))
	for i, kind := range types {
		switch kind {
		case "bigint":
			args[i], err = column(rows, i, numberOf)
		case "bytea":
			args[i], err = column(rows, i, bytesOf)
		case "boolean":
			args[i], err = column(rows, i, func(field any) (bool, error) { return *field.(*bool), nil })
		default:
			args[i], err = column(rows, i, func(field any) (string, error) { return textOf(field), nil })
		}
		if err != nil {
			return nil, err
		}
	}
	return args, nil
}

func column[T any](rows [][]any, at int, as func(field any) (T, error)) (values []T, err error) {
	values = make([]T, len(rows))
	for i, row := range rows {
		if values[i], err = as(row[at]); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// numberOf is a field of numbers, nil for none.
func numberOf(field any) (*int64, error) {
	if number, is := field.(*int64); is {
		return number, nil
	}
	value, err := field.(driver.Valuer).Value()
	number, given := value.(int64)
	if !given {
		return nil, err
	}
	return &number, nil
}

// bytesOf is a field of bytes, nil for none.
func bytesOf(field any) ([]byte, error) {
	value, err := field.(driver.Valuer).Value()
	bytes, _ := value.([]byte)
	return bytes, err
}
