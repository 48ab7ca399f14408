package runtime_test

import (
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

func of(statuses ...ledger.Status) ledger.Query { return ledger.Query{Statuses: statuses} }
