package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// The statuses of a connection in a transaction, and in one of which a statement failed.
const (
	inTransaction     = 'T'
	failedTransaction = 'E'
)

const (
	// beginJoin begins the transaction of a join, and marks it with a setting that ends with it. Neither looks at anything, and nor
	// may what comes with it: a body may lock tables before its first look.
	beginJoin = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ WRITE; SET LOCAL changesetgen.joined = 'on'"
	// joinSQL also takes back a body's choice of an encoding, in which the record would be read otherwise than it was written.
	// What comes now is the ledger's own, so that the server need not wait for a host that has gone silent.
	joinSQL = "SELECT coalesce(current_setting('changesetgen.joined', true), '') = 'on', " +
		"CASE WHEN current_setting('idle_in_transaction_session_timeout', true) IS NOT NULL " +
		"THEN set_config('idle_in_transaction_session_timeout', $1, true) END " +
		"FROM set_config('client_encoding', '" + encodingOfTexts + "', true)"
)

// errElsewhere is a transaction that ended within a body.
var errElsewhere = errors.New("the transaction ended before the joined body had returned, and what it wrote may be committed")

// endedWithin tells whether a transaction that was lent is over, though no statement is sent for a body that could end it. What
// it wrote may be committed then. One that failed is not, nor is one whose connection is gone: nothing has asked for that.
func (s *Store) endedWithin(ctx context.Context, tx pgx.Tx) bool {
	ended := false
	switch tx.Conn().PgConn().TxStatus() {
	case idle:
		ended = true
	case inTransaction:
		var isOurs bool
		err := tx.QueryRow(ctx, joinSQL, milliseconds(s.patience())).Scan(&isOurs, nil)
		ended = err == nil && !isOurs
	}
	if ended {
		s.logger.Error("a joined body has ended its transaction: look at its tables, what it wrote may be committed", "ledger", s.String())
		_ = tx.Conn().Close(ctx) // whatever it is in now is not committed
	}
	return ended
}
