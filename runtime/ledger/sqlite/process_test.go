package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// roleVariable and pathVariable tell a child process what to be and on which ledger.
const (
	roleVariable = "LEDGER_TEST_ROLE"
	pathVariable = "LEDGER_TEST_PATH"
)

// roles are what this test binary does when it is run as a child. Each prints lines that its parent reads.
var roles = map[string]func(ctx context.Context, path string) error{
	"claimer":     claimEverything,
	"opener":      openAndWrite,
	"writer":      writeUntilKilled,
	"holder":      holdAndWait,
	"interrupted": stopInsideATransaction,
}

func TestMain(m *testing.M) {
	role, ok := roles[os.Getenv(roleVariable)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := role(context.Background(), os.Getenv(pathVariable)); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

// child is this test binary in another process.
type child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

// spawn starts a child, which is killed when the test ends if it has not ended before.
func spawn(t *testing.T, role, path string) *child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // held open for as long as the child is to wait
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &child{cmd: cmd, lines: bufio.NewScanner(stdout)}
}

// line is the next line that the child prints.
func (c *child) line(t *testing.T) string {
	t.Helper()
	if !c.lines.Scan() {
		t.Fatalf("the child ended: %v", c.cmd.Wait())
	}
	if text := c.lines.Text(); !strings.HasPrefix(text, "failed:") {
		return text
	}
	t.Fatalf("the child %s", c.lines.Text())
	return ""
}

// kill ends the child without a chance to tidy up.
func (c *child) kill(t *testing.T) {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait()
}

const (
	hammers        = 8   // goroutines of a child
	hammeredClaims = 150 // records that the children fight for
)

// TestTwoProcessesClaimEachRecordOnce has two processes with many goroutines claim the same records at once.
func TestTwoProcessesClaimEachRecordOnce(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	for n := range hammeredClaims {
		if err := s.Insert(t.Context(), record(n), ledger.Event{To: ledger.Pending}); err != nil {
			t.Fatal(err)
		}
	}
	children := []*child{spawn(t, "claimer", path), spawn(t, "claimer", path)}
	wins := map[string]string{}
	for _, c := range children {
		for line := c.line(t); line != "done"; line = c.line(t) {
			id, claim, _ := strings.Cut(line, " ")
			if other, twice := wins[id]; twice {
				t.Errorf("%s was claimed by %s and by %s", id, other, claim)
			}
			wins[id] = claim
		}
	}
	if len(wins) != hammeredClaims {
		t.Errorf("%d of %d records were claimed", len(wins), hammeredClaims)
	}
	for id, claim := range wins {
		r, _, err := s.Get(t.Context(), id)
		if err != nil || r.ClaimID != claim || r.Revision != 2 {
			t.Errorf("%s: claim %q at revision %d (%v), want %q at 2", id, r.ClaimID, r.Revision, err, claim)
		}
	}
}

// claimEverything claims every pending record that it can and prints those it won.
func claimEverything(ctx context.Context, path string) error {
	s, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	failures := make([]error, hammers)
	for i := range hammers {
		group.Go(func() { failures[i] = claimAll(ctx, s, fmt.Sprintf("%d.%d", os.Getpid(), i)) })
	}
	group.Wait()
	if err := errors.Join(append(failures, s.Close())...); err != nil {
		return err
	}
	fmt.Println("done")
	return nil
}

func claimAll(ctx context.Context, s *sqlite.Store, claim string) error {
	for n := range hammeredClaims {
		r, _, err := s.Get(ctx, record(n).ID)
		if err != nil {
			return err
		}
		if r.Status != ledger.Pending {
			continue
		}
		r.Status, r.ClaimID = ledger.Applying, claim
		switch err := s.Swap(ctx, r, time.Time{}, ledger.Event{From: ledger.Pending, To: ledger.Applying}); {
		case err == nil:
			fmt.Println(r.ID, claim)
		case !errors.Is(err, ledger.ErrConflict):
			return err
		}
	}
	return nil
}

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
		c.kill(t)
		for c.lines.Scan() {
			acknowledged = append(acknowledged, c.lines.Text())
		}
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

// writeUntilKilled inserts and claims records and prints each that is done.
func writeUntilKilled(ctx context.Context, path string) error {
	s, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
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

// TestManyOpenOneNewLedger has processes and goroutines make the same ledger at once.
func TestManyOpenOneNewLedger(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	children := []*child{spawn(t, "opener", path), spawn(t, "opener", path)}
	const openers = 4
	errs := make(chan error, openers)
	for n := range openers {
		go func() { errs <- openAndInsert(t.Context(), path, record(n)) }()
	}
	for range openers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	for _, c := range children {
		c.line(t) // it is done
	}
	all, err := open(t, path).List(t.Context(), ledger.Query{})
	if want := openers + len(children); err != nil || len(all) != want {
		t.Errorf("%d records, %v, want %d", len(all), err, want)
	}
}

func openAndWrite(ctx context.Context, path string) error {
	r := record(0)
	r.ID += fmt.Sprint(os.Getpid())
	if err := openAndInsert(ctx, path, r); err != nil {
		return err
	}
	fmt.Println("done")
	return nil
}

func openAndInsert(ctx context.Context, path string, r ledger.Record) error {
	s, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	return errors.Join(s.Insert(ctx, r, ledger.Event{}), s.Close())
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
	s, err := sqlite.Open(ctx, path)
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

func TestAWriterInAnotherProcessIsWaitedFor(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	c := spawn(t, "interrupted", path)
	c.line(t) // it is inside its transaction from here on

	s.SetBusyTimeout(time.Millisecond)
	expectError(t, "insert while another process writes", s.Insert(t.Context(), record(2), ledger.Event{}), ledger.ErrBusy)
	_, err := sqlite.Open(t.Context(), path, sqlite.WithBusyTimeout(time.Millisecond))
	expectError(t, "open while another process writes", err, ledger.ErrBusy)
	if _, err := s.Now(t.Context()); err != nil {
		t.Errorf("a read has to wait for the writer: %v", err)
	}

	s.SetBusyTimeout(sqlite.DefaultBusyTimeout)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- s.Insert(ctx, record(3), ledger.Event{}) }()
	leave()
	expectError(t, "insert of a caller that left", <-left, context.Canceled)

	c.kill(t)
	if err := s.Insert(t.Context(), record(4), ledger.Event{}); err != nil {
		t.Errorf("insert after the kill: %v", err)
	}
	for n := 1; n <= 3; n++ {
		_, _, err := s.Get(t.Context(), record(n).ID)
		expectError(t, "get "+record(n).ID, err, ledger.ErrNotFound)
	}
}

// stopInsideATransaction waits to be killed with a transaction open: where the store reads its clock.
func stopInsideATransaction(ctx context.Context, path string) error {
	s, err := sqlite.Open(ctx, path, sqlite.WithClock(func() time.Time {
		fmt.Println("in the transaction")
		_ = waitToBeKilled()
		return time.Time{}
	}))
	if err != nil {
		return err
	}
	return s.Insert(ctx, record(1), ledger.Event{})
}

// waitToBeKilled returns only if the parent goes away.
func waitToBeKilled() error {
	_, err := os.Stdin.Read(make([]byte, 1))
	return err
}

func record(n int) ledger.Record {
	return ledger.Record{
		Fixed:   ledger.Fixed{ID: fmt.Sprintf("chg_%020x", n), Payload: []byte(`{}`)},
		Mutable: ledger.Mutable{Status: ledger.Pending},
	}
}

func expectHolder(t *testing.T, s *sqlite.Store, name string, want ledger.Liveness) {
	t.Helper()
	got, err := s.Holder(t.Context(), name)
	if err != nil || got != want {
		t.Errorf("holder %s is %d (%v), want %d", name, got, err, want)
	}
}

func expectError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want %v", what, err, want)
	}
}
