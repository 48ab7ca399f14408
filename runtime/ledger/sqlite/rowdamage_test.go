package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// TestALookAtWhatWasAlteredWhileClosedCopiesNothing alters a ledger in a way that only its mark can tell.
func TestALookAtWhatWasAlteredWhileClosedCopiesNothing(t *testing.T) {
	t.Parallel()
	s, path := twoChanges(t)
	must(t, s.Close())
	execute("VACUUM")(t, path)
	copied := path + "-copy.db"
	err := open(t, path, sqlite.LookOnly()).Backup(t.Context(), copied)
	if expectError(t, "back up", err, ledger.ErrCorrupt); !strings.Contains(fmt.Sprint(err), "not as it was when it was closed") {
		t.Errorf("%v does not say what is wrong", err)
	}
	if _, err := os.Stat(copied); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a copy: %v", err)
	}
}

// TestADamagedIDHidesNothing damages the id of a change in one place after the other, so that it seems to be behind all
// others. A list has those others, or says that it stopped.
func TestADamagedIDHidesNothing(t *testing.T) {
	t.Parallel()
	const changes, hurt = 6, 2
	path := newQuickPath(t)
	s := open(t, path)
	for n := range changes {
		must(t, s.Insert(t.Context(), record(n), ledger.Event{To: ledger.Pending}))
	}
	must(t, s.Close())
	sound, id := read(t, path), []byte(record(hurt).ID)
	var places []int // in the row, and in each index
	for at := 0; bytes.Contains(sound[at:], id); at++ {
		at += bytes.Index(sound[at:], id)
		places = append(places, at)
	}
	if len(places) != 3 {
		t.Fatalf("the id is at %d", places)
	}
	for _, at := range places {
		must(t, os.WriteFile(path, sound, 0o600))
		overwrite(at, []byte("zzzz"))(t, path)
		for _, q := range []ledger.Query{{}, {Limit: 1}, {Newest: true}, {Statuses: []ledger.Status{ledger.Pending}}} {
			expectAllOrStopped(t, path, q, changes, hurt)
		}
	}
}

// expectAllOrStopped lists changes of which one is damaged.
func expectAllOrStopped(t *testing.T, path string, q ledger.Query, changes, hurt int) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.LookOnly())
	must(t, err)
	found := map[string]bool{}
	var last error
	for r, err := range ledger.All(t.Context(), s, q) {
		found[r.ID], last = true, err
	}
	must(t, s.Close())
	for n := range changes {
		if n != hurt && !found[record(n).ID] && !errors.Is(last, ledger.ErrStopped) {
			t.Errorf("limit %d, statuses %v, newest %v: %s is left out, and the list ends with %v", q.Limit, q.Statuses, q.Newest, record(n).ID, last)
		}
	}
}
