package ledgertest

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Rows are a table of the test's own, in the database of a ledger.
type Rows struct {
	// Add adds a row in the transaction of a joined body, which is called with ctx.
	Add func(ctx context.Context, text string) error
	// Commit and Rollback end that transaction, as far as a body can.
	Commit, Rollback func(ctx context.Context) error
	// Exec makes a statement of SQL in it, COMMIT and ROLLBACK among them; nil where a body can make none.
	Exec func(ctx context.Context, statement string) error
	// All are the texts of all rows that are committed, in any order.
	All func() []string
}

// RunJoin runs the part of the suite that is about stores which are a ledger.Joiner, a subtest for each promise. NewLedger
// prepares an empty ledger for one subtest, with a table beside it.
func RunJoin(t *testing.T, newLedger func(t *testing.T) (Opener, Rows)) {
	for _, c := range joinTests {
		t.Run(c.promise, func(t *testing.T) {
			t.Parallel()
			open, rows := newLedger(t)
			now := newClock()
			s, ok := open(now.read).(ledger.Joiner)
			if !ok {
				t.Fatal("the store is no ledger.Joiner")
			}
			c.test(t, &joinTest{store: s, rows: rows, now: now})
		})
	}
}

// joinPromise is one promise of a ledger.Joiner, and the test that it is kept.
type joinPromise struct {
	promise string
	test    func(t *testing.T, j *joinTest)
}

var joinTests = []joinPromise{
	{"JoinWritesTheRecordWithWhatItsBodyWrote", joinWritesBoth},
	{"JoinWritesEveryMutableField", joinWritesEveryMutableField},
	{"JoinClearsMutableFields", joinClearsMutableFields},
	{"JoinLeavesFixedFields", joinLeavesFixedFields},
	{"JoinWritesNothingWhenItsBodyFails", joinWritesNothingWhenItsBodyFails},
	{"JoinWritesNothingWhenItsBodyPanics", joinWritesNothingWhenItsBodyPanics},
	{"JoinWritesNothingWhenItsContextIsOver", joinWritesNothingWhenItsContextIsOver},
	{"JoinWritesNothingOnceItsCallerHasLeft", joinWritesNothingOnceItsCallerHasLeft},
	{"JoinWritesNothingOverARecordThatMoved", joinWritesNothingOverARecordThatMoved},
	{"JoinWritesNothingOverARecordThatIsNotThere", joinWritesNothingOverARecordThatIsNotThere},
	{"JoinWritesNothingWhenItsBodyEndsItsGoroutine", joinWritesNothingWhenItsBodyEndsItsGoroutine},
	{"JoinWritesNothingThatItsBodyCommitted", joinWritesNothingThatItsBodyCommitted},
	{"JoinWritesNothingThatItsBodyRolledBack", joinWritesNothingThatItsBodyRolledBack},
	{"JoinWritesNothingThatItsBodyCommittedInSQL", joinWritesNothingThatItsBodyEndedBy("COMMIT")},
	{"JoinWritesNothingThatItsBodyRolledBackInSQL", joinWritesNothingThatItsBodyEndedBy("ROLLBACK")},
	{"JoinedBodiesThatAreBackWriteNothing", joinedBodiesThatAreBackWriteNothing},
	{"OneOfManyJoinsWrites", oneOfManyJoinsWrites},
}

// joinTest is a store with a table beside its ledger.
type joinTest struct {
	store ledger.Joiner
	rows  Rows
	now   *clock
}

// joinedEnd is the event of a joined apply.
var joinedEnd = event("guard", ledger.Applying, ledger.Applied)

// claimed is a change with a joined claim.
func (j *joinTest) claimed(t *testing.T) ledger.Record {
	t.Helper()
	r := claim(insert(t, j.store, plain(1)), "clm_1", "")
	r.Joined = true
	return swap(t, j.store, r, claimed)
}

// applied is r as the end of an apply leaves it.
func applied(r ledger.Record) ledger.Record {
	r.Status, r.After, r.AppliedAt = ledger.Applied, []byte(`{"value":"dark"}`), noon
	return r
}

// writing is a body that adds a row and says that r is applied.
func (j *joinTest) writing(r ledger.Record) func(context.Context) (ledger.Record, ledger.Event, error) {
	return func(ctx context.Context) (ledger.Record, ledger.Event, error) {
		return applied(r), joinedEnd, j.rows.Add(ctx, "written")
	}
}

