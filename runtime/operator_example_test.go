package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// An operator decides on what waits for a person. A no needs a reason, which the agent is told.
func ExampleOperator() {
	ctx := context.Background()
	directory, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	store, err := sqlite.Open(ctx, filepath.Join(directory, "ledger", "changes.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	if err := store.Insert(ctx, proposal(time.Now()), ledger.Event{Actor: "agent", To: ledger.Pending}); err != nil {
		log.Fatal(err)
	}

	operator, err := runtime.NewOperator(store, runtime.Decider{Name: "ana", Channel: "changesetctl"})
	if err != nil {
		log.Fatal(err)
	}
	waiting, err := operator.Pending(ctx, runtime.PendingQuery{})
	if err != nil {
		log.Fatal(err)
	}
	for _, change := range waiting {
		fmt.Println(runtime.Visible(change.Summary), change.Lines)
		_, err := operator.Reject(ctx, change.Seen, "")
		fmt.Println(errors.Is(err, runtime.ErrReason))
		change, err = operator.Reject(ctx, change.Seen, "not before the release")
		fmt.Println(change.Status, err)
	}
	// Output:
	// Set theme to dark [theme: "light" -> "dark"]
	// true
	// rejected <nil>
}

// proposal is a change as a guard records it.
func proposal(now time.Time) ledger.Record {
	return ledger.Record{
		Fixed: ledger.Fixed{
			ID: "chg_0198c0ffee0001234567", Server: "settings", Operation: "set_setting", Approval: "operator", CreatedAt: now,
			Payload: []byte(`{"key":"theme","value":"dark"}`),
			Shown:   []byte(`{"rows":[{"after":"dark","before":"light","field":"theme"}],"summary":"Set theme to dark"}`),
		},
		Mutable: ledger.Mutable{Status: ledger.Pending, ExpiresAt: now.Add(time.Hour)},
	}
}
