package postgres_test

import (
	"bytes"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/internal/pgcluster"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/jackc/pgx/v5"
)

// warnings are what a store says when it opens a ledger.
func warnings(t *testing.T, dsn string, opts ...postgres.Option) string {
	t.Helper()
	var said bytes.Buffer
	open(t, dsn, append(opts, postgres.WithLogger(slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelWarn}))))...)
	return said.String()
}

func TestAServerThatDoesNotSyncIsRefused(t *testing.T) {
	t.Parallel()
	dsn := pgcluster.Start(t, pgcluster.Settings{Conf: []string{"fsync = off", "full_page_writes = off"}}).DSN("postgres")
	refuses(t, "a server that does not sync", dsn, ledger.ErrUnsupported)
	if said := warnings(t, dsn, postgres.DespiteNoSync()); !strings.Contains(said, "fsync") || !strings.Contains(said, "full_page_writes") {
		t.Errorf("who takes it is told %q", said)
	}
}

// TestAnIsolationInWhichWritesMeetIsWarnedOf has it be the default of the database, or be given in the address.
func TestAnIsolationInWhichWritesMeetIsWarnedOf(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	for level, isWarned := range map[string]bool{
		"serializable": true, "repeatable read": true, "read committed": false, "read uncommitted": false,
	} {
		said := warnings(t, dsn+"&default_transaction_isolation="+strings.ReplaceAll(level, " ", "%20"))
		if strings.Contains(said, "default_transaction_isolation is "+level) != isWarned {
			t.Errorf("%s: the log says %q", level, said)
		}
	}
	do(t, connect(t, dsn), `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = serializable', current_database()); END $$`)
	if said := warnings(t, dsn); !strings.Contains(said, "set it to 'read committed'") {
		t.Errorf("by default: the log says %q", said)
	}
}

func TestADatabaseThatDoesNotHoldEveryTextIsRefused(t *testing.T) {
	t.Parallel()
	c := pgcluster.Start(t, pgcluster.Settings{})
	do(t, connect(t, c.DSN("postgres")), "CREATE DATABASE narrow ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
	refuses(t, "a database of another encoding", c.DSN("narrow"), ledger.ErrUnsupported)
}

func TestASearchPathWithOtherFunctionsIsRefused(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	refuses(t, "a schema before the functions of the server", dsn+"&search_path=public,pg_catalog", ledger.ErrUnsupported)
	open(t, dsn+"&search_path=public")
}

// TestEveryCommitIsDurableWhateverTheRoleHasAsADefault looks at what is in force in the transaction of a write.
func TestEveryCommitIsDurableWhateverTheRoleHasAsADefault(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	open(t, dsn)
	conn := connect(t, dsn)
	do(t, conn, "CREATE TABLE public.seen (setting text)",
		"CREATE FUNCTION public.look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "+
			"INSERT INTO public.seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$")
	n := 0
	for standing, want := range map[string]string{"off": "on", "local": "on", "remote_write": "on", "on": "on", "remote_apply": "remote_apply"} {
		s := open(t, dsn+"&synchronous_commit="+standing)
		do(t, conn, "CREATE TRIGGER look AFTER INSERT ON changesetgen.events FOR EACH ROW EXECUTE FUNCTION public.look()")
		old := insert(t, s, n)
		if err := s.Insert(t.Context(), waiting(n+1), previewed, ledger.Cap{Max: 100}); err != nil {
			t.Fatal(err)
		}
		if err := s.SwapInsert(t.Context(), old, claimed, waiting(n+2), previewed); err != nil {
			t.Fatal(err)
		}
		if err := s.Swap(t.Context(), claim(waiting(n+1), "claim", "h"), never, claimed); err != nil {
			t.Fatal(err)
		}
		n += 3
		seen := value[[]string](t, conn, "SELECT array_agg(setting) FROM public.seen")
		if len(seen) != 5 || slices.ContainsFunc(seen, func(s string) bool { return s != want }) {
			t.Errorf("with %s as the default, commits are %q, want %s", standing, seen, want)
		}
		do(t, conn, "DROP TRIGGER look ON changesetgen.events", "TRUNCATE public.seen")
	}
}

// TestAServerThatOnlyReadsIsForWhoLooks has a standby that is behind: what it says of a change is long past.
func TestAServerThatOnlyReadsIsForWhoLooks(t *testing.T) {
	t.Parallel()
	c := pgcluster.Start(t, pgcluster.Settings{})
	primary := c.DSN("postgres")
	r := insert(t, open(t, primary), 1)
	standby, err := c.Standby(t.Context(), "second", pgcluster.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = standby.Stop() })
	behind := standby.DSN("postgres")
	do(t, connect(t, behind), "SELECT pg_wal_replay_pause()")
	for name, dsn := range map[string]string{"a standby": behind, "a role that only reads": primary + "&default_transaction_read_only=on"} {
		if err := refuses(t, name, dsn, ledger.ErrUnavailable); err == nil || !strings.Contains(err.Error(), "takes writes") {
			t.Errorf("%s is refused with %v", name, err)
		}
	}
	s := open(t, several(t, behind, primary))
	if err := s.Swap(t.Context(), claim(r, "claim", "h"), never, claimed); err != nil {
		t.Errorf("the claim, where one of two servers takes writes: %v", err)
	}
	if got := get(t, s, 1).WriteID; got != "claim" {
		t.Errorf("the record was written by %q", got)
	}
	if got := get(t, open(t, behind, postgres.LookOnly()), 1).WriteID; got != "preview" {
		t.Errorf("to who looks the standby says that the record was written by %q", got)
	}
}

