package ledgertest

import (
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var listTests = []conformance{
	{"ListSelectsByStatusAndServer", listSelectsByStatusAndServer},
	{"ListGivesPages", listGivesPages},
	{"ListStopsAtAThousandByDefault", listStopsAtAThousandByDefault},
	{"ListGivesWholeRecords", listGivesWholeRecords},
}

func listSelectsByStatusAndServer(t *testing.T, open Opener) {
	s := open(newClock().read)
	for i, status := range []ledger.Status{
		ledger.Pending, ledger.Applying, ledger.Applied, ledger.Undoing, ledger.Undone, ledger.Pending,
	} {
		// The youngest first, so that the order is the store's doing.
		r := pending(6 - i)
		r.Status = status
		if i%2 == 1 {
			r.Server = "other"
		}
		insert(t, s, r)
	}
	for _, c := range []struct {
		name string
		q    ledger.Query
		want []int
	}{
		{"everything", ledger.Query{}, []int{1, 2, 3, 4, 5, 6}},
		{"pending", ledger.Query{Statuses: []ledger.Status{ledger.Pending}}, []int{1, 6}},
		{"applying", ledger.Query{Statuses: []ledger.Status{ledger.Applying}}, []int{5}},
		{"open", ledger.Query{Statuses: []ledger.Status{ledger.Undoing, ledger.Applying}}, []int{3, 5}},
		{"open or pending", ledger.Query{Statuses: []ledger.Status{ledger.Undoing, ledger.Pending}}, []int{1, 3, 6}},
		{"settled", ledger.Query{Statuses: []ledger.Status{ledger.Applied, ledger.Undone}}, []int{2, 4}},
		{"rejected", ledger.Query{Statuses: []ledger.Status{ledger.Rejected}}, nil},
		{"of one server", ledger.Query{Server: "other"}, []int{1, 3, 5}},
		{"pending of one server", ledger.Query{Server: "other", Statuses: []ledger.Status{ledger.Pending}}, []int{1}},
		{"of no server", ledger.Query{Server: "none"}, nil},
		{"after one", ledger.Query{After: id(4)}, []int{5, 6}},
		{"after one that is not there", ledger.Query{After: id(4) + "x"}, []int{5, 6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			equal(t, "ids", listed(t, s, c.q), ids(c.want...))
		})
	}
}

func listGivesPages(t *testing.T, open Opener) {
	s := open(newClock().read)
	for n := range 5 {
		insert(t, s, pending(n+1))
	}
	q := ledger.Query{Limit: 2, Statuses: []ledger.Status{ledger.Pending}}
	for _, want := range [][]string{ids(1, 2), ids(3, 4), ids(5), nil} {
		page := listed(t, s, q)
		equal(t, "page", page, want)
		if len(page) > 0 {
			q.After = page[len(page)-1]
		}
	}
}

func listStopsAtAThousandByDefault(t *testing.T, open Opener) {
	const limit = 1000
	s := open(newClock().read)
	for n := range limit + 1 {
		if err := s.Insert(t.Context(), pending(n), previewed); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(listed(t, s, ledger.Query{})); got != limit {
		t.Errorf("%d records, want %d", got, limit)
	}
}

func listGivesWholeRecords(t *testing.T, open Opener) {
	s := open(newClock().read)
	want := insert(t, s, settled(pending(1)))
	got, err := s.List(t.Context(), ledger.Query{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the records", got, []ledger.Record{want})
}

func listed(t *testing.T, s ledger.Store, q ledger.Query) []string {
	t.Helper()
	records, err := s.List(t.Context(), q)
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	var found []string
	for _, r := range records {
		found = append(found, r.ID)
	}
	return found
}

func ids(numbers ...int) []string {
	var all []string
	for _, n := range numbers {
		all = append(all, id(n))
	}
	return all
}
