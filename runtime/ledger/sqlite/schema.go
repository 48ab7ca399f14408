package sqlite

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed schema.sql
var schemaSQL string

const (
	// applicationID marks a SQLite file as a ledger of this package: "CSLG" in ASCII.
	applicationID = 0x43534c47
	// baseSchema is the schema of schema.sql, to which steps add. A ledger of an earlier one has to be migrated.
	baseSchema = 2
)

// step adds to the schema of a ledger when it is opened: a table, an index, or a column with a default. Other programs
// may be using the ledger meanwhile and go on writing rows as they know them, so that nothing that is there may come to
// mean something else unless oldest keeps them out. What is added is in no check sum that is there; if it has to be in
// one, the step brings a sum of its own. The table ledger stays as it is in every schema: it says who may use the rest.
type step struct {
	schema int64 // that the step leads to
	sql    string
	oldest int64 // programs made for a schema before this one must not use the ledger any more
}

// steps lead from baseSchema to the schema of this program, in order.
var steps []step

// programSchema is the schema that a program with these steps is made for.
func programSchema(steps []step) int64 { return baseSchema + int64(len(steps)) }

// createSQL turns an empty database into an empty ledger, whole or not at all, and firstAccount is its account.
func createSQL(steps []step) string {
	var added strings.Builder
	for _, st := range steps {
		fmt.Fprintf(&added, "%s;\n", st.sql)
	}
	return fmt.Sprintf("BEGIN;\nPRAGMA application_id = %d;\nPRAGMA user_version = %d;\n%s\n%s\n%s;\nCOMMIT;",
		applicationID, programSchema(steps), schemaSQL, added.String(), firstAccountSQL)
}

func firstAccount(steps []step) account {
	a := account{schema: programSchema(steps), oldest: baseSchema}
	for _, st := range steps {
		a.oldest = max(a.oldest, st.oldest)
	}
	return a
}
