package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/jackc/pgx/v5"
)

// TestAHostThatGoesSilentLetsGoOfItsLocks has one say nothing any more in the middle of a transaction of several statements.
func TestAHostThatGoesSilentLetsGoOfItsLocks(t *testing.T) {
	t.Parallel()
	direct := newDatabase(t)
	p, dsn := newProxy(t, direct)
	silent, s := open(t, dsn), open(t, direct, postgres.WithBusyTimeout(patience))
	old, fresh := insert(t, s, 1), waiting(2)
	fresh.WriteID = "the retry"
	underCap := ledger.Cap{Of: ledger.Query{Server: "settings"}, Max: 10}
	silent.SetBusyTimeout(time.Second)
	silent.SetAnswerPatience(shortest)
	for p.silenceAt(fresh.WriteID); p.isLoud(); { // it may have had no connection in that time
		if silent.SwapInsert(t.Context(), claim(old, "over", "h"), claimed, fresh, previewed, underCap) == nil {
			t.Fatal("the retry succeeded without an answer")
		}
	}
	if err := s.Insert(t.Context(), waiting(3), previewed, underCap); err != nil {
		t.Errorf("an insert under the same cap: %v", err)
	}
	if err := s.Swap(t.Context(), claim(old, "claim", "h"), never, claimed); err != nil {
		t.Errorf("a claim of the same record: %v", err)
	}
	p.refuse() // so that nothing is waited for at the end
}

// TestAHostThatGoesSilentAfterAJoinedBodyLetsGoOfItsLocks has one say nothing any more between the end of a body and the record
// of that.
func TestAHostThatGoesSilentAfterAJoinedBodyLetsGoOfItsLocks(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	p, dsn := newProxy(t, j.dsn)
	silent := &joining{Store: open(t, dsn), dsn: dsn, claimed: j.claimed}
	silent.claimed.WriteID = "the end"
	silent.SetAnswerPatience(shortest)
	for p.silenceAt("the end"); p.isLoud(); { // it may have got no answer to what it sent before
		silent.SetBusyTimeout(time.Minute)
		err := silent.join(t.Context(), func(ctx context.Context, _ pgx.Tx) error {
			err := addNote(ctx, "one")
			silent.SetBusyTimeout(time.Second)
			return err
		})
		if err == nil {
			t.Fatal("the join succeeded without an answer")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := connect(t, j.dsn).Exec(ctx, "INSERT INTO notes VALUES ('one')"); err != nil {
		t.Errorf("the same note of somebody else: %v", err)
	}
	j.expect(t, ledger.Applying, "one")
	p.refuse() // so that nothing is waited for at the end
}

// TestAHostThatWasSilentForTooLongIsToldToTryAgain has a statement come to the server when that has ended its transaction.
func TestAHostThatWasSilentForTooLongIsToldToTryAgain(t *testing.T) {
	t.Parallel()
	direct := newDatabase(t)
	p, dsn := newProxy(t, direct)
	other := open(t, direct)
	watcher, old, fresh := connect(t, direct), insert(t, other, 1), waiting(2)
	retry := func(s *postgres.Store) error {
		return s.SwapInsert(t.Context(), claim(old, "over", "h"), claimed, fresh, previewed)
	}
	late := open(t, dsn+"&default_query_exec_mode=exec&idle_in_transaction_session_timeout=1s")
	halted, goOn := p.haltAt("set_config('lock_timeout'")
	defer goOn()
	done := make(chan error)
	for came := false; !came; {
		go func() { done <- retry(late) }()
		select {
		case <-halted:
			came = true
		case <-done: // it ended before that was sent: the machine is slow
		}
	}
	for value[bool](t, watcher, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction')") {
		continue
	}
	goOn()
	failsWith(t, "the retry", <-done, ledger.ErrBusy)
	if err := retry(other); err != nil {
		t.Errorf("another retry: %v", err)
	}
}
