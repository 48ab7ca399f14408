package postgres

import (
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// answerPatience is how long after the busy timeout a write that was sent is waited for: a standby may have to confirm it.
// Then the connection is given up, and nobody knows whether it was recorded.
const answerPatience = 30 * time.Second

// patience is how long what was sent is waited for. A busy timeout may be as long as a time can say.
func (o *options) patience() time.Duration {
	return min(o.busyTimeout, math.MaxInt64-o.answers) + o.answers
}

// exec has one statement carried out that is a transaction by itself, and tells how many rows it wrote. Its text goes on
// after the clause of the settings. Where it met with others it is tried again. It is given up after the limit, with the wait for
// a connection.
func (o *options) exec(ctx context.Context, pool *pgxpool.Pool, limit time.Duration, doing, text string, args ...any) (rows int64, err error) {
	var c clause
	o.addSettings(&c, o.busyTimeout)
	c.add(text, args...)
	query, args := c.statement(o)
	began := time.Now()
	for until := began.Add(o.busyTimeout); ; {
		rows, err = o.execOnce(ctx, pool, began.Add(limit), doing, query, args)
		switch {
		case err == nil, isAnswer(err):
			return rows, err
		case comesAgain(err) && time.Now().Before(until) && pause(ctx) == nil:
		case wroteNothing(err):
			return 0, o.explain(doing, err)
		default:
			return 0, o.undecided(doing, err, doAgain)
		}
	}
}

func (o *options) execOnce(ctx context.Context, pool *pgxpool.Pool, over time.Time, doing, query string, args []any) (int64, error) {
	conn, err := o.acquire(ctx, pool, doing)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), over)
	defer cancel()
	tag, err := conn.Exec(ctx, query, args...)
	return tag.RowsAffected(), confirmed(conn.Conn().PgConn(), err)
}
