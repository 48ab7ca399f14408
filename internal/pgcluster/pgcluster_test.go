//go:build unix

package pgcluster_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/changesetgen/changesetgen/internal/pgcluster"
)

// childVariable makes this test binary a process that runs a cluster, says where, and waits to be killed.
const childVariable = "PGCLUSTER_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	c, err := pgcluster.Run(context.Background(), "", pgcluster.Settings{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(c.SocketDirectory(), c.Address())
	select {}
}

func TestDatabasesOfOneClusterAreApart(t *testing.T) {
	t.Parallel()
	shared := pgcluster.Shared(t)
	if again := pgcluster.Shared(t); again != shared {
		t.Error("there are two shared clusters")
	}
	one, two := shared.NewDatabase(t), shared.NewDatabase(t)
	run(t, one, "create table kept (n int)")
	if got := ask(t, two, "select count(*)::text from pg_tables where tablename = 'kept'"); got != "0" {
		t.Errorf("the table of one database is in the other: %s", got)
	}
	if got := ask(t, one, "select pg_encoding_to_char(encoding) || datcollate from pg_database where datname = current_database()"); got != "UTF8C" {
		t.Errorf("encoding and collation are %s, not UTF8 and C", got)
	}
}

func TestClusterIsCarefulAndHeedsItsSettings(t *testing.T) {
	t.Parallel()
	for _, durable := range []bool{true, false} {
		c := pgcluster.Start(t, pgcluster.Settings{Durable: durable, Conf: []string{"max_connections = 17"}})
		const inMemory = "/dev/shm"
		if durable && strings.HasPrefix(c.SocketDirectory(), inMemory) && !strings.HasPrefix(os.TempDir(), inMemory) {
			t.Errorf("a durable cluster lives in memory, in %s", c.SocketDirectory())
		}
		for setting, want := range map[string]string{"fsync": "on", "synchronous_commit": "on", "max_connections": "17"} {
			if got := ask(t, c.DSN("postgres"), "show "+setting); got != want {
				t.Errorf("durable %v: %s is %s, not %s", durable, setting, got, want)
			}
		}
	}
}

func TestKilledClusterKeepsWhatWasCommitted(t *testing.T) {
	t.Parallel()
	c := pgcluster.Start(t, pgcluster.Settings{})
	dsn := c.NewDatabase(t)
	run(t, dsn, "create table kept (n int); insert into kept values (1)")
	waiting := connect(t, dsn)
	if err := c.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := waiting.Exec(t.Context(), "select 1"); err == nil {
		t.Error("a killed server answered")
	}
	for range 2 { // of a server that was killed, and of one that runs
		if err := c.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := ask(t, dsn, "select count(*)::text from kept"); got != "1" {
			t.Errorf("after the restart there are %s rows, not 1", got)
		}
	}
}

func TestStandbyTakesOver(t *testing.T) {
	t.Parallel()
	first := pgcluster.Start(t, pgcluster.Settings{})
	second, err := first.Standby(t.Context(), "second", pgcluster.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := second.Stop(); err != nil {
			t.Error(err)
		}
	})
	dsn := first.DSN("postgres")
	run(t, dsn, "alter system set synchronous_standby_names = 'second'")
	run(t, dsn, "select pg_reload_conf()")
	for ask(t, dsn, "show synchronous_standby_names") == "" {
		continue
	}
	// The process of the checkpoints has commits wait: it has read the configuration before it begins a second one.
	run(t, dsn, "checkpoint")
	run(t, dsn, "checkpoint")
	run(t, dsn, "create table kept (n int)")
	if got := ask(t, second.DSN("postgres"), "select pg_is_in_recovery()::text"); got != "true" {
		t.Errorf("a standby is in recovery: %s", got)
	}
	if err := errors.Join(first.Kill(), second.Promote(t.Context())); err != nil {
		t.Fatal(err)
	}
	run(t, second.DSN("postgres"), "insert into kept values (1)")
}

// A test that is killed, as by the time limit of CI, must not leave a server behind, nor its files in memory.
func TestNothingOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	pgcluster.Shared(t) // skips where there is no PostgreSQL
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"=1")
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var dir, address string
	if _, err := fmt.Fscanln(output, &dir, &address); err != nil {
		t.Fatalf("the child does not say where its cluster is: %v", err)
	}
	if listens(address) != nil {
		t.Fatalf("nobody listens at %s", address)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // says that it was killed
	await(t, "the end of the server", func() bool { return listens(address) != nil })
	await(t, "the removal of "+dir, func() bool {
		_, err := os.Stat(dir)
		return errors.Is(err, os.ErrNotExist)
	})
}

func TestBinariesThatAreNamedMustBeThere(t *testing.T) {
	t.Setenv(pgcluster.Variable, t.TempDir())
	_, err := pgcluster.Run(t.Context(), "", pgcluster.Settings{})
	if err == nil || errors.Is(err, pgcluster.ErrNotInstalled) || !strings.Contains(err.Error(), pgcluster.Variable) {
		t.Errorf("a directory without binaries: %v", err)
	}
}

// listens is an error if nobody listens at an address.
func listens(address string) error {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	return connection.Close()
}

// await waits for what other processes do.
func await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	const patience = 2 * time.Minute // no expectation: a busy machine may stall for long
	tooLong, tick := time.After(patience), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for !happened() {
		select {
		case <-tick.C:
		case <-tooLong:
			t.Fatalf("no end of waiting for %s", what)
		}
	}
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close(context.Background()) }) // its server may be gone
	return connection
}

func run(t *testing.T, dsn, statements string) {
	t.Helper()
	if _, err := connect(t, dsn).Exec(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}

func ask(t *testing.T, dsn, query string) (answer string) {
	t.Helper()
	if err := connect(t, dsn).QueryRow(t.Context(), query).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}
