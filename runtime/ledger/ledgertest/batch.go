package ledgertest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// batchTests have many writes wait together, so that a store which writes what waits in one transaction does so with them.
// What is promised is the same of a store that does not.
var batchTests = []conformance{
	{"WritesThatWaitedTogetherHaveVerdictsOfTheirOwn", writesThatWaitedTogetherHaveVerdictsOfTheirOwn},
	{"OneOfManySwapsThatWaitedTogetherWins", oneOfManySwapsThatWaitedTogetherWins},
	{"OneOfManyInsertsThatWaitedTogetherWins", oneOfManyInsertsThatWaitedTogetherWins},
	{"InsertsThatWaitedTogetherKeepToACap", insertsThatWaitedTogetherKeepToACap},
	{"ClaimsThatWaitedTogetherKeepToACap", claimsThatWaitedTogetherKeepToACap},
	{"WritesThatWaitedTogetherLandWithTheirEvents", writesThatWaitedTogetherLandWithTheirEvents},
	{"ReadersSeeBothOrNeitherOfAPair", readersSeeBothOrNeitherOfAPair},
}

// together is how many writes wait of which not all may go through.
const together = 16

// storeWrite is a write by whichever store it is given.
type storeWrite func(ctx context.Context, s ledger.Store) error

// mixed are writes of which each is good or bad by itself, whatever else is written.
type mixed struct {
	what  string
	write storeWrite
	want  error
}

func writesThatWaitedTogetherHaveVerdictsOfTheirOwn(t *testing.T, open Opener) {
	s := open(newClock().read)
	cases := append(mixedInserts(t, s), append(mixedSwaps(t, s), mixedPairs(t, s)...)...)
	refused := []string{id(12), id(13), id(14), id(22)}
	var before []snapshot
	for _, id := range refused {
		before = append(before, look(t, s, id))
	}

	g, stores := newGate(t, open, 2)
	var writes []storeWrite
	for _, c := range cases {
		writes = append(writes, c.write)
	}
	for n, err := range g.atOnce(t, stores, writes) {
		if cases[n].want == nil && err != nil {
			t.Errorf("%s: %v, want it written", cases[n].what, err)
		}
		if cases[n].want != nil {
			failsWith(t, cases[n].what, err, cases[n].want)
		}
	}
	for n, id := range refused {
		equal(t, "a change whose move was refused", look(t, s, id), before[n])
	}
	for _, n := range []int{4, 5, 24} {
		absent(t, s, id(n))
	}
	for n, want := range map[int]int{1: 1, 2: 1, 3: 1, 11: 2, 21: 2, 23: 1} {
		wholeEvents(t, s, id(n), want)
	}
}

// mixedInserts make the changes 2 and 3 beside 1, which is there, and neither 4 nor 5.
func mixedInserts(t *testing.T, s ledger.Store) []mixed {
	is := insert(t, s, plain(1))
	again := plain(4)
	again.RequestID = is.RequestID
	insert := func(r ledger.Record, caps ...ledger.Cap) storeWrite {
		return func(ctx context.Context, s ledger.Store) error { return s.Insert(ctx, r, previewed, caps...) }
	}
	return []mixed{
		{"a new change", insert(plain(2)), nil},
		{"an id that exists", insert(plain(1)), ledger.ErrExists},
		{"a request that exists", insert(again), ledger.ErrRequested},
		{"a new change without room", insert(plain(5), noRoom), ledger.ErrCap},
		{"another new change", insert(plain(3)), nil},
	}
}

// mixedSwaps claim the change 11, and none of 12, 13 and 14.
func mixedSwaps(t *testing.T, s ledger.Store) []mixed {
	claims := func(n int, raised int64, notAfter time.Time, caps ...ledger.Cap) storeWrite {
		r := claim(insert(t, s, plain(n)), "claim", "h")
		r.Revision += raised
		return func(ctx context.Context, s ledger.Store) error { return s.Swap(ctx, r, notAfter, claimed, caps...) }
	}
	return []mixed{
		{"a claim of another revision", claims(12, 1, time.Time{}), ledger.ErrConflict},
		{"a claim", claims(11, 0, noon.Add(time.Hour)), nil},
		{"a claim at its limit", claims(13, 0, noon), ledger.ErrExpired},
		{"a claim without room", claims(14, 0, time.Time{}, noRoom), ledger.ErrCap},
	}
}

