package sqlite

import (
	"encoding/json"

	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/selection"
)

// dialect gives SQLite any number of values as a JSON array.
var dialect = selection.Dialect{Table: "changes", AnyOf: "IN " + listed, Values: func(values []string) any { return list(values) }}

// listed are the values of an argument that list made.
const listed = "(SELECT value FROM json_each(?))"

func list[T int64 | string](values []T) string {
	encoded, _ := json.Marshal(values) // numbers and texts have one
	return string(encoded)
}

// placeholders stand for the values of columns.
func placeholders(list string) string { return selection.Marks(columns.Count(list)) }
