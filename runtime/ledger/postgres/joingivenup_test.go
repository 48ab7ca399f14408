package postgres_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/jackc/pgx/v5"
)

// teller does something when a warning is logged.
type teller struct {
	slog.Handler
	do func()
}

func (l teller) Enabled(context.Context, slog.Level) bool { return true }

func (l teller) Handle(_ context.Context, r slog.Record) error {
	if r.Level == slog.LevelWarn {
		l.do()
	}
	return nil
}

// TestATransactionThatIsGivenUpIsUsedNoMore has what a body has left go on with the transaction at the very moment at which that is
// told of.
func TestATransactionThatIsGivenUpIsUsedNoMore(t *testing.T) {
	t.Parallel()
	for name, call := range callers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJoining(t)
			waits, goOn, over := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			isWaiting := sync.OnceFunc(func() { close(waits) })
			var used error
			j.Store = open(t, j.dsn, postgres.WithLogger(slog.New(teller{slog.DiscardHandler, sync.OnceFunc(func() {
				close(goOn)
				used = <-over
			})})))
			err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
				go func() {
					_ = call(ctx, tx, func() error {
						isWaiting()
						<-goOn
						return nil
					})
					_, err := tx.Exec(context.Background(), "SELECT 1")
					over <- err
				}()
				<-waits
				j.SetBusyTimeout(shortest)
				return nil
			})
			failsWith(t, "join", err, ledger.ErrRolledBack)
			failsWith(t, "another use of its transaction", used, pgx.ErrTxClosed)
		})
	}
}

// entering is a context that tells when it is looked at for its end.
type entering struct {
	context.Context
	tell func()
}

func (e entering) Done() <-chan struct{} {
	e.tell()
	return e.Context.Done()
}

// TestAUseThatBeginsAsItsTransactionIsGivenUpFails has a query stay between being let in and being sent until the connection is
// gone.
func TestAUseThatBeginsAsItsTransactionIsGivenUpFails(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	begins, goOn, over := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	hasBegun := sync.OnceFunc(func() { close(begins) })
	err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		go func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("it panicked: %v", p)
					close(over)
				}
			}()
			_, err := tx.Query(entering{ctx, func() {
				hasBegun()
				<-goOn
			}}, "SELECT 1")
			over <- err
		}()
		<-begins
		j.SetBusyTimeout(shortest)
		return nil
	})
	failsWith(t, "join", err, ledger.ErrRolledBack)
	close(goOn)
	if <-over == nil {
		t.Error("it was sent")
	}
	j.SetBusyTimeout(time.Minute)
	j.expect(t, ledger.Applying)
}
