package runtime_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What a list is asked for by status is what it shows: a preview whose time is over is expired, though nobody has written
// that down, and the pages are full all the same.
func TestListSelectsByTheStatusThatItShows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := operatorOf(t, w.store)
	over, rejected, waiting := w.preview(t, "theme", "over"), w.preview(t, "theme", "no"), w.preview(t, "language", "over too")
	if _, err := o.Reject(t.Context(), shownTo(t, o, rejected.ChangeID, runtime.SubjectApply), "no"); err != nil {
		t.Fatal(err)
	}
	w.clock.move(runtime.DefaultTTL + time.Second)
	late := w.preview(t, "theme", "dark")
	list := func(q ledger.Query) string {
		t.Helper()
		views, err := o.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, v := range views {
			if len(q.Statuses) > 0 && !slices.Contains(q.Statuses, v.Status) {
				t.Errorf("%q lists one that is %s", q.Statuses, v.Status)
			}
			found = append(found, v.ID)
		}
		return strings.Join(found, " ")
	}
	for name, test := range map[string]struct {
		of   ledger.Query
		want []string
	}{
		"all":             {ledger.Query{}, []string{over.ChangeID, rejected.ChangeID, waiting.ChangeID, late.ChangeID}},
		"pending":         {of(ledger.Pending), []string{late.ChangeID}},
		"expired":         {of(ledger.Expired), []string{over.ChangeID, waiting.ChangeID}},
		"both":            {of(ledger.Pending, ledger.Expired), []string{over.ChangeID, waiting.ChangeID, late.ChangeID}},
		"expired or no":   {of(ledger.Expired, ledger.Rejected), []string{over.ChangeID, rejected.ChangeID, waiting.ChangeID}},
		"a page":          {ledger.Query{Statuses: []ledger.Status{ledger.Expired}, Limit: 1}, []string{over.ChangeID}},
		"the next page":   {ledger.Query{Statuses: []ledger.Status{ledger.Expired}, Limit: 1, After: over.ChangeID}, []string{waiting.ChangeID}},
		"the newest page": {ledger.Query{Statuses: []ledger.Status{ledger.Expired}, Newest: true, Limit: 1}, []string{waiting.ChangeID}},
		"the first one":   {ledger.Query{Statuses: []ledger.Status{ledger.Pending}, Limit: 1}, []string{late.ChangeID}},
	} {
		if got, want := list(test.of), strings.Join(test.want, " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if _, err := o.Expire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := list(of(ledger.Expired)), over.ChangeID+" "+waiting.ChangeID; got != want {
		t.Errorf("written down: %s, want %s", got, want)
	}
}

// One record that cannot be read hides no other, in whatever order they are listed and wherever the page ends.
func TestListGoesOnBehindARecordThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byOperator)
	var ids []string
	for _, value := range []string{"a", "b", "c", "d"} {
		ids = append(ids, w.preview(t, "theme", value).ChangeID)
	}
	w.editRow(t, ids[1], `expires_at = expires_at + 3600000`)
	w.editRow(t, ids[2], `expires_at = expires_at + 3600000`)
	o := operatorOf(t, w.store)
	for name, list := range map[string]func() ([]runtime.View, error){
		"all":           func() ([]runtime.View, error) { return o.List(t.Context(), ledger.Query{}) },
		"newest first":  func() ([]runtime.View, error) { return o.List(t.Context(), ledger.Query{Newest: true}) },
		"by status":     func() ([]runtime.View, error) { return o.List(t.Context(), of(ledger.Pending)) },
		"what waits":    func() ([]runtime.View, error) { return o.Pending(t.Context(), runtime.PendingQuery{}) },
		"a page of all": func() ([]runtime.View, error) { return o.List(t.Context(), ledger.Query{Limit: 4}) },
	} {
		views, err := list()
		if err != nil || len(views) != len(ids) {
			t.Errorf("%s: %d changes, %v", name, len(views), err)
			continue
		}
		for _, v := range views {
			if damaged := v.ID == ids[1] || v.ID == ids[2]; v.Damaged != damaged || damaged != strings.Contains(v.Error, "cannot be read") || v.Summary == "" != damaged {
				t.Errorf("%s: %+v", name, v)
			}
		}
	}
	if views, err := o.List(t.Context(), ledger.Query{Limit: 2}); err != nil || len(views) != 2 || !views[1].Damaged {
		t.Errorf("a page: %+v, %v", views, err)
	}
}

