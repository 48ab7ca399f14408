package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/bench/internal/machine"
	"github.com/changesetgen/changesetgen/internal/pgcluster"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

const (
	// clients is how many use PostgreSQL at once.
	clients = 16
	// many is how many claim at once where most claims have to wait, and are written together.
	many = 64
	// serverPatience is how long a call waits for a connection: nobody gives up, however slow the machine is.
	serverPatience = time.Minute
	// database is the one that a cluster has from the beginning.
	database = "postgres"
)

// What is measured of PostgreSQL is called.
var (
	peer        = fmt.Sprintf("PostgreSQL, pgbench -N -M prepared, clients: %d", clients)
	claims      = fmt.Sprintf("PostgreSQL, claims, callers: %d", clients)
	claimsOfAll = fmt.Sprintf("PostgreSQL, claims, callers: %d", many)
)

// openPostgres starts a cluster of its own, which is as durable as PostgreSQL is by default.
func openPostgres(ctx context.Context, s settings, progress io.Writer) (*opened, error) {
	cluster, err := pgcluster.Run(ctx, "", pgcluster.Settings{Durable: true})
	if errors.Is(err, pgcluster.ErrNotInstalled) && s.only == "" {
		fmt.Fprintf(progress, "PostgreSQL is left out: %v\n", err)
		return &opened{close: func() error { return nil }}, nil
	}
	if err != nil {
		return nil, err
	}
	o := &opened{close: cluster.Stop}
	if err := o.addPostgres(ctx, cluster); err != nil {
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

// addPostgres measures claims beside pgbench on the same server.
func (o *opened) addPostgres(ctx context.Context, cluster *pgcluster.Cluster) error {
	bench := &pgbench{cluster: cluster}
	version, err := bench.initialise(ctx)
	if err != nil {
		return err
	}
	o.version = fmt.Sprintf("%s on %s", version, machine.FileSystem(cluster.SocketDirectory()))
	few, err := o.addQueue(ctx, cluster.DSN(database))
	if err != nil {
		return err
	}
	all, err := o.addQueue(ctx, cluster.DSN(database))
	if err != nil {
		return err
	}
	o.subjects = append(o.subjects, bench.subject(), few.subject(claims, clients), all.subject(claimsOfAll, many))
	return nil
}

// addQueue opens a store on the ledger of a database, which o closes.
func (o *opened) addQueue(ctx context.Context, dsn string) (*queue, error) {
	store, err := postgres.Open(ctx, dsn, postgres.WithLogger(slog.New(slog.DiscardHandler)), postgres.WithBusyTimeout(serverPatience))
	if err != nil {
		return nil, err
	}
	hold, err := store.Hold(ctx)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	before := o.close
	o.close = func() error { return errors.Join(hold.Release(), store.Close(), before()) }
	return &queue{store: store, holder: hold.Name(), rate: expectedRate}, nil
}

// pgbench is the measurement that PostgreSQL comes with. Its -N is a transaction of an UPDATE, a SELECT and an INSERT.
type pgbench struct{ cluster *pgcluster.Cluster }

// scale is how many times 100,000 accounts pgbench has.
const scale = "10"

// initialise makes pgbench's tables, and says which version it is.
func (p *pgbench) initialise(ctx context.Context) (version string, err error) {
	if _, err := p.run(ctx, "-i", "-q", "-s", scale); err != nil {
		return "", err
	}
	output, err := exec.CommandContext(ctx, p.cluster.Program("postgres"), "--version").Output()
	return strings.TrimSpace(string(output)), err
}

func (p *pgbench) run(ctx context.Context, args ...string) (string, error) {
	output, err := exec.CommandContext(ctx, p.cluster.Program("pgbench"), append(args, p.cluster.DSN(database))...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("pgbench: %w\n%s", err, output)
	}
	return string(output), nil
}

func (p *pgbench) subject() subject {
	return subject{names: []string{peer}, measure: func(ctx context.Context, length time.Duration) ([]figures, error) {
		rate, err := p.rate(ctx, length)
		return []figures{{commitRate: rate}}, err
	}}
}

// noTransaction is what pgbench says where its time was over before it had made one, as its connections are part of that time.
const noTransaction = "number of transactions actually processed: 0\n"

// rate is how many transactions there are in a second: of a time, or of one for each client where there are none in that.
func (p *pgbench) rate(ctx context.Context, length time.Duration) (float64, error) {
	seconds := fmt.Sprint(max(1, int(length.Round(time.Second).Seconds()))) // it takes no parts of one
	output, err := p.transact(ctx, "-T", seconds)
	if err == nil && strings.Contains(output, noTransaction) {
		output, err = p.transact(ctx, "-t", "1")
	}
	if err != nil {
		return 0, err
	}
	return transactionRate(output)
}

func (p *pgbench) transact(ctx context.Context, until ...string) (string, error) {
	return p.run(ctx, append([]string{"-N", "-n", "-M", "prepared", "-c", fmt.Sprint(clients), "-j", "2"}, until...)...)
}

// transactionRate reads the line of pgbench that tells how many transactions there were in a second.
func transactionRate(output string) (rate float64, err error) {
	for line := range strings.Lines(output) {
		if n, _ := fmt.Sscanf(line, "tps = %g (without initial connection time)", &rate); n == 1 {
			return rate, nil
		}
	}
	return 0, fmt.Errorf("pgbench did not say how many transactions there were:\n%s", output)
}
