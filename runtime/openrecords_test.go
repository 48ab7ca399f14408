package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// reread is a ledger of which a test changes what is read of single changes.
type reread struct {
	ledger.Store
	change func(r *ledger.Record) error
}

func (s *reread) Get(ctx context.Context, id string) (ledger.Record, ledger.Clock, error) {
	r, c, err := s.Store.Get(ctx, id)
	if err == nil && s.change != nil {
		err = s.change(&r)
	}
	return r, c, err
}

func newReread(t *testing.T, of func(t *testing.T, changes ...func(*world)) *world) (*world, *reread) {
	t.Helper()
	s := &reread{}
	return of(t, func(w *world) {
		s.Store = w.store
		w.options.Store = s
	}), s
}

// A change that was begun and cannot be read keeps no server from the others.
func TestStartPassesOverARecordThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w, s := newReread(t, func(t *testing.T, changes ...func(*world)) *world { return cutOff(t, true, changes...) })
	damaged, doubted := w.doubted(t, "language", "de"), w.doubted(t, "theme", "dark")
	w.closes(t)
	s.change = func(r *ledger.Record) error {
		if r.ID == damaged.ChangeID {
			return ledger.ErrCorrupt
		}
		return nil
	}
	w.start(t)
	w.becomes(t, doubted.ChangeID, ledger.Applied)
	if !strings.Contains(w.log.String(), "a change was begun that cannot be read") || !strings.Contains(w.log.String(), damaged.ChangeID) {
		t.Error("the log does not tell of it")
	}
	wantRefused(t, w.status(t, damaged.ChangeID), "ledger_corrupt")
}

// Rows that somebody edited may say of two changes that each tries the other again.
func TestRetriesThatLeadInACircleEnd(t *testing.T) {
	t.Parallel()
	w, s := newReread(t, func(t *testing.T, changes ...func(*world)) *world {
		return newWorld(t, append(changes, failsFirst(runtime.NotApplied(errRefusedConnection)))...)
	})
	p, failed := w.failed(t)
	s.change = func(r *ledger.Record) error {
		switch r.ID {
		case p.ChangeID:
			r.RetryOf = failed.Retry.ChangeID
		case failed.Retry.ChangeID:
			r.RetryID = p.ChangeID
		}
		return nil
	}
	r := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, r, "already_used")
	if r.Retry.ConfirmationToken != "" {
		t.Errorf("%s", r.raw)
	}
}
