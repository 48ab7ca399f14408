package runtime_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// An old change in every status, and a young one that is expired: id by id, the oldest first.
func insertAges(t *testing.T, w *world) {
	t.Helper()
	n := 0
	insert := func(status ledger.Status, change func(*ledger.Record)) {
		n++
		insertWaiting(t, w, fmt.Sprintf("chg_%020d", n), func(r *ledger.Record) {
			r.Status = status
			if status != ledger.Pending && status != ledger.Expired && status != ledger.Rejected {
				r.ClaimID = "c"
			}
			change(r)
		})
	}
	as := func(*ledger.Record) {}
	insert(ledger.Expired, as)     // 1
	insert(ledger.Rejected, as)    // 2
	insert(ledger.Undone, as)      // 3
	insert(ledger.ApplyFailed, as) // 4
	insert(ledger.UndoFailed, as)  // 5
	insert(ledger.Pending, as)     // 6
	insert(ledger.Applying, as)    // 7
	insert(ledger.Undoing, as)     // 8
	insert(ledger.Applied, as)     // 9, which cannot be undone
	insert(ledger.Applied, func(r *ledger.Record) {
		r.UndoToken, r.UndoExpiresAt = []byte("hash"), r.CreatedAt.Add(1000*time.Hour)
	}) // 10, which can be
	w.clock.move(40 * 24 * time.Hour)
	insert(ledger.Expired, as)  // 11
	insert(ledger.Rejected, as) // 12
	w.clock.move(time.Hour)
}

func leftIn(t *testing.T, w *world) (ids []int) {
	t.Helper()
	records, err := w.store.List(t.Context(), ledger.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		var n int
		if _, err := fmt.Sscanf(r.ID, "chg_%d", &n); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, n)
	}
	return ids
}

func TestPruneDeletesWhatIsOverAndNothingElse(t *testing.T) {
	t.Parallel()
	month := 30 * 24 * time.Hour
	for name, test := range map[string]struct {
		opts runtime.PruneOptions
		left []int
	}{
		"older than":           {runtime.PruneOptions{OlderThan: month}, []int{6, 7, 8, 9, 10, 11, 12}},
		"older, and applied":   {runtime.PruneOptions{OlderThan: month, IncludeApplied: true}, []int{6, 7, 8, 10, 11, 12}},
		"all that is over":     {runtime.PruneOptions{}, []int{6, 7, 8, 9, 10, 12}},
		"forgotten rejections": {runtime.PruneOptions{RejectionMemory: time.Minute}, []int{6, 7, 8, 9, 10}},
		"keep the newest":      {runtime.PruneOptions{Keep: 4}, []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		"keep more than all":   {runtime.PruneOptions{Keep: 100}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			insertAges(t, w)
			o := operatorOf(t, w.store)
			before := len(leftIn(t, w))
			expected, err := o.Rehearse().Prune(t.Context(), test.opts)
			if err != nil || len(leftIn(t, w)) != before {
				t.Fatalf("%v: rehearsed, and %d are left of %d", err, len(leftIn(t, w)), before)
			}
			var told int
			test.opts.Progress = func(done, of int) {
				if told = done; done > of || of != expected.Changes {
					t.Errorf("progress %d of %d, want of %d", done, of, expected.Changes)
				}
			}
			deleted, err := o.Prune(t.Context(), test.opts)
			if left := leftIn(t, w); err != nil || !slices.Equal(left, test.left) {
				t.Fatalf("%v: left %d, want %d", err, left, test.left)
			}
			if n := deleted.Changes; n != before-len(test.left) || n != told || len(deleted.First) != min(n, 5) {
				t.Errorf("deleted %+v, told %d", deleted, told)
			}
			if diff := cmp.Diff(expected, deleted, cmpopts.IgnoreUnexported(runtime.Pruned{})); diff != "" {
				t.Errorf("rehearsed and deleted (-want +got):\n%s", diff)
			}
		})
	}
}

