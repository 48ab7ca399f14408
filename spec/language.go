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

// language is the JSON Schema of the language, compiled when it is first needed. It is embedded, so that failing to
// compile it is a fault of this package, which any test of it shows.
var language = sync.OnceValue(func() *conform.Schema {
	schema, err := conform.Compile(languageAddress, languageSchema)
	if err != nil {
		panic(fmt.Sprintf("the embedded schema of the language: %v", err))
	}
	return schema
})
