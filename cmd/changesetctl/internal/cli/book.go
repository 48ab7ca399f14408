package cli

import (
	"context"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// book is a ledger of any kind, as far as those who look after it need more than a server does.
type book interface {
	ledger.Store
	// Check tells what is wrong with the ledger, each in a sentence.
	Check(ctx context.Context) (faults []string, err error)
	// Holders are all who live or have claims that are not settled, by name.
	Holders(ctx context.Context) ([]ledger.HolderState, error)
	// role is that of this program in a database that has roles, else "".
	role(ctx context.Context) (string, error)
	// census counts what the ledger holds.
	census(ctx context.Context) (census, error)
}

// census is what a ledger holds, by server, operation and status, and what it takes.
type census struct {
	groups []ledger.Group
	takes  string // for people
	whole  any    // for programs
}
