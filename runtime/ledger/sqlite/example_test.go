package sqlite_test

import (
	"context"
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
