package postgres

import "context"

// isOutdated tells whether the schema of its argument is one that programs must not be made for any more. A ledger that has
// lost its row is for nobody.
const isOutdated = "coalesce((SELECT oldest FROM changesetgen.ledger) > ?, true)"

// verifyOldest fails when a newer program has made something of the ledger that this one must not use.
func (o *options) verifyOldest(oldest int64) error {
	if oldest > o.programSchema() {
		return o.newer()
	}
	return nil
}

// whyOutdated says why isOutdated held.
func (o *options) whyOutdated(ctx context.Context, db querier) error {
	if _, err := o.accountOf(ctx, db); err != nil {
		return err
	}
	return o.newer()
}

func (o *options) newer() error {
	return o.unsupported("a newer version of this program has changed its schema, and programs that were made for schema %d, as this one, "+
		"must not use it any more; nothing is lost: update this program and start it again", o.programSchema())
}
