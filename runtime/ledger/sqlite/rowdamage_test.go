package sqlite_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// damaged is what somebody did to the first of two changes.
const damaged = "UPDATE changes SET expires_at = coalesce(expires_at, 0) + 1 WHERE n = 1"

// twoChanges are both pending, in a ledger that is open.
func twoChanges(t *testing.T) (s *sqlite.Store, path string) {
	t.Helper()
	path = newQuickPath(t)
	s = open(t, path)
	for n := range 2 {
		must(t, s.Insert(t.Context(), record(n), ledger.Event{To: ledger.Pending}))
	}
	return s, path
}

// expectOneDamaged reads a ledger of which the first of two changes is damaged.
func expectOneDamaged(t *testing.T, s *sqlite.Store) {
	t.Helper()
	var read, unread []string
	for r, err := range ledger.All(t.Context(), s, ledger.Query{}) {
		if err == nil {
			read = append(read, r.ID)
			continue
		}
		expectError(t, "list", err, ledger.ErrCorrupt)
		unread = append(unread, r.ID)
	}
	if !slices.Equal(read, []string{record(1).ID}) || !slices.Equal(unread, []string{record(0).ID}) {
		t.Errorf("%q are read and %q are not", read, unread)
	}
	_, _, err := s.Get(t.Context(), record(0).ID)
	expectError(t, "get", err, ledger.ErrCorrupt)
	faults, err := s.Check(t.Context())
	if must(t, err); !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, record(0).ID+" in row 1") }) {
		t.Errorf("the faults %q do not name the change", faults)
	}
}

// TestADamagedChangeKeepsNobodyFromTheOthers damages one while a server has the ledger open.
func TestADamagedChangeKeepsNobodyFromTheOthers(t *testing.T) {
	t.Parallel()
	server, path := twoChanges(t)
	execute(damaged)(t, path)
	_, err := sqlite.Open(t.Context(), path)
	expectError(t, "start another server", err, ledger.ErrCorrupt)
	if !strings.Contains(err.Error(), "change "+record(0).ID) {
		t.Errorf("%v does not name the change", err)
	}
	expectOneDamaged(t, open(t, path, sqlite.LookOnly()))
	person := open(t, path, sqlite.DespiteDamage())
	expectOneDamaged(t, person)
	no := record(1)
	no.Revision, no.Status = 1, ledger.Rejected
	must(t, person.Swap(t.Context(), no, time.Time{}, ledger.Event{Actor: "operator", From: ledger.Pending, To: ledger.Rejected}))
	if got, _, err := server.Get(t.Context(), no.ID); err != nil || got.Status != ledger.Rejected {
		t.Errorf("the server sees %s, %v", got.Status, err)
	}
	err = person.Backup(t.Context(), path+"-copy.db")
	if expectError(t, "back up", err, ledger.ErrCorrupt); !strings.Contains(fmt.Sprint(err), "change "+record(0).ID) {
		t.Errorf("%v does not name the change", err)
	}
}

// TestADamagedEventIsNamed damages one of an intact change.
func TestADamagedEventIsNamed(t *testing.T) {
	t.Parallel()
	_, path := twoChanges(t)
	execute("UPDATE events SET actor = 'root' WHERE change = 2")(t, path)
	if _, err := sqlite.Open(t.Context(), path); !errors.Is(err, ledger.ErrCorrupt) || !strings.Contains(err.Error(), "event 1 of the change in row 2") {
		t.Errorf("%v does not name the event", err)
	}
}

// TestALookAtWhatWasDamagedWhileClosedChangesNothing looks at a ledger that nobody else can open any more.
func TestALookAtWhatWasDamagedWhileClosedChangesNothing(t *testing.T) {
	t.Parallel()
	s, path := twoChanges(t)
	must(t, s.Close())
	execute(damaged)(t, path)
	before := read(t, path+".mark")
	look := open(t, path, sqlite.LookOnly())
	expectOneDamaged(t, look)
	if faults, err := look.Check(t.Context()); err != nil || !strings.Contains(fmt.Sprint(faults), "not as it was when it was closed") {
		t.Errorf("the faults are %q, %v", faults, err)
	}
	must(t, look.Close())
	if after := read(t, path+".mark"); string(after) != string(before) {
		t.Errorf("the mark was %q and is %q", before, after)
	}
	for _, opts := range [][]sqlite.Option{nil, {sqlite.DespiteDamage()}} {
		_, err := sqlite.Open(t.Context(), path, opts...)
		expectError(t, "open", err, ledger.ErrCorrupt)
	}
}
