package postgres_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/jackc/pgx/v5"
)

// quick has holds renewed many times while a test waits for what comes of it, and lost only when they are refused.
var quick = postgres.WithLease(time.Hour, time.Millisecond, time.Hour)

func hold(t *testing.T, s *postgres.Store) ledger.Hold {
	t.Helper()
	h, err := s.Hold(t.Context())
	if err != nil {
		t.Fatalf("hold: %v", err)
	}
	t.Cleanup(func() { _ = h.Release() })
	return h
}

func liveness(t *testing.T, s *postgres.Store, name string, want ledger.Liveness) {
	t.Helper()
	got, err := s.Holder(t.Context(), name)
	if err != nil || got != want {
		t.Errorf("holder %s is %s (%v), want %s", name, got, err, want)
	}
}

// lapsedBy is more than any lease of these tests lasts.
const lapsedBy = 2 * time.Hour

// lapse has the lease of a holder have ended, by the clock of the database.
func lapse(t *testing.T, conn *pgx.Conn, name string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), "UPDATE changesetgen.holders SET until = until - $2::bigint WHERE name = $1", name, lapsedBy.Milliseconds()); err != nil {
		t.Fatal(err)
	}
}

func TestALeaseIsRenewedWhileItsProcessLives(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s, conn := open(t, dsn, quick), connect(t, dsn)
	h := hold(t, s)
	until := value[int64](t, conn, "SELECT until FROM changesetgen.holders WHERE name = $1", h.Name())
	for value[int64](t, conn, "SELECT until FROM changesetgen.holders WHERE name = $1", h.Name()) == until {
		continue
	}
	liveness(t, s, h.Name(), ledger.Alive)
}

// TestAHolderWhoseLeaseIsOverIsGoneForEver has the clock of the database go back after others have found out.
func TestAHolderWhoseLeaseIsOverIsGoneForEver(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s, other, conn := open(t, dsn), open(t, dsn), connect(t, dsn)
	h := hold(t, s)
	r := insert(t, s, 1)
	liveness(t, other, h.Name(), ledger.Alive)
	lapse(t, conn, h.Name())
	failsWith(t, "a claim with a lease that is over", s.Swap(t.Context(), claim(r, "late", h.Name()), never, claimed), ledger.ErrHoldOver)
	liveness(t, other, h.Name(), ledger.Gone)
	do(t, conn, "UPDATE changesetgen.holders SET until = until + 10000000000")
	liveness(t, other, h.Name(), ledger.Gone)
	failsWith(t, "a claim", s.Swap(t.Context(), claim(r, "late", h.Name()), never, claimed), ledger.ErrHoldOver)
	if got := get(t, s, 1); got.Revision != 1 {
		t.Errorf("the record is at revision %d", got.Revision)
	}
}

// TestARenewalComesTooLate has a lease end that its process goes on renewing: it is told, and others take it for gone.
func TestARenewalComesTooLate(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s, conn := open(t, dsn, quick), connect(t, dsn)
	h := hold(t, s)
	lapse(t, conn, h.Name())
	<-h.Lost()
	liveness(t, s, h.Name(), ledger.Gone)
	next := hold(t, s)
	if err := s.Swap(t.Context(), claim(insert(t, s, 1), "claim", next.Name()), never, claimed); err != nil {
		t.Errorf("a claim with the next hold: %v", err)
	}
}

// lines are what is logged, in pieces.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// TestTheLogSaysWhyARegistrationWasLost has the database take one for over, and another not be renewed in time.
func TestTheLogSaysWhyARegistrationWasLost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lease postgres.Option
		want  string
	}{
		"over in the database": {quick, "its lease was over"},
		"never renewed":        {postgres.WithLease(time.Hour, time.Hour, time.Nanosecond), "was stopped"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn, said := newDatabase(t), make(lines, 1)
			toldOf := slog.NewTextHandler(said, &slog.HandlerOptions{Level: slog.LevelWarn})
			s, conn := open(t, dsn, c.lease, postgres.WithLogger(slog.New(toldOf))), connect(t, dsn)
			lapse(t, conn, hold(t, s).Name())
			if line := <-said; !strings.Contains(line, "was lost") || !strings.Contains(line, c.want) {
				t.Errorf("the log says %q", line)
			}
		})
	}
}

