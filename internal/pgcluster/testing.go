package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// startTime is how long a cluster may take to start on a machine that does much else.
const startTime = 2 * time.Minute

// Start runs a cluster for one test, and stops it when the test ends. Without binaries the test is skipped; a cluster that
// does not start fails it.
func Start(t testing.TB, settings Settings) *Cluster {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	c, err := Run(ctx, "", settings)
	stopOrSkip(t, err)
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// stopOrSkip ends a test that has no cluster.
func stopOrSkip(t testing.TB, err error) {
	t.Helper()
	switch {
	case errors.Is(err, ErrNotInstalled):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
}

// Shared is one cluster, not a durable one, for all tests of this process, started by the first that asks. It is never stopped: it ends
// with the process. A test must not kill it, or change what is not in its own database.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	c, err := shared()
	stopOrSkip(t, err)
	return c
}

var shared = sync.OnceValues(func() (*Cluster, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	return Run(ctx, "", Settings{})
})

// databases numbers the databases of this process.
var databases atomic.Int64

// NewDatabase makes an empty database for one test, and returns its address for the superuser of the cluster. It is dropped
// when the test ends, with the connections that it still has, if the server runs.
func (c *Cluster) NewDatabase(t testing.TB) (dsn string) {
	t.Helper()
	name := fmt.Sprintf("test_%d", databases.Add(1))
	if err := c.doOnceFree(t.Context(), "create database "+name); err != nil {
		t.Fatalf("make a database for a test: %v", err)
	}
	t.Cleanup(func() {
		if c.server.hasEnded() {
			return
		}
		if err := c.doOnceFree(context.Background(), "drop database "+name+" with (force)"); err != nil {
			t.Errorf("drop the database of a test: %v", err)
		}
	})
	return c.DSN(name)
}

// doOnceFree does something to a database, again and again while others use it: the server ends their connections, and waits for
// that no longer than some seconds.
func (c *Cluster) doOnceFree(ctx context.Context, statement string) error {
	const inUse = "55006"
	for until := time.Now().Add(startTime); ; {
		err := c.do(ctx, "postgres", statement)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != inUse || time.Now().After(until) {
			return err
		}
	}
}
