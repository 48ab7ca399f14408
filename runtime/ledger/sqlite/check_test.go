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
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestCheckTellsWhatIsWrong damages a ledger that is open, and looks for what Check says of each damage.
func TestCheckTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage func(t *testing.T, path string)
		want   string
	}{
		"a change":              {execute("UPDATE changes SET status = 'undone' WHERE n = 3"), "change " + record(2).ID + " in row 3: "},
		"a body":                {execute("UPDATE changes SET payload = x'00' WHERE n = 3"), "change " + record(2).ID + " in row 3: "},
		"an event":              {execute("UPDATE events SET actor = 'root' WHERE change = 4 AND seq = 2"), "event 2 of the change in row 4: "},
		"an event that is gone": {execute("DELETE FROM events WHERE change = 4 AND seq = 2"), "change " + record(3).ID + ": it is at revision 4 and has 3 events"},
		"a change that is gone": {execute("DELETE FROM changes WHERE n = 4"), "events: 4 are of a change that is not there (row 4)"},
		"the account":           {execute("UPDATE ledger SET writes = writes + 1"), "the account: "},
		"all of a change":       {execute("DELETE FROM events WHERE change = 4; DELETE FROM changes WHERE n = 4"), "the account does not fit"},
		"a mark that says more": {overwriteMark, "are missing"},
		"a key that is gone":    {func(t *testing.T, path string) { must(t, os.Remove(path+".key")) }, "bring it back"},
		"a file open to all":    {chmod("", 0o644), "chmod 600"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			writeChanges(t, path)
			s := openToDamage(t, path)
			sensitiveKey(t, s)
			sensitive := record(changesWritten)
			sensitive.Sensitive = []byte(`{}`)
			must(t, s.Insert(t.Context(), sensitive, ledger.Event{}))
			expectSound(t, s)
			c.damage(t, path)
			faults, err := s.Check(t.Context())
			must(t, err)
			if !strings.Contains(strings.Join(faults, "\n"), c.want) {
				t.Errorf("%q do not say %q", faults, c.want)
			}
		})
	}
}

// openToDamage opens a ledger that need not close well.
func openToDamage(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, patient)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// overwriteMark puts the mark of a ledger that came further beside the one at path.
func overwriteMark(t *testing.T, path string) {
	t.Helper()
	further := newPath(t)
	s := open(t, further)
	for n := range 5 * changesWritten {
		must(t, s.Insert(t.Context(), record(n), ledger.Event{}))
	}
	must(t, s.Close())
	must(t, os.WriteFile(path+".mark", read(t, further+".mark"), 0o600))
}

// TestCheckSaysHowManyFaultsItDoesNotTell has 150 faults of one kind each time.
func TestCheckSaysHowManyFaultsItDoesNotTell(t *testing.T) {
	t.Parallel()
	const faulty = 150
	var indexes strings.Builder
	for n := range faulty {
		fmt.Fprintf(&indexes, "CREATE INDEX stranger_%03d ON changes (n);", n)
	}
	for name, c := range map[string]struct{ sql, told, more string }{
		"changes": {"UPDATE changes SET payload = x'00'", "row 100: ", "50 more of the kind: change"},
		"events":  {"UPDATE events SET actor = 'root'", "in row 100: ", "50 more of the kind: event"},
		"pasts":   {"DELETE FROM events", "and has 0 events", "50 more of the kind: number of events"},
		"owners":  {"DELETE FROM changes", "(row 100)", "50 more of the kind: event without its change"},
		"objects": {indexes.String(), "index stranger_099 is no part of it", ", and 50 more; "},
		"indexes": {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '= ''rejected''', '= ''pending''') WHERE name = 'changes_rejected'; " +
			"CREATE TABLE stranger (text)", "missing from index changes_rejected", "50 more of the kind: structure"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newQuickPath(t)
			s := openToDamage(t, path)
			for n := range faulty {
				must(t, s.Insert(t.Context(), record(n), ledger.Event{}))
			}
			execute(c.sql)(t, path)
			faults, err := s.Check(t.Context())
			must(t, err)
			said := strings.Join(faults, "\n")
			if !strings.Contains(said, c.told) || !strings.Contains(said, c.more) {
				t.Errorf("not said are %q and %q, but:\n%s", c.told, c.more, said)
			}
		})
	}
}