// mixedPairs try 21 again as 23, and neither 22 as 21, nor 21 as 24 at another revision.
func mixedPairs(t *testing.T, s ledger.Store) []mixed {
	first, second := insert(t, s, plain(21)), insert(t, s, plain(22))
	retry := func(old, fresh ledger.Record) storeWrite {
		old, fresh = retried(old, fresh)
		return func(ctx context.Context, s ledger.Store) error {
			return s.SwapInsert(ctx, old, failed, fresh, previewed)
		}
	}
	stale := first
	stale.Revision += 9
	return []mixed{
		{"a retry under an id that exists", retry(second, plain(21)), ledger.ErrExists},
		{"a retry", retry(first, plain(23)), nil},
		{"a retry at another revision", retry(stale, plain(24)), ledger.ErrConflict},
	}
}

// noRoom is a cap that lets nothing in.
var noRoom = ledger.Cap{Of: ledger.Query{Server: "other"}}

func oneOfManySwapsThatWaitedTogetherWins(t *testing.T, open Opener) {
	r := insert(t, open(newClock().read), plain(1))
	g, stores := newGate(t, open, 2)
	verdicts := g.atOnce(t, stores, each(together, func(n int) storeWrite {
		return func(ctx context.Context, s ledger.Store) error {
			return s.Swap(ctx, claim(r, name(n), "h"), noon.Add(time.Hour), claimed)
		}
	}))
	winner := onlyWinner(t, ledger.ErrConflict, verdicts)
	equal(t, "the claim", get(t, stores[0], r.ID).ClaimID, name(winner))
	wholeEvents(t, stores[0], r.ID, 2)
}

func oneOfManyInsertsThatWaitedTogetherWins(t *testing.T, open Opener) {
	g, stores := newGate(t, open, 2)
	sameID := each(together, func(n int) storeWrite {
		r := plain(1)
		r.RequestID, r.Operation = name(n), name(n)
		return func(ctx context.Context, s ledger.Store) error { return s.Insert(ctx, r, previewed) }
	})
	sameRequest := each(together, func(n int) storeWrite {
		r := plain(100 + n)
		r.RequestID = "the request"
		return func(ctx context.Context, s ledger.Store) error { return s.Insert(ctx, r, previewed) }
	})
	sameRetry := each(together, func(n int) storeWrite {
		r := plain(200 + n)
		r.RetryOf = "the change"
		return func(ctx context.Context, s ledger.Store) error { return s.Insert(ctx, r, previewed) }
	})
	verdicts := g.atOnce(t, stores, append(sameID, append(sameRequest, sameRetry...)...))
	s := stores[0]
	equal(t, "the operation", get(t, s, id(1)).Operation, name(onlyWinner(t, ledger.ErrExists, verdicts[:together])))
	wholeEvents(t, s, id(1), 1)
	requested := onlyWinner(t, ledger.ErrRequested, verdicts[together:2*together])
	equal(t, "of the request", listed(t, s, ledger.Query{RequestID: "the request"}), ids(100+requested))
	retry := onlyWinner(t, ledger.ErrRequested, verdicts[2*together:])
	equal(t, "the retry", listed(t, s, ledger.Query{RetryOf: "the change"}), ids(200+retry))
}

// capped is how many get in under the caps of the writes that waited together.
const capped = 5

