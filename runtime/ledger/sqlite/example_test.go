package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	store, err := sqlite.Open(ctx, filepath.Join(dir, "data", "ledger.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()

	change := ledger.Record{Fixed: ledger.Fixed{ID: "chg_1"}, Mutable: ledger.Mutable{Status: ledger.Pending}}
	if err := store.Insert(ctx, change, ledger.Event{Actor: "agent", To: ledger.Pending}); err != nil {
		log.Fatal(err)
	}
	change, _, err = store.Get(ctx, "chg_1")
	fmt.Println(change.Status, change.Revision, err)
	// Output: pending 1 <nil>
}

func ExampleStore_Backup() {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	store, err := sqlite.Open(ctx, filepath.Join(dir, "ledger.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()

	if err := store.Backup(ctx, filepath.Join(dir, "copy.db")); err != nil {
		log.Fatal(err)
	}
	copied, err := sqlite.Open(ctx, filepath.Join(dir, "copy.db"), sqlite.MustExist())
	if err != nil {
		log.Fatal(err)
	}
	defer copied.Close()
	faults, err := copied.Check(ctx)
	fmt.Println(len(faults), "faults", err)
	// Output: 0 faults <nil>
}

func ExampleTx() {
	// note is what a body does, as Operation.Apply with Meta.Joined.
	note := func(ctx context.Context, text string) error {
		tx, ok := sqlite.Tx(ctx)
		if !ok {
			return errors.New("this body is not joined")
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO notes VALUES (?)", text)
		return err
	}

	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, path := context.Background(), filepath.Join(dir, "ledger.db")
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	own, err := sql.Open("sqlite", path) // of the program, for everything else
	if err != nil {
		log.Fatal(err)
	}
	defer own.Close()
	if _, err := own.ExecContext(ctx, "CREATE TABLE notes (text TEXT)"); err != nil {
		log.Fatal(err)
	}
	change := ledger.Record{Fixed: ledger.Fixed{ID: "chg_1"}, Mutable: ledger.Mutable{Status: ledger.Applying, Joined: true}}
	if err := store.Insert(ctx, change, ledger.Event{To: ledger.Applying}); err != nil {
		log.Fatal(err)
	}
	change.Revision, change.Status = 1, ledger.Applied
	err = store.Join(ctx, func(ctx context.Context) (ledger.Record, ledger.Event, error) {
		return change, ledger.Event{From: ledger.Applying, To: ledger.Applied}, note(ctx, "kept together")
	})
	if err != nil {
		log.Fatal(err)
	}
	var text string
	err = own.QueryRowContext(ctx, "SELECT text FROM notes").Scan(&text)
	fmt.Println(text, err)
	// Output: kept together <nil>
}