// What was never rehearsed was agreed to by nobody.
func TestPruneRefusesOptionsThatMeanNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	insertAges(t, w)
	before := len(leftIn(t, w))
	for _, opts := range []runtime.PruneOptions{{Within: &runtime.Pruned{}}, {Keep: -1}} {
		if _, err := operatorOf(t, w.store).Prune(t.Context(), opts); err == nil || len(leftIn(t, w)) != before {
			t.Errorf("%+v: %v, and %d are left of %d", opts, err, len(leftIn(t, w)), before)
		}
	}
}

// Who agreed to a plan agreed to nothing that came to be over while they thought about it, nor to a change whose undo
// ended meanwhile.
func TestPruneDeletesNothingBesideWhatARehearsalFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	insertAges(t, w)
	insertWaiting(t, w, "chg_00000000000000000013", func(r *ledger.Record) {
		r.Status, r.ClaimID, r.UndoToken, r.UndoExpiresAt = ledger.Applied, "c", []byte("hash"), r.CreatedAt.Add(time.Hour)
	})
	w.clock.move(time.Second)
	o := operatorOf(t, w.store)
	opts := runtime.PruneOptions{IncludeApplied: true, RejectionMemory: 2 * time.Hour, LimitMemory: time.Millisecond}
	shown, err := o.Rehearse().Prune(t.Context(), opts)
	if err != nil || shown.Spared.Remembered != 1 || shown.Spared.Undoable != 2 {
		t.Fatalf("%+v, %v", shown, err)
	}
	insertWaiting(t, w, "chg_00000000000000000014", func(r *ledger.Record) { r.Status = ledger.Expired })
	w.clock.move(1000 * time.Hour)
	opts.Within = &shown
	deleted, err := o.Prune(t.Context(), opts)
	if diff := cmp.Diff(shown, deleted, cmpopts.IgnoreUnexported(runtime.Pruned{})); diff != "" || err != nil {
		t.Errorf("%v (-shown +deleted):\n%s", err, diff)
	}
	if left, want := leftIn(t, w), []int{6, 7, 8, 10, 12, 13, 14}; !slices.Equal(left, want) {
		t.Errorf("left %d, want %d", left, want)
	}
}

func TestPruneTellsWhatItSparesAndWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	insertAges(t, w)
	insertWaiting(t, w, "chg_00000000000000000013", func(r *ledger.Record) { r.Status, r.ClaimID = ledger.UndoFailed, "c" })
	w.clock.move(time.Second)
	o := operatorOf(t, w.store).Rehearse()
	for name, test := range map[string]struct {
		opts runtime.PruneOptions
		want runtime.Spared
	}{
		"too young":  {runtime.PruneOptions{OlderThan: 30 * 24 * time.Hour}, runtime.Spared{Young: 3, Applied: 2}},
		"remembered": {runtime.PruneOptions{LimitMemory: time.Millisecond}, runtime.Spared{Remembered: 1, Applied: 2}},
		"counted":    {runtime.PruneOptions{RejectionMemory: time.Minute}, runtime.Spared{Counted: 1, Applied: 2}},
		"can be undone": {
			runtime.PruneOptions{RejectionMemory: time.Minute, LimitMemory: time.Millisecond, IncludeApplied: true}, runtime.Spared{Undoable: 1},
		},
		"kept": {runtime.PruneOptions{RejectionMemory: time.Minute, LimitMemory: time.Millisecond, Keep: 3}, runtime.Spared{Applied: 2, Kept: 3}},
	} {
		if p, err := o.Prune(t.Context(), test.opts); err != nil || p.Spared != test.want {
			t.Errorf("%s: %+v, %v; want %+v", name, p.Spared, err, test.want)
		}
	}
}