// wroteNothing checks that no row is there and that the change is as it was, and that the store still does its work.
func (j *joinTest) wroteNothing(t *testing.T, before snapshot) {
	t.Helper()
	equal(t, "rows", len(j.rows.All()), 0)
	equal(t, "the change", look(t, j.store, before.Record.ID), before)
	insert(t, j.store, plain(2))
}

func joinWritesBoth(t *testing.T, j *joinTest) {
	r := j.claimed(t)
	j.now.set(noon.Add(time.Minute))
	if err := j.store.Join(t.Context(), j.writing(r)); err != nil {
		t.Fatal(err)
	}
	want := applied(r)
	want.Revision, want.UpdatedAt = r.Revision+1, noon.Add(time.Minute)
	equal(t, "the record", get(t, j.store, r.ID), want)
	equal(t, "its latest event", events(t, j.store, r.ID)[2:], []ledger.Event{stamped(joinedEnd, 3, noon.Add(time.Minute))})
	equal(t, "rows", j.rows.All(), []string{"written"})
}

func joinWritesEveryMutableField(t *testing.T, j *joinTest) { j.byJoin(t, writesEveryMutableField) }
func joinClearsMutableFields(t *testing.T, j *joinTest)     { j.byJoin(t, clearsMutableFields) }
func joinLeavesFixedFields(t *testing.T, j *joinTest)       { j.byJoin(t, leavesFixedFields) }

func (j *joinTest) byJoin(t *testing.T, test moveTest) {
	test(t, j.store, j.now, func(r ledger.Record, e ledger.Event) error {
		return j.store.Join(t.Context(), func(context.Context) (ledger.Record, ledger.Event, error) { return r, e, nil })
	})
}

func joinWritesNothingWhenItsBodyFails(t *testing.T, j *joinTest) {
	r, cause := j.claimed(t), errors.New("no")
	before := look(t, j.store, r.ID)
	err := j.store.Join(t.Context(), func(ctx context.Context) (ledger.Record, ledger.Event, error) {
		return applied(r), joinedEnd, errors.Join(j.rows.Add(ctx, "written"), cause)
	})
	failsWith(t, "join", err, cause)
	failsWith(t, "join", err, ledger.ErrRolledBack)
	j.wroteNothing(t, before)
}

func joinWritesNothingWhenItsBodyPanics(t *testing.T, j *joinTest) {
	r := j.claimed(t)
	before := look(t, j.store, r.ID)
	func() {
		defer func() { equal(t, "what is passed on", recover(), any("out of order")) }()
		err := j.store.Join(t.Context(), func(ctx context.Context) (ledger.Record, ledger.Event, error) {
			if err := j.rows.Add(ctx, "written"); err != nil {
				t.Error(err)
			}
			panic("out of order")
		})
		t.Errorf("join returned %v", err)
	}()
	j.wroteNothing(t, before)
}

// joinWritesNothingWhenItsBodyEndsItsGoroutine does what a test does that fails inside of a body.
func joinWritesNothingWhenItsBodyEndsItsGoroutine(t *testing.T, j *joinTest) {
	r := j.claimed(t)
	before := look(t, j.store, r.ID)
	var all sync.WaitGroup
	all.Go(func() {
		err := j.store.Join(t.Context(), func(ctx context.Context) (ledger.Record, ledger.Event, error) {
			if err := j.rows.Add(ctx, "written"); err != nil {
				t.Error(err)
			}
			runtime.Goexit()
			return applied(r), joinedEnd, nil
		})
		t.Errorf("join returned %v", err)
	})
	all.Wait()
	j.wroteNothing(t, before)
}

func joinWritesNothingWhenItsContextIsOver(t *testing.T, j *joinTest) {
	r := j.claimed(t)
	before := look(t, j.store, r.ID)
	ctx, leave := context.WithCancel(t.Context())
	err := j.store.Join(ctx, func(ctx context.Context) (ledger.Record, ledger.Event, error) {
		if err := j.rows.Add(ctx, "written"); err != nil {
			t.Error(err)
		}
		leave()
		return applied(r), joinedEnd, nil
	})
	failsWith(t, "join", err, ledger.ErrRolledBack)
	failsWith(t, "join", err, context.Canceled)
	j.wroteNothing(t, before)
}

func joinWritesNothingOnceItsCallerHasLeft(t *testing.T, j *joinTest) {
	r := j.claimed(t)
	before := look(t, j.store, r.ID)
	failsWith(t, "join", j.store.Join(cancelled(t), j.writing(r)), ledger.ErrRolledBack)
	j.wroteNothing(t, before)
}

