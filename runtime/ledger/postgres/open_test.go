package postgres_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

// refuses fails unless a ledger is refused for that reason.
func refuses(t *testing.T, what, dsn string, want error, opts ...postgres.Option) error {
	t.Helper()
	s, err := postgres.Open(t.Context(), dsn, append(patient[:len(patient):len(patient)], opts...)...)
	if err == nil {
		_ = s.Close()
	}
	failsWith(t, what, err, want)
	return err
}

func TestManyThatOpenALedgerFirstMakeOne(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	const programs = 8
	stores := make([]*postgres.Store, programs)
	var group sync.WaitGroup
	for n := range programs {
		group.Go(func() { stores[n] = open(t, dsn) })
	}
	group.Wait()
	insert(t, stores[0], 1)
	for _, s := range stores {
		get(t, s, 1)
	}
}

func TestLedgersOfOneDatabaseAreApart(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	first, second := open(t, dsn), open(t, dsn, postgres.WithSchema(`an "odd" ? $1 schema`))
	insert(t, first, 1)
	_, _, err := second.Get(t.Context(), id(1))
	failsWith(t, "get from the other", err, ledger.ErrNotFound)
	r := insert(t, second, 1)
	if err := second.Swap(t.Context(), claim(r, "claim", hold(t, second).Name()), never, claimed); err != nil {
		t.Errorf("claim in the other: %v", err)
	}
	looksWhole(t, second)
}

func TestAMissingLedgerIsNotMadeWhereItMustExist(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	conn := connect(t, dsn)
	want := fmt.Sprintf("ledger in schema changesetgen: there is no ledger in this schema of the database %q, and none is made here; "+
		"give the address and the schema that its servers use", conn.Config().Database)
	for _, opt := range []postgres.Option{postgres.MustExist(), postgres.LookOnly()} {
		if err := refuses(t, "a missing ledger", dsn, fs.ErrNotExist, opt); err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
	if value[bool](t, conn, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'changesetgen')") {
		t.Error("a schema was made")
	}
}

func TestASchemaWithSomethingElseIsRefused(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	do(t, connect(t, dsn), "CREATE TABLE public.orders ()")
	refuses(t, "a schema of others", dsn, ledger.ErrUnsupported, postgres.WithSchema("public"))
	refuses(t, "a schema of the server", dsn, ledger.ErrUnsupported, postgres.WithSchema("pg_ledger"))
	refuses(t, "a name that is cut", dsn, ledger.ErrUnsupported, postgres.WithSchema(strings.Repeat("x", 64)))
}

// TestTablesThatSomebodyChangedAreRefused is about what would break a promise without anybody noticing.
func TestTablesThatSomebodyChangedAreRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"a trigger": "CREATE FUNCTION public.back() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'; " +
			"CREATE TRIGGER back BEFORE UPDATE ON changesetgen.changes FOR EACH ROW EXECUTE FUNCTION public.back()",
		"a rule":                    "CREATE RULE nothing AS ON UPDATE TO changesetgen.changes DO INSTEAD NOTHING",
		"no index of requests":      "DROP INDEX changesetgen.changes_requests",
		"another index of requests": "DROP INDEX changesetgen.changes_requests; CREATE INDEX changes_requests ON changesetgen.changes (request_id)",
		"an index of other requests": "DROP INDEX changesetgen.changes_requests; CREATE UNIQUE INDEX changes_requests ON changesetgen.changes " +
			"(request_id, server, operation, scope, caller) WHERE request_id = 'x'",
		"a table with more of its rows":             "CREATE TABLE public.more () INHERITS (changesetgen.changes)",
		"no key of the events":                      "ALTER TABLE changesetgen.events DROP CONSTRAINT events_pkey",
		"an index more by which something is taken": "CREATE UNIQUE INDEX once ON changesetgen.changes (payload_hash)",
		"a column more":                             "ALTER TABLE changesetgen.changes ADD COLUMN note text",
		"a column of another type":                  "ALTER TABLE changesetgen.changes ALTER COLUMN items TYPE integer",
		"a table that a crash empties":              "ALTER TABLE changesetgen.events SET UNLOGGED",
		"rows that some do not see":                 "ALTER TABLE changesetgen.changes ENABLE ROW LEVEL SECURITY",
		"a table less":                              "DROP TABLE changesetgen.holders",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := newDatabase(t)
			s := open(t, dsn)
			do(t, connect(t, dsn), change)
			refuses(t, name, dsn, ledger.ErrCorrupt)
			if faults, err := s.Check(t.Context()); err == nil && len(faults) == 0 {
				t.Error("Check finds nothing")
			}
		})
	}
}