// In more than one step, and with much between them that stays, exactly the oldest are deleted.
func TestLongPruneDeletesExactlyTheOldest(t *testing.T) {
	t.Parallel()
	const all, kept = 1200, 30
	w := newWorld(t)
	kinds := []ledger.Status{ledger.Expired, ledger.Rejected, ledger.Applied}
	for i := range all {
		r := waitingChange(w.clock.read(), fmt.Sprintf("chg_%020d", i), func(r *ledger.Record) {
			if r.Status = kinds[i%len(kinds)]; r.Status == ledger.Applied {
				r.ClaimID = "c"
			}
		})
		if err := w.store.Insert(t.Context(), r, ledger.Event{Actor: "agent", To: r.Status}); err != nil {
			t.Fatal(err)
		}
	}
	w.clock.move(40 * 24 * time.Hour)
	const over = all / 3 * 2
	p, err := operatorOf(t, w.store).Prune(t.Context(), runtime.PruneOptions{Keep: kept})
	if err != nil || p.Changes != over-kept {
		t.Fatalf("deleted %d, %v", p.Changes, err)
	}
	left := slices.DeleteFunc(leftIn(t, w), func(i int) bool { return i%len(kinds) == 2 })
	var want []int
	for i := all - kept/2*len(kinds); i < all; i++ {
		if i%len(kinds) != 2 {
			want = append(want, i)
		}
	}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// Whoever prunes at the same time, in one step or between two, keeps the same ones.
func TestPrunesAtOnceKeepTheNewest(t *testing.T) {
	t.Parallel()
	const kept = 20
	for name, c := range map[string]struct {
		all  int
		meet func(what string, prune func()) faults.Fault // at the first prune of a part
	}{
		"one step":  {50, faults.Before},
		"two steps": {540, faults.After},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for i := range c.all {
				insertWaiting(t, w, fmt.Sprintf("chg_%020d", i), func(r *ledger.Record) { r.Status = ledger.Expired })
			}
			w.clock.move(time.Hour)
			opts, others := runtime.PruneOptions{Keep: kept}, 0
			meeting := faults.New(w.store, faults.NthOf(faults.Prune, 1, c.meet("others prune", func() {
				p, err := operatorOf(t, w.store).Prune(t.Context(), opts)
				if others = p.Changes; err != nil {
					t.Error(err)
				}
			})))
			p, err := operatorOf(t, meeting).Prune(t.Context(), opts)
			if left := leftIn(t, w); err != nil || len(left) != kept || left[0] != c.all-kept {
				t.Fatalf("%d are left, from %v, %v; want the newest %d", len(left), left[:min(1, len(left))], err, kept)
			}
			if p.Changes+others != c.all-kept {
				t.Errorf("deleted %d and %d", p.Changes, others)
			}
		})
	}
}

// A prune that takes all it can makes no room where a limit is reached.
func TestPruneSparesWhatALimitCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.operation.Limits = runtime.Limits{Changes: 1, Per: 12 * time.Hour} })
	a := w.applied(t, "theme", "dark")
	if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" {
		t.Fatalf("%s", u.raw)
	}
	o, all := operatorOf(t, w.store), runtime.PruneOptions{IncludeApplied: true}
	limited := func() bool {
		return w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"}).Code == "limit_exceeded"
	}
	if p, err := o.Prune(t.Context(), all); p.Changes != 0 || err != nil || !limited() {
		t.Errorf("deleted %d, %v: the limit has room", p.Changes, err)
	}
	w.clock.move(11 * time.Hour)
	all.LimitMemory = 12 * time.Hour
	if p, err := o.Prune(t.Context(), all); p.Changes != 0 || err != nil || !limited() {
		t.Errorf("deleted %d, %v: the limit has room", p.Changes, err)
	}
	w.clock.move(2 * time.Hour)
	if p, err := o.Prune(t.Context(), all); p.Changes != 1 || err != nil {
		t.Errorf("deleted %d, %v of what no limit counts", p.Changes, err)
	}
}
