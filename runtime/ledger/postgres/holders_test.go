package postgres_test

import (
	"os"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestHoldersAreThoseWhoLiveOrHaveClaims also tells where their processes are, and until when those count as alive of whom
// nobody has written down yet that they are gone.
func TestHoldersAreThoseWhoLiveOrHaveClaims(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s, conn := open(t, dsn), connect(t, dsn)
	live, lapsed, gone, clean := hold(t, s), hold(t, s), hold(t, s), hold(t, s)
	for n, h := range []ledger.Hold{lapsed, gone} {
		if err := s.Swap(t.Context(), claim(insert(t, s, n), "claim", h.Name()), never, claimed); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range []ledger.Hold{gone, clean} {
		if err := h.Release(); err != nil {
			t.Fatal(err)
		}
	}
	lapse(t, conn, lapsed.Name())
	got, err := open(t, dsn, postgres.LookOnly()).Holders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	here := ledger.Process{Host: host, PID: os.Getpid()}
	want := []ledger.HolderState{
		{Name: live.Name(), Liveness: ledger.Alive, Process: here},
		{Name: lapsed.Name(), Liveness: ledger.Unknown, Claims: 1, Process: here},
		{Name: gone.Name(), Liveness: ledger.Gone, Claims: 1, Process: here},
	}
	const earlier, later = -1, 1
	byName := cmpopts.SortSlices(func(a, b ledger.HolderState) bool { return a.Name < b.Name })
	if diff := cmp.Diff(want, got, byName, cmpopts.IgnoreFields(ledger.HolderState{}, "HeardAt", "GoneAt")); diff != "" {
		t.Errorf("holders (-want +got):\n%s", diff)
	}
	ends := map[string]int{live.Name(): later, lapsed.Name(): earlier, gone.Name(): 0}
	for _, h := range got {
		if end := h.GoneAt.Compare(h.HeardAt); end != ends[h.Name] {
			t.Errorf("a holder that is %s was heard of at %s, and is gone at %s", h.Liveness, h.HeardAt, h.GoneAt)
		}
	}
}
