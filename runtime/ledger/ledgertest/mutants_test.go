package ledgertest_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// asMutant is the environment variable of a process that runs the suite against a mutant.
const asMutant = "CHANGESET_TEST_MUTANT"

const (
	// patience bounds what a test waits for. It is no expectation: a busy machine may stall for long.
	patience = 2 * time.Minute
	// soon is when the suite gives up waiting for what a mutant never lets come. To fail by that is to fail.
	soon = 5 * time.Second
)

// mutant is a store that breaks a promise, and the test that has to fail for it.
type mutant struct {
	promise string
	of      func(s ledger.Store) ledger.Store
}

// keeping is the mutant whose test waits for what never comes.
const keeping = "keeps those who want to leave"

// mutants are all of them by their names.
var mutants = func() map[string]mutant {
	all := maps.Clone(misbehaving)
	maps.Copy(all, losses)
	return all
}()

// misbehaving are mutants that do something else than they were told to.
var misbehaving = map[string]mutant{
	"acknowledges an insert and writes nothing": {"InsertStoresEveryField", planned(faults.Insert, acknowledge)},
	"acknowledges a swap and writes nothing":    {"SwapWritesEveryMutableField", planned(faults.Swap, acknowledge)},
	"forgets one of those that waited":          {"InsertsThatWaitedTogetherKeepToACap", planned(faults.Insert, every(3, acknowledge))},
	"fails all that waited with one":            {"WritesThatWaitedTogetherHaveVerdictsOfTheirOwn", failsAll},
	"lets all who claim at once win":            {"OneOfManySwapsThatWaitedTogetherWins", planned(faults.Swap, forgive(ledger.ErrConflict))},
	"lets all who make an id at once win":       {"OneOfManyInsertsThatWaitedTogetherWins", planned(faults.Insert, forgive(ledger.ErrExists))},
	"lets all who make a request at once win":   {"OneOfManyInsertsThatWaitedTogetherWins", planned(faults.Insert, forgive(ledger.ErrRequested))},
	"counts before the inserts that waited":     {"InsertsThatWaitedTogetherKeepToACap", func(s ledger.Store) ledger.Store { return &counting{Store: s} }},
	"counts before the claims that waited":      {"ClaimsThatWaitedTogetherKeepToACap", func(s ledger.Store) ledger.Store { return &counting{Store: s} }},
	"loses an event of those that waited":       {"WritesThatWaitedTogetherLandWithTheirEvents", func(s ledger.Store) ledger.Store { return forgetful{s} }},
	"writes a pair one after the other":         {"ReadersSeeBothOrNeitherOfAPair", func(s ledger.Store) ledger.Store { return &torn{s, make(chan struct{})} }},
	"reads what it has read before":             {"AWriteIsSeenByOtherStoresAtOnce", func(s ledger.Store) ledger.Store { return &stale{Store: s} }},
	"writes for those who left the queue":       {"LeavingTheQueueWritesNothing", planned(faults.Insert, leaveBehind)},
	keeping:                                     {"LeavingTheQueueWritesNothing", planned(faults.Insert, keep)},
	"gives up a write that has begun":           {"LeavingAfterTheTransactionBeganChangesNothing", planned(faults.Insert, leaveBehind)},
	"judges by the time before the wait":        {"ExpiryIsJudgedAfterTheWaitForATurn", func(s ledger.Store) ledger.Store { return hasty{s} }},
	"takes a hold for lost that is not":         {"AHoldIsNotLostWhileItIsRenewed", planned(faults.Holder, acknowledge)},
	"loses a hold":                              {"AHoldIsNotLostWhileItIsRenewed", losesHolds},
	"finds again who was gone":                  {"AHolderThatIsGoneStaysGone", func(s ledger.Store) ledger.Store { return &medium{Store: s} }},
	"lets those claim who are over":             {"AHolderThatIsOverClaimsNothing", func(s ledger.Store) ledger.Store { return leased{s} }},
	"acknowledges a prune and deletes nothing":  {"PruneAndWritesAtOnceLoseNothing", planned(faults.Prune, acknowledge)},
	"refuses what those left who are over":      {"AHolderThatIsOverCanBeSettled", func(s ledger.Store) ledger.Store { return unforgiving{s} }},
}

