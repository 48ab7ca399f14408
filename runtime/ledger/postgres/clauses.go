package postgres

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/selection"
)

// clause is a part of a statement, with ? for its arguments. A statement is numbered when it is whole.
type clause struct {
	text strings.Builder
	args []any
}

func (c *clause) add(text string, args ...any) {
	c.text.WriteString(text)
	c.args = append(c.args, args...)
}

// statement is the whole, for the schema of the ledger.
func (c *clause) statement(o *options) (query string, args []any) {
	return o.in(selection.Numbered(c.text.String())), c.args
}

// present is the clock of the database in Unix milliseconds, at the moment at which it is evaluated.
const present = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

// settings are for the transaction of a write alone, so that they hold through a pooler too, which gives each transaction
// any session: how long it waits for a lock, that it is durable before it is answered, and that the server warns where it was
// not, whatever the role or the database has as a default.
const settings = `settings AS MATERIALIZED (
	SELECT set_config('lock_timeout', ?, true), set_config('client_min_messages', 'warning', true), set_config('synchronous_commit',
		CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true) AS durable
)`

// addSettings is the first of the clauses of a write, which waits that long for a lock.
func (o *options) addSettings(c *clause, wait time.Duration) {
	c.add("WITH "+settings, milliseconds(wait))
}

// togetherPart is the part of the busy timeout for which writes that go to the database together wait for a lock: longer than
// many commits take, and not long for those of them that do not need it.
const togetherPart = 10

// lockWait is how long an item waits for a lock.
func (o *options) lockWait(i *item) time.Duration {
	if i.waits {
		return o.busyTimeout
	}
	return o.busyTimeout / togetherPart
}

// milliseconds is a time as the settings take it, of which 0 would be for ever.
func milliseconds(d time.Duration) string {
	return strconv.FormatInt(min(max(d.Milliseconds(), 1), math.MaxInt32), 10)
}

// addClock is the clause of the time, read once all rows of from are there: at is that of events, present that of leases.
func (o *options) addClock(c *clause, from string) {
	c.add("clock AS MATERIALIZED (SELECT coalesce(?::bigint, "+present+") AS at, "+present+" AS present FROM "+
		"(SELECT count(*) FROM "+from+") AS once)", o.moment())
}

// moment is the time where it is not that of the database; else nil.
func (o *options) moment() any {
	if o.clock == nil {
		return nil
	}
	return columns.ToMillisecond(o.clock()).UnixMilli()
}

// dialect gives PostgreSQL any number of values as an array.
var dialect = selection.Dialect{
	Table:  "changesetgen.changes",
	AnyOf:  "= ANY (?)",
	Values: func(values []string) any { return values },
}

// byClock is the clock of a statement that has the clause of one.
var byClock = selection.Expression("(SELECT at FROM clock)")

// selected is what q asks of a change in a statement that has the clause of the clock.
func selected(q ledger.Query) *selection.Selection { return dialect.Of(q, byClock) }

// storedArgs are arguments of a selection as the columns hold them.
func storedArgs(args []any) []any {
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			args[i] = stored(v)
		case []string:
			all := make([]string, len(v))
			for n, text := range v {
				all[n] = stored(text)
			}
			args[i] = all
		}
	}
	return args
}
