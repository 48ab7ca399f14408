package postgres_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

func TestAddressThatCannotBeReadIsNotRepeated(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"postgres://ana:hush/hush@127.0.0.1:1/ledger", "postgres://ana:hush%zzhush@127.0.0.1/ledger", "postgres://ana:hush hush@127.0.0.1/ledger",
		"host=127.0.0.1 password='hush hush", "host=127.0.0.1 password=hush sslmode=none", "postgres://ana:hush@127.0.0.1/ledger?sslmode=none",
		"password=hush hush", "password=`: hush' sslmode=none host=127.0.0.1",
		"host=127.0.0.1 password=hush pool_max_conns='`: hush (hush'",
	} {
		_, err := postgres.Open(t.Context(), address)
		if !errors.Is(err, ledger.ErrUnsupported) || strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), "postgres://USER@HOST") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestAnAddressWithAWordThatCannotBeReadIsToldWhich has the value be no number and no time, which may be a part of a password.
func TestAnAddressWithAWordThatCannotBeReadIsToldWhich(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"pool_max_conns", "pool_min_conns", "pool_max_conn_lifetime", "statement_cache_capacity", "default_query_exec_mode"} {
		_, err := postgres.Open(t.Context(), "postgres://ana:hush@127.0.0.1:1/ledger?"+word+"=hush")
		if failsWith(t, word, err, ledger.ErrUnsupported); !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", word, err)
		}
	}
}
