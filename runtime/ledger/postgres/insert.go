package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
)

// What is given of a new record and its event, in the order of givenOf. The database sets the time.
var (
	givenColumns = slices.DeleteFunc(names(recordColumns), func(name string) bool { return name == "updated_at" })
	given        = joined(givenColumns, func(name string) string { return "?::" + typeOf(name) })
	told         = joined(toldColumns, func(string) string { return "?::text" })
)

// insertStatement adds a record with its first event where the caps have room. A record that another one is in the way of is
// not added, which is no error: the others of the transaction go on.
func (o *options) insertStatement(i *item, l locks) (query string, args []any, err error) {
	record, event, err := givenOf(i)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", i.id(), err)
	}
	var c clause
	o.addSettings(&c, o.lockWait(i))
	c.add(",\n")
	o.addClock(&c, "settings")
	addCounts(&c, i)
	c.add(fmt.Sprintf(`,
judged AS MATERIALIZED (
	SELECT CASE
		WHEN `+isOutdated+` THEN %d`, outdated), o.programSchema())
	l.addVerdicts(&c, o, i)
	c.add(fmt.Sprintf(`
		ELSE %d END AS verdict
	FROM clock
),
added AS (
	INSERT INTO changesetgen.changes (updated_at, `+strings.Join(givenColumns, ", ")+`)
	SELECT clock.at, `+given+` FROM clock CROSS JOIN judged WHERE judged.verdict = %d
	ON CONFLICT DO NOTHING RETURNING id, revision, updated_at
),
noted AS (
	INSERT INTO changesetgen.events (change, `+columns.Event+`)
	SELECT id, revision, updated_at, `+told+` FROM added
)
SELECT 0::bigint, judged.verdict, EXISTS (SELECT FROM added) FROM judged`, free, free), append(record, event...)...)
	query, args = c.statement(o)
	return query, args, nil
}

func givenOf(i *item) (record, event []any, err error) {
	r, e := i.record, i.event
	r.Revision = 1
	if record, err = bound(slices.Concat(columns.FixedOf(&r), []any{&r.Revision}, changedOf(&r))); err == nil {
		event, err = bound(columns.EventOf(&e)[2:])
	}
	return record, event, err
}

// updatedAt is the place of the column that changedColumns leave out.
var updatedAt = slices.Index(names(columns.Mutable), "updated_at")

// changedOf are the fields of changedColumns.
func changedOf(r *ledger.Record) []any {
	return slices.Delete(columns.MutableOf(r), updatedAt, updatedAt+1)
}
