package sqlite

import (
	"context"
	"errors"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Prune implements ledger.Store.
func (s *Store) Prune(context.Context, ledger.Query, int) (int, error) {
	return 0, errors.ErrUnsupported
}

// SensitiveKey implements ledger.Store.
func (s *Store) SensitiveKey(context.Context) ([]byte, error) {
	return nil, errors.ErrUnsupported
}
