package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/jackc/pgx/v5/pgconn"
)

// TestWhatTheServerSaysIsGivenItsMeaning goes through what a write may fail with. Only what is sure to have written nothing is
// said to have.
func TestWhatTheServerSaysIsGivenItsMeaning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code, severity string
		wroteNothing   bool
		want           error
	}{
		{"40001", "ERROR", true, ledger.ErrBusy},
		{"40P01", "ERROR", true, ledger.ErrBusy},
		{"55P03", "ERROR", true, ledger.ErrBusy},
		{"57014", "ERROR", true, ledger.ErrBusy},
		{"25P03", "FATAL", false, ledger.ErrBusy},
		{"25P04", "FATAL", false, ledger.ErrBusy},
		{"53300", "FATAL", false, ledger.ErrBusy}, // only ever said to who connects
		{"57P01", "FATAL", false, ledger.ErrUnavailable},
		{"57P02", "FATAL", false, ledger.ErrUnavailable},
		{"57P03", "FATAL", false, ledger.ErrUnavailable},
		{"08006", "FATAL", false, ledger.ErrUnavailable},
		{"08P01", "ERROR", false, ledger.ErrUnavailable}, // a pooler has lost the server
		{"25006", "ERROR", true, ledger.ErrUnavailable},
		{"25P03", "FATAL", false, ledger.ErrBusy}, // only ever said in a transaction, which is rolled back
		{"28P01", "FATAL", false, ledger.ErrUnavailable},
		{"3D000", "FATAL", false, ledger.ErrUnavailable},
		{"42501", "ERROR", true, ledger.ErrUnsupported},
		{"42P01", "ERROR", true, ledger.ErrCorrupt},
		{"53100", "ERROR", true, ledger.ErrUnavailable},
		{"53100", "PANIC", false, ledger.ErrUnavailable},
		{"58030", "ERROR", true, ledger.ErrUnavailable},
		{"XX001", "ERROR", true, ledger.ErrCorrupt},
	} {
		server := fmt.Errorf("a statement: %w", &pgconn.PgError{Code: c.code, Severity: c.severity, SeverityUnlocalized: c.severity, Message: "no"})
		if got := postgres.WroteNothing(server); got != c.wroteNothing {
			t.Errorf("%s %s wrote nothing: %t", c.severity, c.code, got)
		}
		failsWith(t, c.code, postgres.Explain(server), c.want)
	}
	for _, network := range []error{context.DeadlineExceeded, errors.New("connection reset by peer")} {
		if postgres.WroteNothing(network) {
			t.Errorf("%v is said to have written nothing", network)
		}
		err := postgres.Explain(network)
		failsWith(t, network.Error(), err, ledger.ErrUnavailable)
		if slices.ContainsFunc(nothingWritten, func(answer error) bool { return errors.Is(err, answer) }) {
			t.Errorf("%v says that nothing was written", err)
		}
	}
}
