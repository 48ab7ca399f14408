package faults_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// Where nothing is planned, a ledger with faults is a ledger.
func TestConformance(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(t *testing.T) ledgertest.Opener {
		path := filepath.Join(t.TempDir(), "ledger", "changes.db")
		return func(clock func() time.Time) ledger.Store {
			s := faults.NewJoiner(open(t, path, sqlite.WithClock(clock)), nil)
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
	})
}

func open(t *testing.T, path string, opts ...sqlite.Option) *sqlite.Store {
	t.Helper()
	opts = append(opts, sqlite.WithBusyTimeout(time.Minute), sqlite.WithLogger(slog.New(slog.DiscardHandler)))
	s, err := sqlite.Open(t.Context(), path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// newStore is a ledger with faults, and the one below.
func newStore(t *testing.T) (*faults.Store, ledger.Store) {
	t.Helper()
	below := open(t, filepath.Join(t.TempDir(), "ledger", "changes.db"))
	return faults.New(below, nil), below
}

func change(id string) ledger.Record {
	return ledger.Record{Fixed: ledger.Fixed{ID: id, RequestID: id}, Mutable: ledger.Mutable{Status: ledger.Pending}}
}

var previewed = ledger.Event{Actor: "agent", To: ledger.Pending}

// is tells whether a ledger has a change.
func is(t *testing.T, s ledger.Store, id string) bool {
	t.Helper()
	_, _, err := s.Get(context.Background(), id)
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func TestFaultOfAWriteIsWhatItSays(t *testing.T) {
	t.Parallel()
	var heard []string
	hear := func(what string) func() { return func() { heard = append(heard, what) } }
	for name, test := range map[string]struct {
		fault   faults.Fault
		written bool
		err     error
	}{
		"none":         {faults.Fault{}, true, nil},
		"refused":      {faults.Refuse(ledger.ErrBusy), false, ledger.ErrBusy},
		"lost":         {faults.Lose(faults.ErrLost), true, faults.ErrLost},
		"left":         {faults.Leave(), false, context.Canceled},
		"before":       {faults.Before("somebody knocks", hear("before")), true, nil},
		"after":        {faults.After("somebody knocks", hear("after")), true, nil},
		"acknowledged": {faults.Fault{Name: "nothing", Do: func(context.Context, func(context.Context) error) error { return nil }}, false, nil},
	} {
		s, below := newStore(t)
		s.Set(faults.NthOf(faults.Insert, 1, test.fault))
		if err := s.Insert(t.Context(), change("chg_1"), previewed); !errors.Is(err, test.err) {
			t.Errorf("%s: %v", name, err)
		}
		if got := is(t, below, "chg_1"); got != test.written {
			t.Errorf("%s: written %v", name, got)
		}
		if err := s.Insert(t.Context(), change("chg_2"), previewed); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
		if many := len(s.Injected()); many != 0 && test.fault.Do == nil || many != 1 && test.fault.Do != nil {
			t.Errorf("%s: %v", name, s.Injected())
		}
	}
	if slices.Sort(heard); !slices.Equal(heard, []string{"after", "before"}) {
		t.Errorf("heard %q", heard)
	}
}

// A read whose answer is lost gives nothing away; one that goes wrong by itself gives what the ledger gave.
func TestReadThatFailsGivesNoValue(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	if err := s.Insert(t.Context(), change("chg_1"), previewed); err != nil {
		t.Fatal(err)
	}
	s.Set(func(faults.Call) faults.Fault { return faults.Lose(faults.ErrLost) })
	r, c, err := s.Get(t.Context(), "chg_1")
	if r.ID != "" || !c.Now.IsZero() || !errors.Is(err, faults.ErrLost) {
		t.Errorf("get: %+v, %v, %v", r, c, err)
	}
	listed, err := s.List(t.Context(), ledger.Query{})
	if listed != nil || !errors.Is(err, faults.ErrLost) {
		t.Errorf("list: %v, %v", listed, err)
	}
	s.Set(func(faults.Call) faults.Fault { return faults.After("nothing", func() {}) })
	if _, c, err = s.Get(t.Context(), "chg_2"); c.Now.IsZero() || !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("get of no change: %v, %v", c, err)
	}
}

func TestPanicComesWhereItIsPlanned(t *testing.T) {
	t.Parallel()
	for _, written := range []bool{false, true} {
		s, below := newStore(t)
		s.Set(faults.Nth(1, faults.Panic("the driver", written)))
		func() {
			defer func() {
				if got := recover(); got != "the driver" {
					t.Errorf("panicked with %v", got)
				}
			}()
			_ = s.Insert(t.Context(), change("chg_1"), previewed)
		}()
		if is(t, below, "chg_1") != written {
			t.Errorf("written %v", !written)
		}
	}
}

func TestLateCallIsCarriedOutAfterItsAnswer(t *testing.T) {
	t.Parallel()
	s, below := newStore(t)
	var late func()
	s.Set(faults.Nth(1, faults.Late(faults.ErrLost, func(call func()) { late = call })))
	if err := s.Insert(t.Context(), change("chg_1"), previewed); !errors.Is(err, faults.ErrLost) || is(t, below, "chg_1") {
		t.Errorf("answered %v; it is there: %v", err, is(t, below, "chg_1"))
	}
	late()
	if !is(t, below, "chg_1") {
		t.Error("it was never carried out")
	}
}

// A Join is met before it, between its body and the commit, and after it.
func TestFaultsOfAJoin(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		plan         faults.Plan
		ran, written bool
		err          error
	}{
		"none":              {nil, true, true, nil},
		"not carried out":   {faults.NthOf(faults.Join, 1, faults.Refuse(ledger.ErrBusy)), false, false, ledger.ErrBusy},
		"before the commit": {faults.NthOf(faults.Commit, 1, faults.Refuse(faults.ErrLost)), true, false, ledger.ErrRolledBack},
		"answer lost":       {faults.NthOf(faults.Join, 1, faults.Lose(faults.ErrLost)), true, true, faults.ErrLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := faults.NewJoiner(open(t, filepath.Join(t.TempDir(), "ledger", "changes.db")), nil)
			if err := claimOf(t, j, "chg_1", "holder"); err != nil {
				t.Fatal(err)
			}
			j.Set(test.plan)
			ran := false
			err := j.Join(t.Context(), func(context.Context) (ledger.Record, ledger.Event, error) {
				ran = true
				r := change("chg_1")
				r.Revision, r.Status = 2, ledger.Applied
				return r, ledger.Event{Actor: "guard", From: ledger.Applying, To: ledger.Applied}, nil
			})
			r, _, lookErr := j.Get(t.Context(), "chg_1")
			if !errors.Is(err, test.err) || ran != test.ran || (r.Status == ledger.Applied) != test.written || lookErr != nil {
				t.Errorf("join: %v; the body ran: %v; it is %s, %v", err, ran, r.Status, lookErr)
			}
		})
	}
}

