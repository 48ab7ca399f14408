package postgres_test

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/internal/pgcluster"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(t *testing.T) ledgertest.Opener {
		dsn := newDatabase(t)
		return func(clock func() time.Time) ledger.Store { return open(t, dsn, postgres.WithClock(clock)) }
	})
}

// secret is a key of what is sensitive.
var secret = bytes.Repeat([]byte{7}, 32)

// newDatabase is the address of an empty database of its own, for its owner.
func newDatabase(t testing.TB) string {
	t.Helper()
	return pgcluster.Shared(t).NewDatabase(t)
}

// silent is a logger for stores whose warnings a test expects.
var silent = slog.New(slog.DiscardHandler)

// patient keeps a machine that is busy with other things, or stalls, from failing a test.
var patient = []postgres.Option{
	postgres.WithBusyTimeout(time.Minute), postgres.WithLeaseLength(time.Hour), postgres.WithLogger(silent), postgres.WithSensitiveKey(secret),
}

// open opens a ledger and closes it when the test ends.
func open(t testing.TB, dsn string, opts ...postgres.Option) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), dsn, append(patient[:len(patient):len(patient)], opts...)...)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}
