package memledger_test

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/bench/internal/memledger"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(*testing.T) ledgertest.Opener {
		book := memledger.New()
		return func(clock func() time.Time) ledger.Store { return book.Open(clock) }
	})
}
