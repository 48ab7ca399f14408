package postgres_test

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/internal/pgcluster"
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
	silent.SetAnswerPatience(shortest)
	p.silenceAt(fresh.WriteID)
	for wait := time.Second; p.isLoud(); wait *= 2 { // it may have come to nothing in that time
		silent.SetBusyTimeout(wait)
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
	p.silenceAt("the end")
	for wait := time.Second; p.isLoud(); wait *= 2 { // it may have got no answer to what it sent before
		silent.SetBusyTimeout(time.Minute)
		err := silent.join(t.Context(), func(ctx context.Context, _ pgx.Tx) error {
			err := addNote(ctx, "one")
			silent.SetBusyTimeout(wait)
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

// noting has the server note with which settings of a connection each change is added.
const noting = "CREATE TABLE noted (id text, text text); CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ " +
	"BEGIN INSERT INTO noted VALUES (NEW.id, " + asking + "); RETURN NULL; END $$; " +
	"CREATE TRIGGER noted AFTER INSERT ON changesetgen.changes FOR EACH ROW EXECUTE FUNCTION note()"

// asking is after how long the server asks whether the other end of a connection is there still, and how often.
const asking = "concat_ws(' ', current_setting('tcp_keepalives_idle'), current_setting('tcp_keepalives_interval'), current_setting('tcp_keepalives_count'))"

// TestTheServerAsksForTheHostThatItKeepsLocksFor looks at what it does while it has writes that go together, and a joined body, and
// with another write after these. Over a Unix socket nobody can be asked for.
func TestTheServerAsksForTheHostThatItKeepsLocksFor(t *testing.T) {
	t.Parallel()
	underCap := ledger.Cap{Of: ledger.Query{Server: "settings"}, Max: 10}
	for name, writes := range map[string][]postgres.Write{
		"one under a cap": {postgres.NewInsert(waiting(1), previewed, underCap)},
		"two":             {postgres.NewInsert(waiting(1), previewed), postgres.NewInsert(waiting(2), previewed)},
	} {
		for network, want := range map[string]string{"tcp": "10 5 3", "unix": "0 0 0"} {
			t.Run(name+" over "+network, func(t *testing.T) {
				t.Parallel()
				dsn := newDatabase(t)
				if network == "unix" {
					dsn = overUnixSocket(t, dsn)
				}
				s, other := open(t, dsn+"&pool_max_conns=1"), connect(t, dsn)
				do(t, other, noting)
				if err := errors.Join(s.Together(t.Context(), writes)...); err != nil {
					t.Error(err)
				}
				insideBody := ""
				_ = s.Join(t.Context(), func(ctx context.Context) (ledger.Record, ledger.Event, error) {
					tx, _ := postgres.Tx(ctx)
					return ledger.Record{}, ledger.Event{}, errors.Join(tx.QueryRow(ctx, "SELECT "+asking).Scan(&insideBody), errGivenUp)
				})
				insert(t, s, 3)
				noted := func(n int) string { return value[string](t, other, "SELECT text FROM noted WHERE id = $1", id(n)) }
				if together, after, ever := noted(1), noted(3), value[string](t, other, "SELECT "+asking); together != want || insideBody != want || after != ever {
					t.Errorf("with these %s, with a body %s, want %s; and then %s, want %s", together, insideBody, want, after, ever)
				}
			})
		}
	}
}

// overUnixSocket is the address of a database of the shared cluster by the socket in its directory.
func overUnixSocket(t *testing.T, dsn string) string {
	t.Helper()
	address, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	query := address.Query()
	query.Set("host", pgcluster.Shared(t).SocketDirectory())
	query.Set("port", address.Port())
	address.Host, address.RawQuery = "", query.Encode()
	return address.String()
}