// TestAHoldThatCannotBeRenewedIsLost cuts its process from the server. Others hear of it for longer: the rest of the lease is
// for bringing to an end what it carries out.
func TestAHoldThatCannotBeRenewedIsLost(t *testing.T) {
	t.Parallel()
	direct := newDatabase(t)
	p, dsn := newProxy(t, direct)
	s := open(t, dsn+"&pool_max_conns=1", postgres.WithLease(time.Hour, 10*time.Millisecond, 100*time.Millisecond))
	h := hold(t, s)
	p.refuse()
	<-h.Lost()
	liveness(t, open(t, direct), h.Name(), ledger.Alive)
	p.admit()
	for _, _, err := s.Get(t.Context(), id(1)); !errors.Is(err, ledger.ErrNotFound); _, _, err = s.Get(t.Context(), id(1)) {
		continue // over the connection that was cut
	}
	for h.Release() != nil {
		continue // holds have connections of their own, of which one may have been cut too
	}
	liveness(t, s, h.Name(), ledger.Gone)
}

// TestARenewalGoesOverAnotherConnectionInTime has every connection that is there go silent, as behind a router that has forgotten
// them. The other one has half of the time: where that is too short for a machine that is busy, there is more.
func TestARenewalGoesOverAnotherConnectionInTime(t *testing.T) {
	t.Parallel()
	direct := newDatabase(t)
	conn := connect(t, direct)
	for loss := 2 * time.Second; !outlivesSilence(t, direct, conn, loss); loss *= 4 {
		if loss > patience {
			t.Fatal("it was lost")
		}
	}
}

// outlivesSilence tells whether a hold that is lost after that time is renewed when all connections have gone silent.
func outlivesSilence(t *testing.T, direct string, conn *pgx.Conn, loss time.Duration) bool {
	t.Helper()
	p, dsn := newProxy(t, direct)
	const connections = 4
	s := open(t, fmt.Sprintf("%s&pool_min_conns=%d", dsn, connections), postgres.WithLease(time.Hour, 10*time.Millisecond, loss))
	h := hold(t, s)
	for p.connections() < connections {
		do(t, conn, "SELECT pg_sleep(0.001)")
	}
	defer func() { // so that nothing is waited for at the end
		p.refuse()
		p.admit()
	}()
	p.silence()
	for range 2 { // the first may have begun before
		if !isRenewed(t, conn, h) {
			return false
		}
	}
	return true
}

// TestReadsKeepNoHoldFromBeingRenewed has every connection that reads have wait for a lock on what they read.
func TestReadsKeepNoHoldFromBeingRenewed(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s := open(t, dsn+"&pool_max_conns=1", postgres.WithLease(time.Hour, 10*time.Millisecond, patience))
	conn, other := connect(t, dsn), connect(t, dsn)
	h := hold(t, s)
	do(t, other, "BEGIN", "LOCK TABLE changesetgen.changes")
	done := make(chan error, 1)
	go func() {
		_, _, err := s.Get(t.Context(), id(1))
		done <- err
	}()
	untilWaiting(t, conn)
	for range 2 { // the first may have begun before
		untilRenewed(t, conn, h)
	}
	do(t, other, "ROLLBACK")
	failsWith(t, "get", <-done, ledger.ErrNotFound)
}

// untilRenewed returns once a hold was renewed that is not lost.
func untilRenewed(t *testing.T, conn *pgx.Conn, h ledger.Hold) {
	t.Helper()
	if !isRenewed(t, conn, h) {
		t.Fatal("it was lost")
	}
}

// isRenewed returns once a hold was renewed, or is lost.
func isRenewed(t *testing.T, conn *pgx.Conn, h ledger.Hold) bool {
	t.Helper()
	untilOf := func() int64 {
		return value[int64](t, conn, "SELECT until FROM changesetgen.holders WHERE name = $1", h.Name())
	}
	for before := untilOf(); untilOf() == before; {
		select {
		case <-h.Lost():
			return false
		default:
			do(t, conn, "SELECT pg_sleep(0.01)")
		}
	}
	return true
}

