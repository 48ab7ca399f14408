package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

// What a later version of this program might add, in a way that earlier ones can live with, and in one that they cannot.
var (
	addition = sqlite.WithStep("ALTER TABLE changes ADD COLUMN note TEXT NOT NULL DEFAULT ''; "+
		"CREATE INDEX changes_notes ON changes (note) WHERE note <> ''", 2)
	departure = sqlite.WithStep("ALTER TABLE changes ADD COLUMN note TEXT NOT NULL DEFAULT ''", 3)
)

// TestTwoVersionsOfAProgramUseOneLedgerAtOnce has a process of a newer version add to the schema of a ledger that this
// one has open, and both go on writing. The newer version is this binary with one more step,
// and not another build of it.
func TestTwoVersionsOfAProgramUseOneLedgerAtOnce(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(1), ledger.Event{To: ledger.Pending}))
	newer := spawn(t, "newer", path)
	if schema := newer.line(t); schema != "schema 3" {
		t.Fatalf("the newer program left %s", schema)
	}
	for n := range 40 {
		r := record(n + 1000)
		must(t, s.Insert(t.Context(), r, ledger.Event{To: ledger.Pending}))
		r.Revision, r.Status = 1, ledger.Rejected
		must(t, s.Swap(t.Context(), r, time.Time{}, ledger.Event{To: ledger.Rejected}))
		newer.line(t)
		if n%10 == 0 {
			must(t, open(t, path).Close()) // an older version that starts later
		}
	}
	if _, err := s.Prune(t.Context(), ledger.Query{}, 7); err != nil {
		t.Error(err)
	}
	newer.kill(t)
	expectSound(t, s)
	expectSound(t, open(t, path, addition))
	must(t, s.Close())
	expectSound(t, open(t, path))
}

// TestAnOlderProgramStopsWhereANewerOneNeedsIt has a process of a newer version change the schema in a way that this one
// cannot know, while this one has the ledger open, and has left a claim in it.
func TestAnOlderProgramStopsWhereANewerOneNeedsIt(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	h, err := s.Hold(t.Context())
	must(t, err)
	r := record(1)
	r.Status, r.Holder = ledger.Applying, h.Name()
	must(t, s.Insert(t.Context(), r, ledger.Event{To: ledger.Applying}))
	must(t, h.Release())
	before := everything(t, path)
	stranger := spawn(t, "stranger", path)
	stranger.line(t)

	r.Revision = 1
	_, _, get := s.Get(t.Context(), r.ID)
	_, now := s.Now(t.Context())
	_, list := s.List(t.Context(), ledger.Query{})
	_, count := s.Count(t.Context(), ledger.Query{})
	_, events := s.Events(t.Context(), r.ID)
	_, prune := s.Prune(t.Context(), ledger.Query{}, 1)
	_, key := s.SensitiveKey(t.Context())
	_, check := s.Check(t.Context())
	_, again := sqlite.Open(t.Context(), path, patient)
	for what, err := range map[string]error{
		"insert": s.Insert(t.Context(), record(2), ledger.Event{}),
		"swap":   s.Swap(t.Context(), r, time.Time{}, ledger.Event{}),
		"get":    get, "now": now, "list": list, "count": count, "events": events, "prune": prune, "key": key, "check": check, "open": again,
	} {
		expectError(t, what, err, ledger.ErrUnsupported)
		if err != nil && !strings.Contains(err.Error(), "update this program") {
			t.Errorf("%s: %v does not say what to do", what, err)
		}
	}
	must(t, s.Close())
	stranger.kill(t)
	newer := open(t, path, departure)
	expectSound(t, newer)
	expectHolder(t, newer, h.Name(), ledger.Gone)
	if diff := cmp.Diff(before, everythingIn(t, newer)); diff != "" {
		t.Errorf("what the older program wrote (-before +after):\n%s", diff)
	}
}

