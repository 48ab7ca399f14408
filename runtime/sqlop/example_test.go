package sqlop_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
)

// memoryDB is a database that is gone with its only connection.
func memoryDB(statements ...string) *sql.DB {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.ExecContext(context.Background(), s); err != nil {
			log.Fatal(err)
		}
	}
	return db
}

func ExampleOne() {
	db := memoryDB(createSettings, insertSettings)
	defer db.Close()
	var value string
	var version int64
	found, err := sqlop.One(context.Background(), db, "SELECT value, version FROM settings WHERE key = ?", []any{"theme"},
		sqlop.Text("value", &value), sqlop.Integer("version", &version))
	fmt.Println(found, value, version, err)
	// Output: true dark 9007199254740993 <nil>
}

func ExampleList() {
	db := memoryDB(createSettings, insertSettings)
	defer db.Close()
	all, err := sqlop.List(context.Background(), db, "SELECT value, version FROM settings ORDER BY key", nil,
		func(s *setting) []sqlop.Column {
			return []sqlop.Column{sqlop.Text("value", &s.Value), sqlop.Integer("version", &s.Version)}
		})
	fmt.Println(all, err)
	// Output: [{en 1} {dark 9007199254740993}] <nil>
}

func ExampleExecOne() {
	db := memoryDB(createSettings, insertSettings)
	defer db.Close()
	const update = "UPDATE settings SET value = ?, version = version + 1 WHERE key = ? AND version = ?"
	fmt.Println(sqlop.ExecOne(context.Background(), db, update, "fr", "language", 1))
	err := sqlop.ExecOne(context.Background(), db, update, "de", "language", 1)
	fmt.Println(errors.Is(err, runtime.ErrConflict))
	// Output:
	// <nil>
	// true
}

// What is written of a value that may be absent and null is read again: NULL is null, and a query always has a value.
func ExampleOptionalNullable() {
	db := memoryDB("CREATE TABLE notes (body TEXT, meta TEXT)")
	defer db.Close()
	ctx := context.Background()
	fmt.Println(sqlop.ExecOne(ctx, db, "INSERT INTO notes VALUES (?, ?)", runtime.OptionalNull[string](), json.RawMessage(`"a"`)))
	var body runtime.Optional[string]
	var meta json.RawMessage
	found, err := sqlop.One(ctx, db, "SELECT body, meta FROM notes", nil,
		sqlop.OptionalNullable("body", &body, sqlop.Text), sqlop.Raw("meta", &meta))
	fmt.Println(found, body.IsNull(), string(meta), err)
	// Output:
	// <nil>
	// true true "a" <nil>
}