func TestSameSeedPlansTheSameFaults(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) (told []string) {
		s, _ := newStore(t)
		s.Set(faults.Seeded(seed, faults.Share{Of: 2000, Fault: faults.Refuse(ledger.ErrBusy)}, faults.Share{Of: 2000, Fault: faults.Lose(faults.ErrLost)}))
		for range 50 {
			_, _ = s.Now(t.Context())
		}
		for _, i := range s.Injected() {
			told = append(told, i.String())
		}
		return told
	}
	first := run(7)
	if diff := cmp.Diff(first, run(7)); diff != "" || len(first) == 0 || len(first) == 50 {
		t.Errorf("%d faults of 50 calls, and with the same seed (-first +second):\n%s", len(first), diff)
	}
	if cmp.Equal(first, run(8)) {
		t.Error("another seed plans the same")
	}
}

func TestCallsAreNumberedAnewWithEachPlan(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	for range 2 {
		s.Set(faults.Nth(2, faults.Refuse(ledger.ErrBusy)))
		for n, want := range []error{nil, ledger.ErrBusy, nil} {
			if _, err := s.Now(t.Context()); !errors.Is(err, want) {
				t.Errorf("call %d: %v", n+1, err)
			}
		}
	}
}

// claimOf is a change as a claim of a holder leaves it.
func claimOf(t *testing.T, s ledger.Store, id, holder string) error {
	t.Helper()
	if err := s.Insert(t.Context(), change(id), previewed); err != nil {
		t.Fatal(err)
	}
	r := change(id)
	r.Revision, r.Status, r.ClaimID, r.Holder = 1, ledger.Applying, "claim", holder
	return s.Swap(t.Context(), r, time.Time{}, ledger.Event{Actor: "agent", From: ledger.Pending, To: ledger.Applying})
}

func TestHoldThatIsLostStillClaims(t *testing.T) {
	t.Parallel()
	s, below := newStore(t)
	h, err := s.Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantLost(t, h, false)
	s.LoseHolds()
	s.LoseHolds()
	wantLost(t, h, true)
	if err := claimOf(t, s, "chg_1", h.Name()); err != nil {
		t.Error(err)
	}
	if is, err := below.Holder(t.Context(), h.Name()); is != ledger.Alive {
		t.Errorf("it is %v, %v", is, err)
	}
	if err := h.Release(); err != nil {
		t.Error(err)
	}
}

func TestHoldThatIsOverClaimsNothingAndIsGoneForAll(t *testing.T) {
	t.Parallel()
	s, below := newStore(t)
	h, err := s.Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := claimOf(t, s, "chg_1", h.Name()); err != nil {
		t.Fatal(err)
	}
	if err := s.EndHolds(); err != nil {
		t.Fatal(err)
	}
	wantLost(t, h, true)
	if err := claimOf(t, s, "chg_2", h.Name()); !errors.Is(err, ledger.ErrHoldOver) {
		t.Errorf("a claim: %v", err)
	}
	for _, of := range []ledger.Store{s, below} {
		if is, err := of.Holder(t.Context(), h.Name()); is != ledger.Gone {
			t.Errorf("it is %v, %v", is, err)
		}
	}
	again, err := s.Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantLost(t, again, false)
	if err := claimOf(t, s, "chg_3", again.Name()); err != nil {
		t.Errorf("a claim of the next hold: %v", err)
	}
	_, _ = h.Release(), again.Release()
}

func wantLost(t *testing.T, h ledger.Hold, want bool) {
	t.Helper()
	lost := false
	select {
	case <-h.Lost():
		lost = true
	default:
	}
	if lost != want {
		t.Errorf("the hold is lost: %v", lost)
	}
}
