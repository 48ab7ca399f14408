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

// swapHead has the rows locked, in the order of their ids so that no two programs wait for each other, before the clock is
// read: a claim that waited for a lock past its limit comes too late. The row of the holder is locked as one that others refer
// to is: renewals go on, and only who finds the holder to be over waits for the claim, or the claim for them.
var swapHead = `,
asked AS MATERIALIZED (
	SELECT * FROM unnest(` + strings.Join(mapped(askedTypes, func(kind string) string { return "?::" + kind + "[]" }), ", ") + `)
		WITH ORDINALITY AS asked (` + strings.Join(askedColumns, ", ") + `, place)
),
locked AS MATERIALIZED (
	SELECT c.id, c.revision, c.status FROM settings CROSS JOIN changesetgen.changes AS c
	WHERE c.id = ANY (?::text[]) ORDER BY c.id FOR NO KEY UPDATE OF c
),
held AS MATERIALIZED (
	SELECT h.name, h.until, h.over_at FROM settings CROSS JOIN changesetgen.holders AS h
	WHERE h.name = ANY (?::text[]) ORDER BY h.name FOR KEY SHARE OF h
),
`

var swapTail = `,
swapped AS (
	UPDATE changesetgen.changes AS c SET revision = c.revision + 1, updated_at = clock.at, ` +
	strings.Join(mapped(changedColumns, func(name string) string { return name + " = asked." + name }), ", ") + `
	FROM asked JOIN judged USING (place) CROSS JOIN clock
	WHERE c.id = asked.id AND c.revision = asked.revision AND judged.verdict = 0
	RETURNING c.id, c.revision, c.updated_at, asked.place
),
noted AS (
	INSERT INTO changesetgen.events (change, ` + columns.Event + `)
	SELECT swapped.id, swapped.revision, swapped.updated_at, ` +
	strings.Join(mapped(toldColumns, func(name string) string { return "asked." + name }), ", ") + `
	FROM swapped JOIN asked USING (place)
)
SELECT judged.place - 1, judged.verdict, swapped.place IS NOT NULL FROM judged LEFT JOIN swapped USING (place)`

// swapStatement swaps all of the items that have the right revision, are in time, and whose holder is not over. Only a
// single item may have caps.
func (o *options) swapStatement(items []*item, l locks) (query string, args []any, err error) {
	rows := make([][]any, len(items))
	ids, claimants := make([]string, len(items)), []string{}
	for n, i := range items {
		if rows[n], err = askedOf(i); err != nil {
			return "", nil, fmt.Errorf("%s: %w", i.id(), err)
		}
		ids[n] = stored(i.id())
		if name := i.claimant(); name != "" {
			claimants = append(claimants, name)
		}
	}
	var c clause
	o.addSettings(&c)
	c.add(swapHead, append(arrays(askedTypes, rows), ids, claimants)...)
	o.addClock(&c, "locked CROSS JOIN (SELECT count(*) FROM held) AS held")
	if len(items) == 1 {
		addCounts(&c, items[0])
	}
	c.add(fmt.Sprintf(`,
judged AS MATERIALIZED (
	SELECT asked.place, CASE
		WHEN program.oldest > ? THEN %d
		WHEN locked.revision IS DISTINCT FROM asked.revision THEN %d
		WHEN asked.not_after <= clock.at THEN %d
		WHEN asked.claimant <> '' AND locked.status <> asked.status AND
			(held.name IS NULL OR held.over_at IS NOT NULL OR held.until <= clock.present) THEN %d`,
		outdated, conflict, expired, over), o.programSchema())
	if len(items) == 1 {
		l.addVerdicts(&c, o, items[0])
	}
	c.add(`
		ELSE 0 END AS verdict
	FROM asked CROSS JOIN clock CROSS JOIN changesetgen.ledger AS program
		LEFT JOIN locked ON locked.id = asked.id LEFT JOIN held ON held.name = asked.claimant
)`)
	c.add(swapTail)
	query, args = c.statement(o)
	return query, args, nil
}

// askedOf are the values of askedColumns.
func askedOf(i *item) ([]any, error) {
	r, e := i.record, i.event
	claimant := i.claimant()
	fields := slices.Concat([]any{&r.ID, &r.Revision, columns.Time(&i.notAfter), &claimant}, changedOf(&r), columns.EventOf(&e)[2:])
	return bound(fields)
}

func mapped(all []string, as func(string) string) []string {
	out := make([]string, len(all))
	for n, one := range all {
		out[n] = as(one)
	}
	return out
}