func joinWritesNothingOverARecordThatMoved(t *testing.T, j *joinTest) {
	r := j.claimed(t)
	moved := r
	moved.Status = ledger.ApplyFailed
	swap(t, j.store, moved, failed)
	before := look(t, j.store, r.ID)
	failsWith(t, "join", j.store.Join(t.Context(), j.writing(r)), ledger.ErrConflict)
	j.wroteNothing(t, before)
}

func joinWritesNothingOverARecordThatIsNotThere(t *testing.T, j *joinTest) {
	r := j.claimed(t)
	before := look(t, j.store, r.ID)
	other := r
	other.ID = id(7)
	failsWith(t, "join", j.store.Join(t.Context(), j.writing(other)), ledger.ErrConflict)
	j.wroteNothing(t, before)
}

// joinWritesNothingThatItsBodyCommitted has a body go on after it has tried. What it does then would not be kept.
func joinWritesNothingThatItsBodyCommitted(t *testing.T, j *joinTest) {
	r := j.claimed(t)
	before := look(t, j.store, r.ID)
	err := j.store.Join(t.Context(), func(ctx context.Context) (ledger.Record, ledger.Event, error) {
		err := j.rows.Add(ctx, "written")
		if j.rows.Commit(ctx) == nil {
			t.Error("the body committed")
		}
		equal(t, "rows before the body is back", len(j.rows.All()), 0)
		if j.rows.Add(ctx, "more") == nil {
			t.Error("it goes on after a commit")
		}
		return applied(r), joinedEnd, err
	})
	failsWith(t, "join", err, ledger.ErrRolledBack)
	j.wroteNothing(t, before)
}

func joinWritesNothingThatItsBodyRolledBack(t *testing.T, j *joinTest) {
	r := j.claimed(t)
	before := look(t, j.store, r.ID)
	err := j.store.Join(t.Context(), func(ctx context.Context) (ledger.Record, ledger.Event, error) {
		return applied(r), joinedEnd, errors.Join(j.rows.Add(ctx, "written"), j.rows.Rollback(ctx))
	})
	failsWith(t, "join", err, ledger.ErrRolledBack)
	j.wroteNothing(t, before)
}

// joinWritesNothingThatItsBodyEndedBy has a body try that with a statement, and say that all is well.
func joinWritesNothingThatItsBodyEndedBy(statement string) func(t *testing.T, j *joinTest) {
	return func(t *testing.T, j *joinTest) {
		if j.rows.Exec == nil {
			t.Skip("a body makes no statements of SQL")
		}
		r := j.claimed(t)
		before := look(t, j.store, r.ID)
		err := j.store.Join(t.Context(), func(ctx context.Context) (ledger.Record, ledger.Event, error) {
			err := j.rows.Add(ctx, "written")
			if j.rows.Exec(ctx, statement) == nil {
				t.Error("it was carried out")
			}
			if j.rows.Add(ctx, "more") == nil {
				t.Error("it goes on afterwards")
			}
			return applied(r), joinedEnd, err
		})
		failsWith(t, "join", err, ledger.ErrRolledBack)
		j.wroteNothing(t, before)
	}
}

// joinedBodiesThatAreBackWriteNothing keeps the context of a body, with which what the body has left running goes on.
func joinedBodiesThatAreBackWriteNothing(t *testing.T, j *joinTest) {
	r := j.claimed(t)
	var kept context.Context
	err := j.store.Join(t.Context(), func(ctx context.Context) (ledger.Record, ledger.Event, error) {
		kept = context.WithoutCancel(ctx)
		return applied(r), joinedEnd, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.rows.Add(kept, "late"); err == nil {
		t.Error("a row was added after the commit")
	}
	equal(t, "rows", len(j.rows.All()), 0)
}

func oneOfManyJoinsWrites(t *testing.T, j *joinTest) {
	const many = 8
	r := j.claimed(t)
	verdicts := make([]error, many)
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() { verdicts[i] = j.store.Join(t.Context(), j.writing(r)) })
	}
	all.Wait()
	wrote := 0
	for _, err := range verdicts {
		if err == nil {
			wrote++
		} else if !errors.Is(err, ledger.ErrConflict) && !errors.Is(err, ledger.ErrRolledBack) {
			t.Errorf("join: %v", err)
		}
	}
	equal(t, "joins that wrote", wrote, 1)
	equal(t, "rows", j.rows.All(), []string{"written"})
	equal(t, "the status", get(t, j.store, r.ID).Status, ledger.Applied)
}
