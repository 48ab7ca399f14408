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
		case *string:
			values[i] = stored(*v)
		case *ledger.Status:
			values[i] = stored(string(*v))
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

// arrays turns rows into one argument for each column, of that type.
func arrays(types []string, rows [][]any) []any {
	args := make([]any, len(types))
	for i, kind := range types {
		switch kind {
		case "bigint":
			args[i] = column(rows, i, func(value any) *int64 {
				n, given := value.(int64)
				if !given {
					return nil
				}
				return &n
			})
		case "bytea":
			args[i] = column(rows, i, func(value any) []byte { b, _ := value.([]byte); return b })
		case "boolean":
			args[i] = column(rows, i, func(value any) bool { return value.(bool) })
		default:
			args[i] = column(rows, i, func(value any) string { return value.(string) })
		}
	}
	return args
}

func column[T any](rows [][]any, at int, as func(value any) T) []T {
	values := make([]T, len(rows))
	for i, row := range rows {
		values[i] = as(row[at])
	}
	return values
}