func insertsThatWaitedTogetherKeepToACap(t *testing.T, open Opener) {
	of := ledger.Query{Operations: []string{"capped"}, Unexpired: true}
	g, stores := newGate(t, open, 2)
	verdicts := g.atOnce(t, stores, each(together, func(n int) storeWrite {
		r := plain(n)
		r.Operation = "capped"
		return func(ctx context.Context, s ledger.Store) error {
			return s.Insert(ctx, r, previewed, ledger.Cap{Of: of, Max: capped})
		}
	}))
	equal(t, "number of inserts that went through", winners(t, ledger.ErrCap, verdicts), capped)
	equal(t, "number of records", count(t, stores[0], of), capped)
}

func claimsThatWaitedTogetherKeepToACap(t *testing.T, open Opener) {
	s := open(newClock().read)
	writes := each(together, func(n int) storeWrite {
		r := claimedAt(insert(t, s, plain(n)), noon)
		return func(ctx context.Context, s ledger.Store) error {
			return s.Swap(ctx, r, time.Time{}, claimed, ledger.Cap{Of: lately, Max: capped})
		}
	})
	g, stores := newGate(t, open, 2)
	equal(t, "number of claims that went through", winners(t, ledger.ErrCap, g.atOnce(t, stores, writes)), capped)
	equal(t, "number of claims", count(t, s, lately), capped)
}

func writesThatWaitedTogetherLandWithTheirEvents(t *testing.T, open Opener) {
	s := open(newClock().read)
	writes := each(together, func(n int) storeWrite {
		r := claim(insert(t, s, plain(n)), name(n), "h")
		return func(ctx context.Context, s ledger.Store) error {
			return s.Swap(ctx, r, time.Time{}, ledger.Event{To: ledger.Applying, Reason: name(n)})
		}
	})
	g, stores := newGate(t, open, 2)
	later := noon.Add(time.Minute)
	g.set(later)
	for n, err := range g.atOnce(t, stores, writes) {
		if err != nil {
			t.Errorf("swap %d: %v", n, err)
		}
	}
	for n := range together {
		equal(t, "the latest event", events(t, s, id(n))[1:], []ledger.Event{{Seq: 2, At: later, To: ledger.Applying, Reason: name(n)}})
		equal(t, "the claim", get(t, s, id(n)).ClaimID, name(n))
	}
	at, err := stores[0].Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the newest time", at.Newest, later)
}

// readersSeeBothOrNeitherOfAPair reads old records and those that try them again while both are written, by many at once.
func readersSeeBothOrNeitherOfAPair(t *testing.T, open Opener) {
	stores := []ledger.Store{open(newClock().read), open(newClock().read)}
	reader := open(newClock().read)
	var olds []ledger.Record
	for n := range together {
		olds = append(olds, insert(t, stores[0], plain(n)))
	}
	written := make(chan error, together)
	for n, old := range olds {
		old, fresh := retried(old, plain(100+n))
		go func() { written <- stores[n%len(stores)].SwapInsert(t.Context(), old, failed, fresh, previewed) }()
	}
	for range together {
		until(t, written, func() {
			records, err := reader.List(t.Context(), ledger.Query{})
			if err != nil {
				t.Fatal(err)
			}
			pairs := map[string]int{}
			for _, r := range records {
				pairs[r.RetryID] += 1
				pairs[r.ID] += 2
			}
			for n := range together {
				if half := pairs[id(100+n)]; half != 0 && half != 3 {
					t.Fatalf("of %s and its retry %s one is there without the other", id(n), id(100+n))
				}
			}
		})
	}
}

// each makes one write for each number.
func each(number int, of func(n int) storeWrite) (writes []storeWrite) {
	for n := range number {
		writes = append(writes, of(n))
	}
	return writes
}

// wholeEvents fails unless a change has so many events, numbered from one, of which the last is about where it stands.
func wholeEvents(t *testing.T, s ledger.Store, id string, want int) {
	t.Helper()
	r, found := get(t, s, id), events(t, s, id)
	equal(t, "number of events of "+id, len(found), want)
	for n, e := range found {
		equal(t, fmt.Sprintf("number of event %d of %s", n+1, id), e.Seq, int64(n+1))
	}
	if len(found) > 0 {
		equal(t, "the status that the last event of "+id+" tells of", found[len(found)-1].To, r.Status)
	}
}