// What a list says of a change with sensitive values is held against what was previewed, as when one looks at it alone.
func TestListTellsWhatIsNotWhatWasPreviewed(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	p := v.call(t, "preview_rotate", asked())
	store := &altered{Store: v.store}
	o := operatorOf(t, store)
	for name, test := range map[string]struct {
		alter   func(*ledger.Record)
		damaged bool
	}{
		"as it was": {func(*ledger.Record) {}, false},
		"edited":    {func(r *ledger.Record) { r.Shown = []byte(`{"rows":[],"summary":"harmless"}`) }, true},
	} {
		store.alter = test.alter
		views, err := o.List(t.Context(), ledger.Query{})
		if err != nil || len(views) != 1 || views[0].Damaged != test.damaged || view(t, o, p.ChangeID).Damaged != test.damaged {
			t.Errorf("%s: %+v, %v", name, views, err)
		}
	}
}

func TestListTellsOfAnEarlierRejectionAsOneChangeDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := operatorOf(t, w.store)
	earlier, waiting := w.preview(t, "theme", "dark"), w.preview(t, "theme", "dark")
	if _, err := o.Reject(t.Context(), shownTo(t, o, earlier.ChangeID, runtime.SubjectApply), "no"); err != nil {
		t.Fatal(err)
	}
	views, err := o.List(t.Context(), of(ledger.Pending))
	if err != nil || len(views) != 1 {
		t.Fatalf("%d changes, %v", len(views), err)
	}
	if alone := view(t, o, waiting.ChangeID); alone.PreviouslyRejected != earlier.ChangeID || views[0].PreviouslyRejected != earlier.ChangeID {
		t.Errorf("alone %q, listed %q", alone.PreviouslyRejected, views[0].PreviouslyRejected)
	}
}

func of(statuses ...ledger.Status) ledger.Query { return ledger.Query{Statuses: statuses} }

// misnamed is a ledger in which the second record of each list cannot be read, and has another id or none.
type misnamed struct {
	ledger.Store
	called string
}

func (m misnamed) List(ctx context.Context, q ledger.Query) ([]ledger.Record, error) {
	all, err := m.Store.List(ctx, q)
	if err != nil || len(all) < 2 {
		return all, err
	}
	return all[:1], &ledger.DamagedError{ID: m.called, Err: ledger.ErrCorrupt}
}

// What a list has is shown even where it cannot go on; and nobody takes it for the whole.
func TestListThatCannotGoOnSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byOperator)
	first := w.preview(t, "theme", "a").ChangeID
	w.preview(t, "theme", "b")
	w.preview(t, "theme", "c")
	for called, seen := range map[string]int{"chg_": 2, "": 1} { // a record without an id is not among what is seen
		o := operatorOf(t, misnamed{w.store, called})
		for name, list := range map[string]func() ([]runtime.View, error){
			"all":        func() ([]runtime.View, error) { return o.List(t.Context(), ledger.Query{}) },
			"what waits": func() ([]runtime.View, error) { return o.Pending(t.Context(), runtime.PendingQuery{}) },
		} {
			views, err := list()
			if !errors.Is(err, ledger.ErrStopped) || !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("%s, called %q: %v", name, called, err)
			}
			slices.SortFunc(views, func(a, b runtime.View) int { return strings.Compare(b.ID, a.ID) })
			if len(views) != seen || views[0].ID != first || views[seen-1].Damaged != (seen == 2) {
				t.Errorf("%s, called %q: %+v", name, called, views)
			}
		}
	}
}

// forgetful is a ledger in which no rejected change can be read.
type forgetful struct{ ledger.Store }

func (f forgetful) List(ctx context.Context, q ledger.Query) ([]ledger.Record, error) {
	all, err := f.Store.List(ctx, q)
	if err == nil && len(all) > 0 && slices.Equal(q.Statuses, []ledger.Status{ledger.Rejected}) {
		return nil, &ledger.DamagedError{ID: all[0].ID, Err: ledger.ErrCorrupt}
	}
	return all, err
}

// An earlier no that cannot be read keeps nobody from what waits, nor from a no to it. A yes would be given without knowing.
func TestEarlierRejectionThatCannotBeReadHidesNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byOperator)
	earlier, waiting := w.preview(t, "theme", "dark"), w.preview(t, "theme", "dark")
	reject(t, w, earlier.ChangeID, "no")
	o := operatorOf(t, forgetful{w.store})
	alone := view(t, o, waiting.ChangeID)
	listed, err := o.Pending(t.Context(), runtime.PendingQuery{})
	if err != nil || len(listed) != 1 {
		t.Fatalf("%+v, %v", listed, err)
	}
	for _, v := range []runtime.View{alone, listed[0]} {
		if v.Damaged || v.Summary == "" || !strings.Contains(v.Error, "rejected before") {
			t.Errorf("%+v", v)
		}
	}
	if _, err := o.Approve(t.Context(), alone.Seen, ""); !errors.Is(err, ledger.ErrCorrupt) || w.record(t, waiting.ChangeID).Decision.Verdict != "" {
		t.Errorf("approve: %v", err)
	}
	if _, err := o.Reject(t.Context(), alone.Seen, "no"); err != nil {
		t.Errorf("reject: %v", err)
	}
}
