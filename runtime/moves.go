package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

const (
	maxRaces       = 16               // how often a claim is decided again because others moved the change
	ledgerPatience = 30 * time.Second // how long the ledger may take to tell what it did, or to take an outcome
)

// errUnsure is the answer of a store that leaves open whether it wrote.
var errUnsure = errors.New("the ledger did not say whether it wrote")

// swap is swapIn for the guard's own ledger.
func (g *Guard) swap(ctx context.Context, next *ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	return swapIn(ctx, g.store, next, notAfter, e, caps...)
}

// moving is a transition that was decided over a record as it was read.
type moving struct {
	next     ledger.Record
	event    ledger.Event
	at       moment
	notAfter time.Time // when it comes too late, by the ledger's own clock; zero: never
}

// moveIn writes what plan decides, which decides again while others move the change in between. It returns the latest plan,
// with an error as well.
func moveIn(ctx context.Context, store ledger.Store, plan func() (moving, error)) (m moving, err error) {
	for range maxRaces {
		if m, err = plan(); err != nil {
			return m, err
		}
		if err = swapIn(ctx, store, &m.next, m.notAfter, m.event); !errors.Is(err, ledger.ErrConflict) {
			return m, err
		}
	}
	return m, ledger.ErrBusy
}

// move makes a transition that carries nothing out. With errNoTransition it returns the change as it is.
func (g *Guard) move(ctx context.Context, id string, q request) (ledger.Record, error) {
	m, err := moveIn(ctx, g.store, func() (m moving, err error) {
		if m.next, m.at, err = g.read(ctx, id); err == nil {
			m.next, m.event, err = transition(m.next, q, m.at, g.policy)
		}
		return m, err
	})
	if err == nil {
		g.logMove(ctx, &m.next, m.event)
	}
	return m.next, err
}

// swapIn writes next, whose Revision is that of the record it was decided over. After an answer that leaves open
// whether it was written it looks: next is given a WriteID that no other write has, whatever else both say.
func swapIn(ctx context.Context, store ledger.Store, next *ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	next.WriteID = newWriteID()
	err := attempt.Contain(func() error { return store.Swap(ctx, *next, notAfter, e, caps...) })
	return ascertain(ctx, store, next, err)
}

// ascertain is the answer err of a store that was to write next, after a look where the answer leaves that open. A panic
// does so too.
func ascertain(ctx context.Context, store ledger.Store, next *ledger.Record, err error) error {
	if err == nil || wroteNothing(err) {
		return err
	}
	looking, cancel := context.WithTimeout(context.WithoutCancel(ctx), ledgerPatience)
	defer cancel()
	stored, _, lookErr := getFrom(looking, store, next.ID)
	switch {
	case lookErr != nil:
		return fmt.Errorf("%w: %w", errUnsure, errors.Join(err, lookErr))
	case landed(&stored, next):
		return nil
	case stored.Revision == next.Revision+1:
		return fmt.Errorf("%w: %w", ledger.ErrConflict, err) // the one write that this could have been is another's, or the ledger's own
	case stored.Revision > next.Revision+1:
		return fmt.Errorf("%w: %w", errUnsure, err) // others wrote since: over this write, or over what was before it
	}
	return err
}

// getFrom reads a change from a store that may panic.
func getFrom(ctx context.Context, store ledger.Store, id string) (r ledger.Record, c ledger.Clock, err error) {
	err = attempt.Contain(func() (err error) {
		r, c, err = store.Get(ctx, id)
		return err
	})
	return r, c, err
}

func wroteNothing(err error) bool {
	for _, answer := range []error{
		ledger.ErrConflict, ledger.ErrExpired, ledger.ErrBusy, ledger.ErrCap, ledger.ErrExists, ledger.ErrRequested,
		ledger.ErrHoldOver,
	} {
		if errors.Is(err, answer) {
			return true
		}
	}
	return false
}

// landed tells whether stored is what the write of meant left.
func landed(stored, meant *ledger.Record) bool {
	return stored.Revision == meant.Revision+1 && stored.WriteID == meant.WriteID
}

// ledgerRefusal is what an agent is told of a failing store.
func ledgerRefusal(err error) *refusal {
	switch {
	case errors.Is(err, errUnsure): // what else it is was said of the look, and does not tell that nothing was done
		if errors.Is(err, ledger.ErrUnavailable) {
			return refuseLedger(CodeLedgerUnavailable)
		}
		return refuseLedger(CodeInternal)
	case errors.Is(err, ledger.ErrNotFound):
		return refuseUnknownChange()
	case errors.Is(err, ledger.ErrBusy):
		return refuseLedger(CodeLedgerBusy)
	case errors.Is(err, ledger.ErrCorrupt):
		return refuseLedger(CodeLedgerCorrupt)
	case errors.Is(err, errNoKey) && errors.Is(err, ledger.ErrUnsupported):
		return refuseKey()
	case errors.Is(err, ledger.ErrUnsupported):
		return refuseLedger(CodeLedgerUnsupported)
	case errors.Is(err, ledger.ErrUnavailable):
		return refuseLedger(CodeLedgerUnavailable)
	}
	return refuseLedger(CodeInternal)
}