// A store that breaks a promise fails the test of that promise. Each is run in a process of its own, whose tests fail.
func TestSuiteFailsAStoreThatBreaksAPromise(t *testing.T) {
	if name := os.Getenv(asMutant); name != "" {
		if name == keeping {
			ledgertest.WaitAtMost(soon)
		}
		runSuite(t, mutants[name].of)
		return
	}
	t.Parallel()
	suite := t.Name()
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			child := exec.Command(os.Args[0], "-test.run=^"+suite+"$/^"+m.promise+"$", "-test.timeout="+patience.String())
			child.Env = append(os.Environ(), asMutant+"="+name)
			out, err := child.CombinedOutput()
			var failed *exec.ExitError
			if !errors.As(err, &failed) || !strings.Contains(string(out), "--- FAIL: "+suite+"/"+m.promise) {
				t.Errorf("%s does not fail: %v\n%s", m.promise, err, out)
			}
		})
	}
}

// runSuite runs both parts of the suite, of which the pattern of the process selects a test. What it selects of joins needs no
// table.
func runSuite(t *testing.T, of func(ledger.Store) ledger.Store) {
	ledgertest.Run(t, func(t *testing.T) ledgertest.Opener { return opener(t, of) })
	ledgertest.RunJoin(t, func(t *testing.T) (ledgertest.Opener, ledgertest.Rows) { return opener(t, of), ledgertest.Rows{} })
}

// opener opens mutants of one ledger.
func opener(t *testing.T, of func(ledger.Store) ledger.Store) ledgertest.Opener {
	path := filepath.Join(t.TempDir(), "ledger", "changes.db")
	return func(clock func() time.Time) ledger.Store {
		s, err := sqlite.Open(t.Context(), path, sqlite.WithClock(clock), sqlite.WithBusyTimeout(time.Minute), sqlite.WithLogger(slog.New(slog.DiscardHandler)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return of(s)
	}
}

type do = func(ctx context.Context, call func(context.Context) error) error

// planned is a store that does something else for every call of a method.
func planned(m faults.Method, instead do) func(ledger.Store) ledger.Store {
	return func(s ledger.Store) ledger.Store {
		return faults.New(s, func(c faults.Call) faults.Fault {
			if c.Method == m {
				return faults.Fault{Do: instead}
			}
			return faults.Fault{}
		})
	}
}

func acknowledge(context.Context, func(context.Context) error) error { return nil }

// every does something else at every n-th call only.
func every(n int64, instead do) do {
	var calls atomic.Int64
	return func(ctx context.Context, call func(context.Context) error) error {
		if calls.Add(1)%n == 0 {
			return instead(ctx, call)
		}
		return call(ctx)
	}
}

func forgive(fault error) do {
	return func(ctx context.Context, call func(context.Context) error) error {
		if err := call(ctx); !errors.Is(err, fault) {
			return err
		}
		return nil
	}
}

func leaveBehind(ctx context.Context, call func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- call(context.WithoutCancel(ctx)) }()
	select {
	case err := <-done:
		return cmp.Or(ctx.Err(), err) // who has left by then is told so, whichever came first
	case <-ctx.Done():
		return ctx.Err()
	}
}

func keep(ctx context.Context, call func(context.Context) error) error {
	_ = ctx.Err()
	return call(context.WithoutCancel(ctx))
}

func failsAll(s ledger.Store) ledger.Store {
	var failure atomic.Pointer[error]
	return faults.New(s, func(faults.Call) faults.Fault {
		return faults.Fault{Do: func(ctx context.Context, call func(context.Context) error) error {
			if before := failure.Swap(nil); before != nil {
				return *before
			}
			err := call(ctx)
			if err != nil {
				failure.Store(&err)
			}
			return err
		}}
	})
}

func losesHolds(s ledger.Store) ledger.Store {
	f := faults.New(s, nil)
	f.Set(func(c faults.Call) faults.Fault {
		if c.Method != faults.Swap {
			return faults.Fault{}
		}
		return faults.After("the hold is lost", f.LoseHolds)
	})
	return f
}

// counting counts once what is there, for all whose writes wait for their turn: none of them was written by then.
type counting struct {
	ledger.Store
	once   sync.Once
	n      int
	failed error
}

func (c *counting) full(ctx context.Context, caps []ledger.Cap) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, limit := range caps {
		c.once.Do(func() { c.n, c.failed = c.Store.Count(ctx, limit.Of) })
		if c.failed != nil || c.n >= limit.Max {
			return errors.Join(c.failed, &ledger.CapError{Cap: limit})
		}
	}
	return nil
}

