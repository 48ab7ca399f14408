package postgres

import (
	_ "embed"
	"strings"

	"github.com/jackc/pgx/v5"
)

//go:embed schema.sql
var schemaSQL string

// baseSchema is the schema of schema.sql, to which steps add.
const baseSchema = 1

// step adds to the schema of a ledger when it is opened: a table, an index, or a column with a default. Other programs may
// be using the ledger meanwhile and go on writing rows as they know them, so that nothing that is there may come to mean
// something else unless oldest keeps them out. The columns of the table ledger stay what they are in every schema: they say
// who may use the rest.
type step struct {
	schema int64 // that the step leads to
	sql    string
	oldest int64 // programs made for a schema before this one must not use the ledger any more
}

// steps lead from baseSchema to the schema of this program, in order.
var steps []step

// programSchema is the schema that this program is made for.
func (o *options) programSchema() int64 { return baseSchema + int64(len(o.steps)) }

// maxNameBytes is how long the name of a schema can be. The server would cut a longer one.
const maxNameBytes = 63

// checkName makes sure that the server takes the name of the schema as it is, and lets programs use it.
func (o *options) checkName() error {
	if len(o.schema) > maxNameBytes || stored(o.schema) != o.schema || strings.HasPrefix(o.schema, "pg_") {
		return o.unsupported("the name of the schema %q: take one of at most %d bytes that does not begin with pg_", o.schema, maxNameBytes)
	}
	return nil
}

// written is the schema in the text of every statement. Nothing is ever left to the search path: what it leads to may be
// another table.
const written = "changesetgen."

// in is a statement for the schema of this ledger.
func (o *options) in(statement string) string {
	if o.schema == DefaultSchema {
		return statement
	}
	return strings.ReplaceAll(statement, written, pgx.Identifier{o.schema}.Sanitize()+".")
}
