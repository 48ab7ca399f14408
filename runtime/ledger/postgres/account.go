package postgres

import "context"

// account is the one row about the ledger itself.
type account struct {
	schema  int64    // that the ledger has
	oldest  int64    // the oldest schema whose programs may use it
	key     []byte   // fingerprint of its key; nil before there is one
	objects []string // what its schema holds, as who made that found it
}

const accountSQL = "SELECT schema, oldest, key, objects FROM changesetgen.ledger"

// accountOf reads the account of the ledger behind db.
func (o *options) accountOf(ctx context.Context, db querier) (a account, err error) {
	err = db.QueryRow(ctx, o.in(accountSQL)).Scan(&a.schema, &a.oldest, &a.key, &a.objects)
	return a, o.explainRow("read the account", err)
}

func (s *Store) readAccount(ctx context.Context) (a account, err error) {
	err = s.read(ctx, "read the account", func(ctx context.Context, db reader) error {
		a, err = s.accountOf(ctx, db)
		return err
	})
	return a, err
}
