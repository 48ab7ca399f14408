package faults_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// The answer of a write is lost: whoever wrote does not know, and the ledger does.
func Example() {
	ctx := context.Background()
	directory, err := os.MkdirTemp("", "ledger")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	below, err := sqlite.Open(ctx, filepath.Join(directory, "ledger", "changes.db"), sqlite.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		log.Fatal(err)
	}
	defer below.Close()

	store := faults.New(below, faults.NthOf(faults.Insert, 1, faults.Lose(faults.ErrLost)))
	err = store.Insert(ctx, ledger.Record{Fixed: ledger.Fixed{ID: "chg_1"}}, ledger.Event{To: ledger.Pending})
	fmt.Println(errors.Is(err, faults.ErrLost))
	r, _, err := store.Get(ctx, "chg_1")
	fmt.Println(r.ID, err)
	fmt.Println(store.Injected())
	// Output:
	// true
	// chg_1 <nil>
	// [call 1, Insert 1 of chg_1 to pending: carried out, and then: the answer of the ledger was lost]
}

// The same faults come again with the same seed.
func ExampleSeeded() {
	plan := faults.Seeded(1, faults.Share{Of: 300, Fault: faults.Refuse(ledger.ErrBusy)}, faults.Share{Of: 300, Fault: faults.Lose(faults.ErrLost)})
	for n := range 100 {
		if f := plan(faults.Call{N: n + 1}); f.Do != nil {
			fmt.Println(n+1, f.Name)
		}
	}
	// Output:
	// 20 carried out, and then: the answer of the ledger was lost
	// 27 not carried out: the ledger is busy
	// 35 carried out, and then: the answer of the ledger was lost
	// 42 carried out, and then: the answer of the ledger was lost
	// 46 not carried out: the ledger is busy
	// 69 carried out, and then: the answer of the ledger was lost
	// 77 not carried out: the ledger is busy
}
