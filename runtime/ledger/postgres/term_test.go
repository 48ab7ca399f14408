package postgres_test

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

// TestWhoAsksForAHoldIsToldByTheClocks has no timer run: a process that was stopped goes on before they do, and a machine that
// slept may not have counted the time.
func TestWhoAsksForAHoldIsToldByTheClocks(t *testing.T) {
	t.Parallel()
	const length = time.Hour
	now := time.Now()
	host := now.Round(0) // without the clock of the process
	for name, c := range map[string]struct {
		began  time.Time
		isLost bool
	}{
		"renewed now":                         {now, false},
		"long ago by the clock of both":       {now.Add(-length), true},
		"long ago by the clock of the host":   {host.Add(-length), true},
		"by a clock of the host that is slow": {host.Add(length), false},
	} {
		if got := postgres.LateTerm(length, c.began); got != c.isLost {
			t.Errorf("%s: lost: %t", name, got)
		}
	}
}
