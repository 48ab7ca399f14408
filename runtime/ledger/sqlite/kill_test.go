package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

func TestAKilledProcessLeavesAWholeLedger(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	crash(t, path)
	s := open(t, path)
	r, _, err := s.Get(t.Context(), record(1).ID)
	if err != nil || r.Status != ledger.Applying {
		t.Errorf("the claim of the killed process: %+v, %v", r, err)
	}
}

// TestWhatWasAcknowledgedSurvivesAKill kills a process between two writes, or inside one, and looks for all that it had
// been told was written.
func TestWhatWasAcknowledgedSurvivesAKill(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	const rounds = 4
	var acknowledged []string
	for round := range rounds {
		c := spawn(t, "writer", path)
		for range 1 + 7*round { // at another place each time
			acknowledged = append(acknowledged, c.line(t))
		}
		acknowledged = append(acknowledged, c.kill(t)...)
	}
	s := open(t, path)
	for _, id := range acknowledged {
		r, _, err := s.Get(t.Context(), id)
		if err != nil {
			t.Errorf("acknowledged, then lost: %v", err)
			continue
		}
		events, err := s.Events(t.Context(), id)
		if err != nil || int64(len(events)) != r.Revision {
			t.Errorf("%s at revision %d has %d events, %v", id, r.Revision, len(events), err)
		}
	}
}

// TestAnInterruptedCheckpointIsNoDamage has a process die while it copies its log into the file, when the first page
// speaks of pages that are only in the log.
func TestAnInterruptedCheckpointIsNoDamage(t *testing.T) {
	t.Parallel()
	path, finished := newPath(t), newPath(t)
	const changes = 8 // a page each, and no more: with enough of them the process would copy the log by itself
	c := spawn(t, "writer", path, strconv.Itoa(changes))
	var written []string
	for range changes {
		written = append(written, c.line(t))
	}
	c.kill(t)

	must(t, os.MkdirAll(filepath.Dir(finished), 0o700))
	for _, ending := range []string{"", "-wal"} {
		must(t, os.WriteFile(finished+ending, read(t, path+ending), 0o600))
	}
	whole, err := sqlite.Open(t.Context(), finished)
	must(t, err)
	must(t, whole.Close())
	if len(read(t, finished)) <= len(read(t, path)) {
		t.Fatal("the log held no page that the file did not have")
	}
	overwrite(0, read(t, finished)[:pageSize])(t, path)

	s := open(t, path)
	for _, id := range written {
		if _, _, err := s.Get(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
}

// writeUntilKilled inserts and claims records and prints each that is done. With an argument it does so for that many, and
// waits.
func writeUntilKilled(ctx context.Context, path string) error {
	enough := -1 // never
	if len(os.Args) > 1 {
		var err error
		if enough, err = strconv.Atoi(os.Args[1]); err != nil {
			return err
		}
	}
	s, err := sqlite.Open(ctx, path, patient)
	if err != nil {
		return err
	}
	for n := 0; n != enough; n++ {
		r := record(n)
		r.ID += fmt.Sprint(os.Getpid())
		r.Payload = sqlite.Noise(pageSize)
		if err := s.Insert(ctx, r, ledger.Event{To: ledger.Pending}); err != nil {
			return err
		}
		r.Revision, r.Status = 1, ledger.Applying
		if err := s.Swap(ctx, r, time.Time{}, ledger.Event{To: ledger.Applying}); err != nil {
			return err
		}
		fmt.Println(r.ID)
	}
	return waitToBeKilled()
}

// crash leaves a ledger as a killed process does: with a claim, and with its write-ahead log.
func crash(t *testing.T, path string) {
	t.Helper()
	c := spawn(t, "holder", path)
	c.line(t)
	c.kill(t)
}

func TestAKilledHolderIsGone(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	c := spawn(t, "holder", path)
	name := c.line(t)
	expectHolder(t, s, name, ledger.Alive)
	c.kill(t)
	expectHolder(t, s, name, ledger.Gone)
	claims, err := s.List(t.Context(), ledger.Query{Statuses: []ledger.Status{ledger.Applying}})
	if err != nil || len(claims) != 1 || claims[0].Holder != name {
		t.Errorf("open claims: %v (%v), want the one of %s", claims, err, name)
	}
}

// holdAndWait makes a claim and waits to be killed.
func holdAndWait(ctx context.Context, path string) error {
	s, err := sqlite.Open(ctx, path, patient)
	if err != nil {
		return err
	}
	h, err := s.Hold(ctx)
	if err != nil {
		return err
	}
	r := record(1)
	r.Status, r.Holder = ledger.Applying, h.Name()
	if err := s.Insert(ctx, r, ledger.Event{To: ledger.Applying}); err != nil {
		return err
	}
	fmt.Println(h.Name())
	return waitToBeKilled()
}

// waitToBeKilled returns only if the parent goes away.
func waitToBeKilled() error {
	_, err := os.Stdin.Read(make([]byte, 1))
	return err
}