// TestAHoldThatCannotBeReleasedEndsWithItsLease gives one up while the server is away.
func TestAHoldThatCannotBeReleasedEndsWithItsLease(t *testing.T) {
	t.Parallel()
	direct := newDatabase(t)
	p, dsn := newProxy(t, direct)
	s, other := open(t, dsn, postgres.WithLease(2*time.Second, 10*time.Millisecond, time.Hour)), open(t, direct)
	s.SetBusyTimeout(3 * time.Second)
	h, err := s.Hold(t.Context())
	for err != nil { // it may have had no connection in that time
		h, err = s.Hold(t.Context())
	}
	p.refuse()
	if h.Release() == nil {
		t.Fatal("it was released")
	}
	p.admit()
	for said := ledger.Alive; said == ledger.Alive; {
		var err error
		if said, err = other.Holder(t.Context(), h.Name()); err != nil {
			t.Fatal(err)
		}
	}
	for h.Release() != nil {
		continue // over a connection that was cut
	}
}

// TestWhoFindsAHolderGoneSeesAllOfItsClaims has a claim be under way when its holder is found to be over: it is waited for.
func TestWhoFindsAHolderGoneSeesAllOfItsClaims(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s, other := open(t, dsn, postgres.WithBusyTimeout(time.Hour)), open(t, dsn) // who gave up would be decided on anew
	blocker, watcher := connect(t, dsn), connect(t, dsn)
	h := hold(t, s)
	r := insert(t, s, 1)
	do(t, blocker, "BEGIN", "INSERT INTO changesetgen.events VALUES ('"+id(1)+"', 2, 0, '', '', '', '', '')") // as the claim will
	done := make(chan error, 1)
	go func() { done <- s.Swap(t.Context(), claim(r, "claim", h.Name()), never, claimed) }()
	untilWaiting(t, watcher)
	lapse(t, watcher, h.Name())
	found := make(chan ledger.Liveness, 1)
	go func() {
		got, err := other.Holder(t.Context(), h.Name())
		if err != nil {
			t.Error(err)
		}
		found <- got
	}()
	untilManyWait(t, watcher, 2)
	do(t, blocker, "ROLLBACK")
	if err := <-done; err != nil {
		t.Errorf("the claim that came before: %v", err)
	}
	if got := <-found; got != ledger.Gone {
		t.Errorf("the holder is %s", got)
	}
	if got := get(t, other, 1).WriteID; got != "claim" {
		t.Errorf("who found the holder gone sees %q, and not its claim", got)
	}
}

// TestOldHoldersAreForgotten keeps the table of holders small, and those in it that have left something.
func TestOldHoldersAreForgotten(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s, conn := open(t, dsn), connect(t, dsn)
	left, clean := hold(t, s), hold(t, s)
	if err := s.Swap(t.Context(), claim(insert(t, s, 1), "claim", left.Name()), never, claimed); err != nil {
		t.Fatal(err)
	}
	waits := insert(t, s, 2)
	do(t, conn, "UPDATE changesetgen.holders SET until = until - 100000000")
	hold(t, s)
	liveness(t, s, left.Name(), ledger.Gone)
	liveness(t, s, clean.Name(), ledger.Unknown)
	failsWith(t, "a claim of one that was forgotten", s.Swap(t.Context(), claim(waits, "late", clean.Name()), never, claimed), ledger.ErrHoldOver)
}

// TestTimesOfAnyLengthAreTimes has a store wait for others, and others for its hold, for as long as a time can say.
func TestTimesOfAnyLengthAreTimes(t *testing.T) {
	t.Parallel()
	s := open(t, newDatabase(t), postgres.WithBusyTimeout(math.MaxInt64), postgres.WithLeaseLength(math.MaxInt64))
	h := hold(t, s)
	select {
	case <-h.Lost():
		t.Error("the hold is lost")
	default:
	}
	r := insert(t, s, 1)
	if err := s.SwapInsert(t.Context(), claim(r, "claim", h.Name()), claimed, waiting(2), previewed); err != nil {
		t.Errorf("swap and insert: %v", err)
	}
	if got := get(t, s, 1).WriteID; got != "claim" {
		t.Errorf("the record was written by %q", got)
	}
}
