package postgres_test

import (
	"fmt"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// TestWritesThatMeetAreTriedAgain has the server roll a claim back because of another write: the database's own default is an
// isolation in which that happens.
func TestWritesThatMeetAreTriedAgain(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	for _, level := range []string{"repeatable%20read", "serializable"} {
		strict := dsn + "&default_transaction_isolation=" + level
		s := open(t, strict)
		const callers, rounds = 8, 10
		for n := range rounds {
			r := waiting(n)
			r.ID = fmt.Sprintf("%s %s", level, r.ID)
			if err := s.Insert(t.Context(), r, previewed, ledger.Cap{Of: ledger.Query{Server: "settings"}, Max: 1000}); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, callers)
			for range callers {
				other := s
				go func() { done <- other.Swap(t.Context(), claim(r, "claim", "h"), never, claimed) }()
			}
			won := 0
			for range callers {
				if err := <-done; err == nil {
					won++
				} else {
					failsWith(t, "a claim", err, ledger.ErrConflict)
				}
			}
			if won != 1 {
				t.Errorf("%s: %d claims won", level, won)
			}
		}
	}
}

// TestAClaimThatIsRolledBackForAnotherIsDecidedAnew has a claim wait for a row in an isolation in which it fails when the row
// was written.
func TestAClaimThatIsRolledBackForAnotherIsDecidedAnew(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s := open(t, dsn+"&default_transaction_isolation=repeatable%20read")
	other, watcher := connect(t, dsn), connect(t, dsn)
	r := insert(t, s, 1)
	do(t, other, "BEGIN", "UPDATE changesetgen.changes SET revision = 2")
	done := make(chan error, 1)
	go func() { done <- s.Swap(t.Context(), claim(r, "claim", "h"), never, claimed) }()
	untilWaiting(t, watcher)
	do(t, other, "COMMIT")
	failsWith(t, "the claim", <-done, ledger.ErrConflict)
}

// TestADeadlockIsTriedAgain has the first write be chosen to end a deadlock.
func TestADeadlockIsTriedAgain(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s, other := open(t, dsn), connect(t, dsn)
	r := insert(t, s, 1)
	do(t, other, "CREATE SEQUENCE public.writes", "CREATE FUNCTION public.meet() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "+
		"IF nextval('public.writes') = 1 THEN RAISE 'deadlock detected' USING ERRCODE = '40P01'; END IF; RETURN NEW; END $$",
		"CREATE TRIGGER meet BEFORE INSERT ON changesetgen.events FOR EACH ROW EXECUTE FUNCTION public.meet()")
	if err := s.Swap(t.Context(), claim(r, "claim", "h"), never, claimed); err != nil {
		t.Errorf("the claim: %v", err)
	}
	if writes := value[int](t, other, "SELECT last_value FROM public.writes"); writes != 2 {
		t.Errorf("it was written %d times", writes)
	}
}

// TestAReadThatIsRolledBackForOthersIsTriedAgain has the server refuse one in the strictest isolation: it would see that a
// transaction came first that had not seen what this read does.
func TestAReadThatIsRolledBackForOthersIsTriedAgain(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t) + "&default_transaction_isolation=serializable"
	s := open(t, dsn+"&pool_max_conns=1") // so that the statement is prepared, and its first step is to look
	other, another, watcher := connect(t, dsn), connect(t, dsn), connect(t, dsn)
	r, seen := insert(t, s, 1), insert(t, s, 2)
	if _, _, err := s.Get(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	do(t, other, "BEGIN", "SELECT revision FROM changesetgen.changes WHERE id = '"+seen.ID+"'")
	do(t, another, "UPDATE changesetgen.changes SET revision = 3 WHERE id = '"+seen.ID+"'")
	do(t, other, "LOCK TABLE changesetgen.changes", "UPDATE changesetgen.changes SET revision = 2 WHERE id = '"+r.ID+"'")
	done := make(chan error, 1)
	go func() {
		got, _, err := s.Get(t.Context(), r.ID)
		if err == nil && got.Revision != 2 {
			err = fmt.Errorf("it is at revision %d", got.Revision)
		}
		done <- err
	}()
	untilWaiting(t, watcher)
	do(t, other, "COMMIT")
	if err := <-done; err != nil {
		t.Error(err)
	}
}
