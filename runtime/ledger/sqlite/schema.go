package sqlite

import (
	_ "embed"
	"fmt"
)

//go:embed schema.sql
var schemaSQL string

const (
	// applicationID marks a SQLite file as a ledger of this package: "CSLG" in ASCII.
	applicationID = 0x43534c47
	// schemaVersion is the only schema that this program reads and writes.
	schemaVersion = 2
	// schemaTables is how many tables schema.sql creates.
	schemaTables = 3
)

// createSQL turns an empty database into an empty ledger, whole or not at all. Its arguments are those of the clock.
func createSQL() string {
	return fmt.Sprintf("BEGIN;\nPRAGMA application_id = %d;\nPRAGMA user_version = %d;\n%s\n%s;\nCOMMIT;",
		applicationID, schemaVersion, schemaSQL, firstAccountSQL)
}