// TestCheckGoesOnAfterADamagedPage has most pages of a ledger be damaged.
func TestCheckGoesOnAfterADamagedPage(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	const changes, payload = 20, 1 << 20
	for n := range changes {
		r := record(n)
		r.Payload = sqlite.Noise(payload)
		must(t, s.Insert(t.Context(), r, ledger.Event{}))
	}
	must(t, s.Close())
	s = openToDamage(t, path)
	whole := read(t, path)
	for offset := len(whole) / 4; offset < len(whole)/2; offset += pageSize {
		whole[offset] ^= 0xff
	}
	must(t, os.WriteFile(path, whole, 0o600))
	faults, err := s.Check(t.Context())
	must(t, err)
	if said := strings.Join(faults, "\n"); !strings.Contains(said, "change chg_") {
		t.Errorf("%q do not name a change", faults)
	}
}

func TestCheckOfACallerThatLeftFails(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Check(ctx)
	expectError(t, "check", err, context.Canceled)
}

func expectSound(t *testing.T, s *sqlite.Store) {
	t.Helper()
	faults, err := s.Check(t.Context())
	if err != nil || len(faults) > 0 {
		t.Errorf("check: %q, %v", faults, err)
	}
}

func TestHoldersAreThoseWhoLiveOrHaveClaims(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	c := spawn(t, "holder", path)
	dead := c.line(t)
	c.kill(t)
	live, err := s.Hold(t.Context())
	must(t, err)
	defer live.Release()
	for n, status := range []ledger.Status{ledger.Undoing, ledger.Applying, ledger.Applied} {
		r := record(n + 10)
		r.Status, r.Holder = status, "somebody"
		must(t, s.Insert(t.Context(), r, ledger.Event{}))
	}
	got, err := s.Holders(t.Context())
	must(t, err)
	host, err := os.Hostname()
	must(t, err)
	want := []ledger.HolderState{
		{Name: dead, Liveness: ledger.Gone, Claims: 1, Process: ledger.Process{Host: host, PID: c.cmd.Process.Pid}},
		{Name: live.Name(), Liveness: ledger.Alive, Process: ledger.Process{Host: host, PID: os.Getpid()}},
		{Name: "somebody", Liveness: ledger.Unknown, Claims: 2},
	}
	if diff := cmp.Diff(want, got, cmpopts.SortSlices(func(a, b ledger.HolderState) bool { return a.Name < b.Name })); diff != "" {
		t.Errorf("holders (-want +got):\n%s", diff)
	}
}

func TestStatsCountsWhatIsThere(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	empty, err := s.Stats(t.Context())
	must(t, err)
	if len(empty.Groups) > 0 || empty.Writes != 0 || empty.FileBytes == 0 {
		t.Errorf("an empty ledger has %+v", empty)
	}
	noon := time.UnixMilli(1_800_000_000_000).UTC()
	for n := range 5 {
		r := record(n)
		r.Server, r.Operation, r.CreatedAt = "settings", "set", noon.Add(time.Duration(n)*time.Minute)
		r.Payload = sqlite.Noise(pageSize)
		if n > 2 {
			r.Operation, r.Status = "reset", ledger.Rejected
		}
		if n == 0 { // pending, and over
			r.ExpiresAt = time.UnixMilli(1)
		}
		must(t, s.Insert(t.Context(), r, ledger.Event{}))
	}
	got, err := s.Stats(t.Context())
	must(t, err)
	want := []ledger.Group{
		{Server: "settings", Operation: "reset", Status: ledger.Rejected, Changes: 2, Oldest: noon.Add(3 * time.Minute), Newest: noon.Add(4 * time.Minute)},
		{Server: "settings", Operation: "set", Status: ledger.Expired, Changes: 1, Oldest: noon, Newest: noon},
		{Server: "settings", Operation: "set", Status: ledger.Pending, Changes: 2, Oldest: noon.Add(time.Minute), Newest: noon.Add(2 * time.Minute)},
	}
	if diff := cmp.Diff(want, got.Groups); diff != "" || got.Writes != 5 || got.LogBytes == 0 || got.FreeBytes != 0 {
		t.Errorf("%+v (-want +got):\n%s", got, diff)
	}
	_, err = s.Prune(t.Context(), ledger.Query{}, 10)
	must(t, err)
	if got, err = s.Stats(t.Context()); err != nil || got.FreeBytes == 0 || len(got.Groups) != 2 {
		t.Errorf("after a prune: %+v, %v", got, err)
	}
}

// TestCheckBesideAWriterFindsNothing looks at a ledger again and again while another process writes to it.
func TestCheckBesideAWriterFindsNothing(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	c := spawn(t, "writer", path)
	for range 60 {
		c.line(t)
		expectSound(t, s)
	}
	c.kill(t)
	expectSound(t, s)
}
