package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

// TestAFailureToConnectIsToldOnceAndInOneLine has addresses leave open whether there is TLS: each host is tried with it and
// without.
func TestAFailureToConnectIsToldOnceAndInOneLine(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	stranger := strings.Replace(as(t, dsn, "nobody_knows"), "sslmode=disable", "sslmode=prefer", 1)
	for name, c := range map[string]struct{ dsn, want, never string }{
		"a role that is not there": {stranger, `role "nobody_knows" does not exist`, "TLS"},
		"TLS that is not there":    {strings.Replace(dsn, "sslmode=disable", "sslmode=require", 1), "refused TLS", "; 127."},
		"what to do about that":    {strings.Replace(dsn, "sslmode=disable", "sslmode=require", 1), "set ssl to on", "see that the server runs"},
		"another kind of server":   {dsn + "&target_session_attrs=standby", "target_session_attrs asks for", "see that the server runs"},
		"one that takes writes":    {dsn + "&target_session_attrs=read-only", "target_session_attrs asks for", "see that the server runs"},
		"a host without a server":  {"postgres://127.0.0.1:1/none?sslmode=prefer", "refused", "; 127."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := postgres.Open(t.Context(), c.dsn, postgres.MustExist())
			if errors.Is(err, context.DeadlineExceeded) { // a busy machine has not found out in that time
				_, err = postgres.Open(t.Context(), c.dsn, postgres.MustExist(), postgres.WithBusyTimeout(patience))
			}
			failsWith(t, "open", err, ledger.ErrUnavailable)
			text := err.Error()
			if !strings.Contains(text, c.want) || strings.Contains(text, c.never) || strings.Contains(text, "\n") {
				t.Errorf("it fails with %q", text)
			}
		})
	}
}
