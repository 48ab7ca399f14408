package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
)

// What is asked of a swap, beside its place among the others, in the order of askedOf. The database sets the time.
var (
	changedColumns = slices.DeleteFunc(names(columns.Mutable), func(name string) bool { return name == "updated_at" })
	toldColumns    = mapped(names(columns.Event)[2:], func(name string) string { return "event_" + name })
	askedColumns   = slices.Concat([]string{"id", "revision", "not_after", "claimant"}, changedColumns, toldColumns)
	askedTypes     = mapped(askedColumns, typeOf)
)

// What is asked for, of one swap and of several. Of one it is told value by value: the database then keeps the plan of the
// statement, and would otherwise make one each time.
var (
	askedOne = ",\nasked AS MATERIALIZED (SELECT " + joined(askedColumns, func(name string) string { return "?::" + typeOf(name) + " AS " + name }) +
		", 1::bigint AS place)"
	askedMany = ",\nasked AS MATERIALIZED (SELECT * FROM unnest(" + joined(askedTypes, func(kind string) string { return "?::" + kind + "[]" }) +
		") WITH ORDINALITY AS asked (" + strings.Join(askedColumns, ", ") + ", place))"
)

// lockedSQL has the rows locked, with the settings in force and before the clock is read: a claim that waited for a lock past
// its limit comes too late. Each is looked up by itself, in the order in which they are asked for, whatever the database
// knows of the size of its tables. The row of the holder is locked as one that others refer to is: renewals go on, and only
// who finds the holder to be over waits for the claim, or the claim for them. Its verb is how rows are locked.
const lockedSQL = `,
locked AS MATERIALIZED (
	SELECT asked.place, c.revision, c.status FROM settings CROSS JOIN asked CROSS JOIN LATERAL
		(SELECT revision, status FROM changesetgen.changes WHERE id = asked.id AND settings.durable <> '' FOR NO KEY UPDATE%s) AS c
),
held AS MATERIALIZED (
	SELECT claimed.name, h.until, h.over_at
	FROM settings CROSS JOIN (SELECT DISTINCT claimant AS name FROM asked WHERE claimant <> '') AS claimed CROSS JOIN LATERAL
		(SELECT until, over_at FROM changesetgen.holders WHERE name = claimed.name AND settings.durable <> '' FOR KEY SHARE) AS h
),
`

var swapTail = fmt.Sprintf(`,
swapped AS (
	UPDATE changesetgen.changes AS c SET revision = c.revision + 1, updated_at = clock.at, `+
	joined(changedColumns, func(name string) string { return name + " = asked." + name })+`
	FROM asked JOIN judged USING (place) CROSS JOIN clock
	WHERE c.id = asked.id AND c.revision = asked.revision AND judged.verdict = %d
	RETURNING c.id, c.revision, c.updated_at, asked.place
),
noted AS (
	INSERT INTO changesetgen.events (change, `+columns.Event+`)
	SELECT swapped.id, swapped.revision, swapped.updated_at, `+
	joined(toldColumns, func(name string) string { return "asked." + name })+`
	FROM swapped JOIN asked USING (place)
)
SELECT judged.place - 1, judged.verdict, swapped.place IS NOT NULL FROM judged LEFT JOIN swapped USING (place)`, free)

// swapStatement swaps all of the items that have the right revision, are in time, and whose holder is not over. They are in
// the order of their ids. Only a single item may have caps, or wait for a row.
func (o *options) swapStatement(items []*item, l locks) (query string, args []any, err error) {
	var c clause
	o.addSettings(&c, o.lockWait(items[0]))
	if err := addAsked(&c, items); err != nil {
		return "", nil, err
	}
	how := " SKIP LOCKED"
	if items[0].waits {
		how = ""
	}
	c.add(fmt.Sprintf(lockedSQL, how))
	o.addClock(&c, "locked CROSS JOIN (SELECT count(*) FROM held) AS held")
	o.addJudged(&c, items, l)
	c.add(swapTail)
	query, args = c.statement(o)
	return query, args, nil
}

// addJudged is the clause of the verdict on each item.
func (o *options) addJudged(c *clause, items []*item, l locks) {
	first := items[0]
	if len(items) == 1 {
		addCounts(c, first)
	}
	c.add(fmt.Sprintf(`,
judged AS MATERIALIZED (
	SELECT place, CASE
		WHEN `+isOutdated+` THEN %d
		WHEN locked.revision IS NULL AND NOT ?::boolean THEN %d
		WHEN locked.revision IS DISTINCT FROM asked.revision THEN %d
		WHEN asked.not_after <= clock.at THEN %d
		WHEN asked.claimant <> '' AND locked.status <> asked.status AND
			(held.name IS NULL OR held.over_at IS NOT NULL OR held.until <= clock.present) THEN %d`,
		outdated, locked, conflict, expired, over), o.programSchema(), first.waits)
	if len(items) == 1 {
		l.addVerdicts(c, o, first)
	}
	c.add(fmt.Sprintf(`
		ELSE %d END AS verdict
	FROM asked CROSS JOIN clock LEFT JOIN locked USING (place) LEFT JOIN held ON held.name = asked.claimant
)`, free))
}

// addAsked is the clause of what is asked for.
func addAsked(c *clause, items []*item) error {
	if len(items) == 1 {
		row, err := bound(askedOf(items[0]))
		if err != nil {
			return fmt.Errorf("%s: %w", items[0].id(), err)
		}
		c.add(askedOne, row...)
		return nil
	}
	rows := make([][]any, len(items))
	for n, i := range items {
		rows[n] = askedOf(i)
	}
	columns, err := arrays(askedTypes, rows)
	if err != nil {
		return err // each is tried alone then, which tells whose it is
	}
	c.add(askedMany, columns...)
	return nil
}

// askedOf are the fields of askedColumns.
func askedOf(i *item) []any {
	r, claimant := &i.record, i.claimant()
	return slices.Concat([]any{&r.ID, &r.Revision, columns.Time(&i.notAfter), &claimant}, changedOf(r), columns.EventOf(&i.event)[2:])
}