// TestANewerProgramStopsNoServer opens a ledger with a newer program, an operator's or another server, which must not make
// one of it that a server which lives cannot use.
func TestANewerProgramStopsNoServer(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	h, err := s.Hold(t.Context())
	must(t, err)
	for who, opts := range map[string][]sqlite.Option{"an operator": {sqlite.MustExist(), departure}, "a server": {departure}} {
		_, err = sqlite.Open(t.Context(), path, opts...)
		expectError(t, "open as "+who, err, ledger.ErrBusy)
		if err == nil || !strings.Contains(err.Error(), h.Name()) || !strings.Contains(err.Error(), "stop every server") {
			t.Errorf("%s is told %v, not whom to stop", who, err)
		}
	}
	must(t, s.Insert(t.Context(), record(1), ledger.Event{}))
	must(t, open(t, path, addition).Close()) // this it can live with
	must(t, s.Insert(t.Context(), record(2), ledger.Event{}))
	must(t, h.Release())
	must(t, open(t, path, addition, sqlite.WithStep("CREATE INDEX changes_notes_too ON changes (note)", 4)).Close())
	_, err = sqlite.Open(t.Context(), path)
	expectError(t, "open with the older program", err, ledger.ErrUnsupported)
}

// TestALookAddsNothingToTheSchema looks with a newer program.
func TestALookAddsNothingToTheSchema(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	create(t, path)
	before := schemaOf(t, path)
	s, err := sqlite.Open(t.Context(), path, sqlite.LookOnly(), addition)
	if err == nil {
		must(t, s.Close())
	}
	if expectError(t, "look", err, ledger.ErrUnsupported); !strings.Contains(fmt.Sprint(err), "start a server of this version") {
		t.Errorf("%v does not say what to do", err)
	}
	if diff := cmp.Diff(before, schemaOf(t, path)); diff != "" {
		t.Errorf("the schema (-before +after):\n%s", diff)
	}
}

// TestANewLedgerIsAsOneThatEvolved compares what is in the schemas of the two.
func TestANewLedgerIsAsOneThatEvolved(t *testing.T) {
	t.Parallel()
	fresh, evolved := newPath(t), newPath(t)
	must(t, open(t, fresh, addition).Close())
	must(t, open(t, evolved).Close())
	must(t, open(t, evolved, addition).Close())
	if diff := cmp.Diff(schemaOf(t, fresh), schemaOf(t, evolved)); diff != "" {
		t.Errorf("schemas (-new +evolved):\n%s", diff)
	}
}

// TestAStepThatFailsChangesNothing has the second of two steps be wrong.
func TestAStepThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	writeChanges(t, path)
	before := everything(t, path)
	if s, err := sqlite.Open(t.Context(), path, addition, sqlite.WithStep("CREATE INDEX changes_notes ON nothing (note)", 4)); err == nil {
		_ = s.Close()
		t.Error("a step that fails is taken")
	}
	if diff := cmp.Diff(before, everything(t, path)); diff != "" {
		t.Errorf("the ledger (-before +after):\n%s", diff)
	}
	must(t, open(t, path, addition).Close())
}

// openAsNewer opens a ledger as a later version does, says what its schema is then, and writes until it is killed.
func openAsNewer(ctx context.Context, path string) error {
	s, err := sqlite.Open(ctx, path, patient, addition)
	if err != nil {
		return err
	}
	fmt.Println("schema 3")
	for n := 0; ; n++ {
		r := record(n)
		r.ID += fmt.Sprint(os.Getpid())
		if err := s.Insert(ctx, r, ledger.Event{To: ledger.Pending}); err != nil {
			return err
		}
		r.Revision, r.Status = 1, ledger.Applying
		if err := s.Swap(ctx, r, time.Time{}, ledger.Event{To: ledger.Applying}); err != nil {
			return err
		}
		fmt.Println(r.ID)
	}
}

// openAsStranger opens a ledger as a later version does that earlier ones cannot live with, and waits to be killed.
func openAsStranger(ctx context.Context, path string) error {
	if _, err := sqlite.Open(ctx, path, patient, departure); err != nil {
		return err
	}
	fmt.Println("schema 3")
	return waitToBeKilled()
}

// evolveAlone changes the schema of a ledger that nobody has open.
func evolveAlone(t *testing.T, path string) { must(t, open(t, path, departure).Close()) }

// leaveAStepInTheLog has a process that changed the schema be killed before it copies its log into the file.
func leaveAStepInTheLog(t *testing.T, path string) {
	c := spawn(t, "stranger", path)
	c.line(t)
	c.kill(t)
}
