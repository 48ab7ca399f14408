package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/internal/pgcluster"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

// The environment of a server that is one of several hosts.
const (
	hostIn    = "CHANGESET_TEST_HOST"  // the directory of the target
	hostLease = "CHANGESET_TEST_LEASE" // how long its registration lasts without being renewed; without it, longLease
	hostStays = "CHANGESET_TEST_STAYS" // the point of its bodies that they stay at, if any
)

// Where a body stays until it is told to end and then until the test lets it go on, as one does that ignores its context.
const (
	beforeItsWrite = "before the write"
	afterItsWrite  = "after the write"
)

// causeFile is where a body that stays says why its context ended.
const causeFile = "cause"

// hostSet are hosts that share a target, and a ledger in a cluster.
type hostSet struct {
	shared
	cluster *pgcluster.Cluster
}

func newHosts(t *testing.T) *hostSet {
	t.Helper()
	cluster := pgcluster.Shared(t)
	return &hostSet{shared{directory: t.TempDir(), ledger: cluster.NewDatabase(t) + fewConnections}, cluster}
}

// host is a server with an address and a route of its own.
type host struct {
	*process
	route *route
}

// start starts another host.
func (h *hostSet) start(t *testing.T, environment ...string) *host {
	t.Helper()
	route, here := newRoute(t, h.cluster.Address()), h.shared
	here.ledger = through(t, h.ledger, route.address)
	return &host{process: startServer(t, append(here.environment(hostIn), environment...)...), route: route}
}

// through is the address of a database by another way to its server.
func through(t *testing.T, dsn, address string) string {
	t.Helper()
	by, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	by.Host = address
	return by.String()
}

// serveHost is the main of a server on one of several hosts.
func serveHost(ctx context.Context, in shared) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	lease, err := leaseHere()
	if err != nil {
		return err
	}
	store, err := postgres.Open(ctx, in.ledger, postgres.WithBusyTimeout(patience), postgres.WithLeaseLength(lease),
		postgres.WithLogger(log), postgres.DespiteNoSync())
	if err != nil {
		return err
	}
	defer store.Close()
	guard, err := runtime.NewGuard(ctx, runtime.Options{
		Store: store, WriteMode: runtime.Guarded, Timeout: patience, ShutdownGrace: patience, Logger: log,
	})
	if err != nil {
		return err
	}
	files, err := openFiles(ctx, in)
	if err != nil {
		return err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "values", Version: "1"}, nil)
	operation := files.operation()
	operation.DoneWhen = func(c *valueChange) bool { return c.State.Value == c.Payload.Value }
	operation.Apply = files.staying(operation.Apply)
	if err := guard.Register(server, values, operation); err != nil {
		return err
	}
	return errors.Join(server.Run(ctx, runtime.StdioTransport()), closeInTheEnd(ctx, guard), files.close())
}

// leaseHere is what the environment says.
func leaseHere() (time.Duration, error) {
	text := os.Getenv(hostLease)
	if text == "" {
		return longLease, nil
	}
	return time.ParseDuration(text)
}

type valueBody = func(context.Context, *valueChange) (*runtime.None, error)

// staying is apply that stays where the environment says.
func (f *valueFiles) staying(apply valueBody) valueBody {
	at := os.Getenv(hostStays)
	return func(ctx context.Context, c *valueChange) (*runtime.None, error) {
		if at == beforeItsWrite {
			f.stay(ctx)
		}
		_, err := apply(context.WithoutCancel(ctx), c)
		if at == afterItsWrite {
			f.stay(ctx)
		}
		return nil, err
	}
}

// stay says that the body is there, and that it was told to end, and goes on when the test lets it.
func (f *valueFiles) stay(ctx context.Context) {
	reached, goOn := os.NewFile(reachedFile, "reached"), os.NewFile(goOnFile, "go on")
	_, _ = reached.Write([]byte{1})
	<-ctx.Done()
	_ = os.WriteFile(filepath.Join(f.directory, causeFile), fmt.Append(nil, context.Cause(ctx)), 0o600)
	_, _ = reached.Write([]byte{1})
	_, _ = io.Copy(io.Discard, goOn)
}

// queryRow reads one value, and execAll carries statements out, beside everything that the ledger does.
func queryRow(t *testing.T, address, query string, value any) {
	t.Helper()
	conn := connectTo(t, address)
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), query).Scan(value); err != nil {
		t.Fatal(err)
	}
}

func execAll(t *testing.T, address string, statements ...string) {
	t.Helper()
	conn := connectTo(t, address)
	defer conn.Close(context.Background())
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// connectTo connects to the database of a ledger, whose address may say more than that of a connection.
func connectTo(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.ConnectConfig(t.Context(), config.ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}