func (c *counting) Insert(ctx context.Context, r ledger.Record, e ledger.Event, caps ...ledger.Cap) error {
	if err := c.full(ctx, caps); err != nil {
		return err
	}
	return c.Store.Insert(ctx, r, e)
}

func (c *counting) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	if err := c.full(ctx, caps); err != nil {
		return err
	}
	return c.Store.Swap(ctx, r, notAfter, e)
}

// forgetful has one event less of every other change that was moved.
type forgetful struct{ ledger.Store }

func (f forgetful) Events(ctx context.Context, id string) ([]ledger.Event, error) {
	found, err := f.Store.Events(ctx, id)
	if len(found) > 1 && strings.HasSuffix(id, "1") {
		return found[:len(found)-1], err
	}
	return found, err
}

// torn writes both of a pair, and lets others list between.
type torn struct {
	ledger.Store
	listed chan struct{}
}

func (p *torn) List(ctx context.Context, q ledger.Query) ([]ledger.Record, error) {
	found, err := p.Store.List(ctx, q)
	select {
	case p.listed <- struct{}{}:
	default:
	}
	return found, err
}

func (p *torn) SwapInsert(ctx context.Context, old ledger.Record, e ledger.Event, fresh ledger.Record, first ledger.Event, caps ...ledger.Cap) error {
	if err := p.Store.Swap(ctx, old, time.Time{}, e); err != nil {
		return err
	}
	select {
	case <-p.listed:
	case <-time.After(patience):
	}
	return p.Store.Insert(ctx, fresh, first, caps...)
}

// stale gives what it has read once, or not found, again.
type stale struct {
	ledger.Store
	known sync.Map
}

func (s *stale) Get(ctx context.Context, id string) (ledger.Record, ledger.Clock, error) {
	type read struct {
		r   ledger.Record
		c   ledger.Clock
		err error
	}
	var got read
	got.r, got.c, got.err = s.Store.Get(ctx, id)
	known, _ := s.known.LoadOrStore(id, got)
	got = known.(read)
	return got.r, got.c, got.err
}

// hasty judges a limit once: when the change was made.
type hasty struct{ ledger.Store }

func (h hasty) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	if !r.CreatedAt.Before(notAfter) && !notAfter.IsZero() {
		return ledger.ErrExpired
	}
	return h.Store.Swap(ctx, r, time.Time{}, e, caps...)
}

// medium hears again from a holder that is gone.
type medium struct {
	ledger.Store
	asked atomic.Int64
}

func (m *medium) Holder(ctx context.Context, name string) (ledger.Liveness, error) {
	is, err := m.Store.Holder(ctx, name)
	if is == ledger.Gone && m.asked.Add(1) > 1 {
		is = ledger.Alive
	}
	return is, err
}

// leased has holds that may be lost, and lets them claim when they are.
type leased struct{ ledger.Store }

func (l leased) Hold(ctx context.Context) (ledger.Hold, error) {
	h, err := l.Store.Hold(ctx)
	return losable{h}, err
}

type losable struct{ ledger.Hold }

func (losable) Lost() <-chan struct{} { return make(chan struct{}) }

// unforgiving refuses every move of a change whose holder is gone.
type unforgiving struct{ ledger.Store }

func (u unforgiving) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	if is, _ := u.Store.Holder(ctx, r.Holder); is == ledger.Gone {
		return ledger.ErrHoldOver
	}
	return u.Store.Swap(ctx, r, notAfter, e, caps...)
}