// TestALedgerWithoutItsAccountIsCorrupt has somebody delete the one row that says who may use it.
func TestALedgerWithoutItsAccountIsCorrupt(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s := open(t, dsn)
	r := insert(t, s, 1)
	do(t, connect(t, dsn), "DELETE FROM changesetgen.ledger")
	for name, call := range map[string]func() error{
		"get":    func() error { _, _, err := s.Get(t.Context(), r.ID); return err },
		"now":    func() error { _, err := s.Now(t.Context()); return err },
		"list":   func() error { _, err := s.List(t.Context(), ledger.Query{}); return err },
		"count":  func() error { _, err := s.Count(t.Context(), ledger.Query{}); return err },
		"check":  func() error { _, err := s.Check(t.Context()); return err },
		"stats":  func() error { _, err := s.Stats(t.Context()); return err },
		"claim":  func() error { return s.Swap(t.Context(), claim(r, "claim", "h"), never, claimed) },
		"insert": func() error { return s.Insert(t.Context(), waiting(2), previewed) },
		"pair":   func() error { return s.SwapInsert(t.Context(), claim(r, "claim", "h"), claimed, waiting(2), previewed) },
		"hold":   func() error { _, err := s.Hold(t.Context()); return err },
	} {
		failsWith(t, name, call(), ledger.ErrCorrupt)
	}
	refuses(t, "opening it", dsn, ledger.ErrCorrupt)
}

func TestAnIndexMoreIsNoHarm(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	open(t, dsn)
	do(t, connect(t, dsn), "CREATE INDEX by_payload ON changesetgen.changes (payload_hash)")
	open(t, dsn)
}

// TestAnIndexThatIsMadeAnewIsNoHarm has REINDEX wait for somebody: before it takes the new index, and before it drops the old.
func TestAnIndexThatIsMadeAnewIsNoHarm(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]string{"_ccnew": "ROW EXCLUSIVE", "_ccold": "ACCESS SHARE"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := newDatabase(t)
			insert(t, open(t, dsn), 1)
			other, conn, watcher := connect(t, dsn), connect(t, dsn), connect(t, dsn)
			do(t, other, "BEGIN", "LOCK TABLE changesetgen.changes IN "+mode+" MODE")
			done := make(chan error, 1)
			go func() {
				_, err := conn.Exec(t.Context(), "REINDEX INDEX CONCURRENTLY changesetgen.changes_requests")
				done <- err
			}()
			for !value[bool](t, watcher, "SELECT EXISTS (SELECT FROM pg_class WHERE relname = $1)", "changes_requests"+name) {
				if len(done) > 0 {
					t.Fatalf("REINDEX waits for nobody: %v", <-done)
				}
			}
			get(t, open(t, dsn), 1)
			do(t, other, "ROLLBACK")
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOnlyTheKeyOfTheLedgerIsTaken(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	without, err := postgres.Open(t.Context(), dsn, postgres.WithBusyTimeout(patience), postgres.WithLogger(silent))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = without.Close() }()
	_, err = without.SensitiveKey(t.Context())
	failsWith(t, "the key of who has none", err, ledger.ErrUnsupported)
	open(t, dsn)
	open(t, dsn)
	other := postgres.WithSensitiveKey(bytes.Repeat([]byte{8}, 32))
	refuses(t, "another key", dsn, ledger.ErrUnsupported, other)
	refuses(t, "another key of who looks", dsn, ledger.ErrUnsupported, other, postgres.LookOnly())
	refuses(t, "a short key", dsn, ledger.ErrUnsupported, postgres.WithSensitiveKey([]byte("short")))
}

