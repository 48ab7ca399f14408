package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// numbered is a ledger that has records of the ids 01, 02… and tells nothing else.
type numbered struct {
	ledger.Store
	have  int
	fails int // the question that it does not answer; 0: it answers all
	// damaged is the record that cannot be read, and called what it says of its id; none if it is 0.
	damaged int
	called  string
	asked   []ledger.Query
}

var errDown = errors.New("down")

func (n *numbered) List(_ context.Context, q ledger.Query) (page []ledger.Record, err error) {
	if n.asked = append(n.asked, q); len(n.asked) == n.fails {
		return nil, errDown
	}
	for i := range n.have {
		id := fmt.Sprintf("%02d", i+1)
		if id <= q.After || len(page) == q.Limit {
			continue
		}
		if i+1 == n.damaged {
			return page, &ledger.DamagedError{ID: n.called, Err: errDown}
		}
		page = append(page, ledger.Record{Fixed: ledger.Fixed{ID: id}})
	}
	return page, nil
}

// idsOf reads all, or as many as are wanted.
func idsOf(t *testing.T, n *numbered, q ledger.Query, want int) (ids []string, failed error) {
	t.Helper()
	for r, err := range ledger.All(t.Context(), n, q) {
		if err != nil {
			failed = err
			if r.ID != "" {
				ids = append(ids, r.ID+"?")
			}
			continue
		}
		if ids = append(ids, r.ID); len(ids) == want {
			break
		}
	}
	return ids, failed
}

func TestAllReadsPageAfterPage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		have, fails, want int
		damaged           int
		called            string
		q                 ledger.Query
		ids               []string
		asked             int
		err               error
	}{
		"none":             {ids: nil, asked: 1},
		"less than a page": {have: 3, q: ledger.Query{Limit: 4}, ids: []string{"01", "02", "03"}, asked: 1},
		"whole pages":      {have: 4, q: ledger.Query{Limit: 2}, ids: []string{"01", "02", "03", "04"}, asked: 3},
		"one more":         {have: 3, q: ledger.Query{Limit: 2}, ids: []string{"01", "02", "03"}, asked: 2},
		"behind an id":     {have: 3, q: ledger.Query{Limit: 2, After: "01"}, ids: []string{"02", "03"}, asked: 2},
		"until it is enough": {
			have: 9, want: 3, q: ledger.Query{Limit: 2}, ids: []string{"01", "02", "03"}, asked: 2,
		},
		"one that cannot be read": {
			have: 5, damaged: 3, called: "03", q: ledger.Query{Limit: 2}, ids: []string{"01", "02", "03?", "04", "05"}, asked: 4, err: errDown,
		},
		"one of which not even the id can be read": {
			have: 5, damaged: 2, called: "00", q: ledger.Query{Limit: 2}, ids: []string{"01", "00?"}, asked: 1, err: ledger.ErrStopped,
		},
		"one of no id at all": {
			have: 5, damaged: 1, called: "", q: ledger.Query{Limit: 2}, ids: nil, asked: 1, err: ledger.ErrStopped,
		},
		"a limit below none": {have: 3, q: ledger.Query{Limit: -1}, ids: []string{"01", "02", "03"}, asked: 1},
		"a page that fails":  {have: 9, fails: 2, q: ledger.Query{Limit: 2}, ids: []string{"01", "02"}, asked: 2, err: errDown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &numbered{have: test.have, fails: test.fails, damaged: test.damaged, called: test.called}
			ids, err := idsOf(t, n, test.q, test.want)
			if diff := cmp.Diff(test.ids, ids); diff != "" || !errors.Is(err, test.err) {
				t.Errorf("%v, ids (-want +got):\n%s", err, diff)
			}
			if len(n.asked) != test.asked {
				t.Errorf("asked %d times", len(n.asked))
			}
		})
	}
}

// What All is asked for is asked of every page, and it can be read again from the beginning.
func TestAllAsksTheSameOfEveryPage(t *testing.T) {
	t.Parallel()
	n := &numbered{have: 3}
	all := ledger.All(t.Context(), n, ledger.Query{Server: "notes", Statuses: []ledger.Status{ledger.Applied}, Limit: 2})
	for range 2 {
		n.asked = nil
		for range all {
		}
		want := []ledger.Query{{Limit: 2}, {Limit: 2, After: "02"}}
		for i := range want {
			want[i].Server, want[i].Statuses = "notes", []ledger.Status{ledger.Applied}
		}
		if diff := cmp.Diff(want, n.asked); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
	}
}

func ExampleAll() {
	store := &numbered{have: 3} // sqlite.Open, in a program
	for r, err := range ledger.All(context.Background(), store, ledger.Query{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.ID)
	}
	// Output:
	// 01
	// 02
	// 03
}

// Sets of pages differ by their size alone.
func TestAllReadsTheSameInPagesOfAnySize(t *testing.T) {
	t.Parallel()
	want, _ := idsOf(t, &numbered{have: 20}, ledger.Query{}, 0)
	for size := 1; size <= 21; size++ {
		if got, err := idsOf(t, &numbered{have: 20}, ledger.Query{Limit: size}, 0); err != nil || !slices.Equal(got, want) {
			t.Errorf("in pages of %d: %v, %v", size, got, err)
		}
	}
}