// several is the address of a database at either of two servers.
func several(t *testing.T, first, second string) string {
	t.Helper()
	one, err := url.Parse(first)
	if err != nil {
		t.Fatal(err)
	}
	other, err := url.Parse(second)
	if err != nil {
		t.Fatal(err)
	}
	one.Host += "," + other.Host
	return one.String()
}

// TestAStandbyThatNobodyWaitsForIsWarnedOf has one follow the server.
func TestAStandbyThatNobodyWaitsForIsWarnedOf(t *testing.T) {
	t.Parallel()
	c := pgcluster.Start(t, pgcluster.Settings{})
	dsn := c.DSN("postgres")
	if said := warnings(t, dsn); strings.Contains(said, "synchronous_standby_names") {
		t.Errorf("without a standby: %q", said)
	}
	standby, err := c.Standby(t.Context(), "second", pgcluster.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = standby.Stop() })
	conn := connect(t, dsn)
	for value[int](t, conn, "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == 0 {
		continue
	}
	for _, role := range []string{"postgres", grant(t, conn, "server")} {
		if said := warnings(t, as(t, dsn, role)); !strings.Contains(said, "standbys follow the server (1 now)") {
			t.Errorf("with a standby, to %s: %q", role, said)
		}
	}
	do(t, conn, "ALTER SYSTEM SET synchronous_standby_names = 'second'", "SELECT pg_reload_conf()")
	for value[string](t, conn, "SHOW synchronous_standby_names") == "" {
		continue
	}
	if said := warnings(t, dsn); strings.Contains(said, "synchronous_standby_names") {
		t.Errorf("with one that is waited for: %q", said)
	}
	if said := warnings(t, dsn+"&synchronous_commit=local"); !strings.Contains(said, "synchronous_commit") {
		t.Errorf("with a role that does not wait: %q", said)
	}
}

// untilCommitsWait returns once commits wait for a standby that was named. It is the process of the checkpoints that has them
// wait: a connection that is made after another has read the configuration is made after all were told to, and that process has
// read it before it begins a second checkpoint.
func untilCommitsWait(t *testing.T, dsn string, conn *pgx.Conn) {
	t.Helper()
	for value[string](t, conn, "SHOW synchronous_standby_names") == "" {
		continue
	}
	do(t, connect(t, dsn), "CHECKPOINT", "CHECKPOINT")
}

// TestACommitThatNoStandbyConfirmedIsNoSuccess has somebody cancel the wait for a standby that is not there: the server then
// answers as if all were well.
func TestACommitThatNoStandbyConfirmedIsNoSuccess(t *testing.T) {
	t.Parallel()
	c := pgcluster.Start(t, pgcluster.Settings{})
	dsn := c.DSN("postgres")
	s, conn := open(t, dsn), connect(t, dsn)
	quiet := open(t, dsn+"&client_min_messages=error") // such a role is not told of it
	r, paired, other, otherPaired := insert(t, s, 1), insert(t, s, 2), insert(t, s, 3), insert(t, s, 4)
	do(t, conn, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "SELECT pg_reload_conf()", "SET synchronous_commit = local")
	untilCommitsWait(t, dsn, conn)
	for name, write := range map[string]func() error{
		"claim":             func() error { return s.Swap(t.Context(), claim(r, "claim", "h"), never, claimed) },
		"pair":              func() error { return s.SwapInsert(t.Context(), paired, claimed, waiting(5), previewed) },
		"claim of a role":   func() error { return quiet.Swap(t.Context(), claim(other, "claim", "h"), never, claimed) },
		"pair of that role": func() error { return quiet.SwapInsert(t.Context(), otherPaired, claimed, waiting(6), previewed) },
		"hold of that role": func() error { _, err := quiet.Hold(t.Context()); return err },
	} {
		done := make(chan error, 1)
		go func() { done <- write() }()
		for value[int](t, conn, "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND backend_type = 'client backend'") == 0 {
			continue
		}
		leavesOpen(t, name, <-done)
	}
	read := make(chan ledger.Record, 1)
	go func() {
		got, _, err := s.Get(t.Context(), r.ID)
		if err != nil {
			t.Error(err)
		}
		read <- got
	}()
	for value[int](t, conn, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND backend_type = 'client backend'") == 0 {
		continue
	}
	do(t, conn, "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
	if got := <-read; got.WriteID != "claim" {
		t.Errorf("the record was written by %q", got.WriteID)
	}
}

// TestAStoreGoesOnWhenItsServerIsBack kills the server between two writes.
func TestAStoreGoesOnWhenItsServerIsBack(t *testing.T) {
	t.Parallel()
	c := pgcluster.Start(t, pgcluster.Settings{})
	dsn := c.DSN("postgres")
	s := open(t, dsn, postgres.WithBusyTimeout(patience), quick)
	h := hold(t, s)
	r := insert(t, s, 1)
	if err := c.Kill(); err != nil {
		t.Fatal(err)
	}
	back := make(chan error, 1)
	go func() { back <- c.Restart(t.Context()) }()
	for r.WriteID != "claim" {
		err := s.Swap(t.Context(), claim(r, "claim", h.Name()), never, claimed)
		r = get(t, s, 1) // waits for the server; where the claim was withdrawn, it is at another revision
		if err == nil && r.WriteID != "claim" {
			t.Fatal("a claim that was acknowledged is not there")
		}
	}
	if err := <-back; err != nil {
		t.Fatal(err)
	}
	untilRenewed(t, connect(t, dsn), h)
	liveness(t, s, h.Name(), ledger.Alive)
}
