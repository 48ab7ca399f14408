package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// securityModel is the document that says what every column holds.
const securityModel = "security-model.md"

// column matches the name of a column in the schema of a ledger, and whatIsKept the section that is about them.
var (
	column     = regexp.MustCompile(`(?m)^\t([a-z_]+) +(?:[A-Z]|text|bytea|bigint|integer|boolean)`)
	whatIsKept = regexp.MustCompile(`(?ms)^## What is kept\n(.*?)^## `)
)

func TestSecurityModelNamesEveryColumnOfALedger(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(securityModel)
	if err != nil {
		t.Fatal(err)
	}
	section := whatIsKept.FindSubmatch(page)
	if section == nil {
		t.Fatalf("%s has no section on what is kept", securityModel)
	}
	for _, store := range []string{"sqlite", "postgres"} {
		schema, err := os.ReadFile("../runtime/ledger/" + store + "/schema.sql")
		if err != nil {
			t.Fatal(err)
		}
		columns := column.FindAllStringSubmatch(string(schema), -1)
		if len(columns) == 0 {
			t.Fatalf("the schema of %s has no columns: has its form changed?", store)
		}
		for _, c := range columns {
			if !strings.Contains(string(section[1]), "`"+c[1]+"`") {
				t.Errorf("%s does not say what the column %s of %s holds", securityModel, c[1], store)
			}
		}
	}
}
