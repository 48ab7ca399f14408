package spec

import (
	_ "embed"
	"fmt"
	"sync"

	"github.com/changesetgen/changesetgen/spec/conform"
)

//go:embed changeset.schema.json
var languageSchema []byte

// languageAddress is the $id of the language's schema.
const languageAddress = "https://github.com/changesetgen/changesetgen/spec/changeset.schema.json"

// hints say, by the formats of the language's schema, what to write instead of a value that is no text.
var hints = map[string]conform.Hint{
	"changeset-name":      {Text: "write a name, which begins with a letter"},
	"changeset-path":      {Text: "write a path such as state.name", OrQuotes: true},
	"changeset-condition": {Text: "write a condition such as state.status == 'closed'", OrQuotes: true},
	"changeset-approval":  {Text: "write token or operator, or a map such as {by: operator}"},
	"changeset-reconcile": {Text: "write go, or a map such as {done_when: state.value == payload.value}"},
	"changeset-diff":      {Text: "write auto, or a list of rows"},
	"changeset-duration":  {Text: "write 90s, 15m, 12h or 7d"},
	"changeset-sql":       {Text: "write a SELECT", OrQuotes: true},
	"changeset-look":      {Text: "write go, or a map such as {go: true}"},
	"uri-reference":       {Text: "write '#/$defs/NAME'"},
}

// language is the JSON Schema of the language, compiled when it is first needed. It is embedded, so that failing to
// compile it is a fault of this package, which any test of it shows.
var language = sync.OnceValue(func() *conform.Schema {
	schema, err := conform.Compile(languageAddress, languageSchema, hints)
	if err != nil {
		panic(fmt.Sprintf("the embedded schema of the language: %v", err))
	}
	return schema
})