// TestNoErrorHasAPasswordInIt opens ledgers that cannot be opened.
func TestNoErrorHasAPasswordInIt(t *testing.T) {
	t.Parallel()
	const password = "hunter2"
	for _, dsn := range []string{
		"postgres://user:" + password + "@127.0.0.1:1/none?sslmode=disable",
		"host=127.0.0.1 port=1 user=user password=" + password + " dbname=none sslmode=disable",
		"postgres://user:" + password + "@127.0.0.1:1/none?sslmode=perhaps",
		"host=127.0.0.1 port=one password=" + password,
		"postgres://user:" + password + "@127.0.0.1:one/none",
		"postgres://user:" + password + "@[127.0.0.1/none",
	} {
		s, err := postgres.Open(t.Context(), dsn, postgres.WithBusyTimeout(shortest))
		if err == nil {
			_ = s.Close()
			t.Errorf("%s is opened", dsn)
			continue
		}
		if strings.Contains(err.Error(), password) {
			t.Errorf("the error of %s: %v", dsn, err)
		}
	}
}

// TestEveryModeOfTheDriverServes goes through the ways in which statements are sent: through some poolers only some can go.
func TestEveryModeOfTheDriverServes(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := open(t, newDatabase(t)+"&default_query_exec_mode="+mode)
			var together []postgres.Write
			for n := range 3 {
				r := insert(t, s, n)
				r.ApplyToken, r.UndoToken, r.Joined = []byte{0, 1}, []byte{}, n == 1
				together = append(together, postgres.NewSwap(claim(r, "claim", "h"), never, claimed))
			}
			capped := ledger.Cap{Of: ledger.Query{Server: "settings", Unexpired: true}, Max: 1000}
			together = append(together, postgres.NewInsert(waiting(3), previewed, capped))
			for n, err := range s.Together(t.Context(), together) {
				if err != nil {
					t.Errorf("write %d: %v", n, err)
				}
			}
			got := get(t, s, 1)
			if got.WriteID != "claim" || !got.Joined || !bytes.Equal(got.ApplyToken, []byte{0, 1}) || got.UndoToken == nil || got.Result != nil {
				t.Errorf("read back: %+v", got)
			}
			looksWhole(t, s)
			hold(t, s)
		})
	}
}

// TestTextsAreTheSameWhateverTheDatabaseHasAsADefault has another encoding be the default of those that connect.
func TestTextsAreTheSameWhateverTheDatabaseHasAsADefault(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	conn := connect(t, dsn)
	do(t, conn, "ALTER DATABASE "+value[string](t, conn, "SELECT current_database()")+" SET client_encoding = 'LATIN1'")
	s := open(t, dsn)
	r := waiting(1)
	r.Error = "caf\u00e9\u2026"
	if err := s.Insert(t.Context(), r, previewed); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, 1).Error; got != r.Error {
		t.Errorf("read back: %q", got)
	}
	if got := value[string](t, conn, "SELECT error FROM changesetgen.changes"); got != r.Error {
		t.Errorf("stored: %q", got)
	}
}

// TestBytesThatWouldBeReadAsOthersAreRefused has the server send them in an older way.
func TestBytesThatWouldBeReadAsOthersAreRefused(t *testing.T) {
	t.Parallel()
	escaped := newDatabase(t) + "&bytea_output=escape"
	for _, mode := range []string{"exec", "simple_protocol"} {
		refuses(t, mode, escaped+"&default_query_exec_mode="+mode, ledger.ErrUnsupported)
	}
	s := open(t, escaped)
	insert(t, s, 1)
	if got := get(t, s, 1).Payload; string(got) != `{}` {
		t.Errorf("read back: %q", got)
	}
}
