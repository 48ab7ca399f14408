package faults

import (
	"context"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Joiner is a Store over a ledger that others can join.
type Joiner struct {
	*Store
	joined ledger.Joiner
}

var _ ledger.Joiner = (*Joiner)(nil)

// NewJoiner gives a Joiner over a ledger. A nil plan has no faults.
func NewJoiner(below ledger.Joiner, plan Plan) *Joiner { return &Joiner{New(below, plan), below} }

// Join implements ledger.Joiner. It is one call, and a second one, Commit, between the end of the body and the commit.
func (j *Joiner) Join(ctx context.Context, body func(ctx context.Context) (ledger.Record, ledger.Event, error)) error {
	return done(ctx, j.Store, Call{Method: Join}, func(ctx context.Context) error {
		return j.joined.Join(ctx, func(ctx context.Context) (ledger.Record, ledger.Event, error) {
			r, e, err := body(ctx)
			if err != nil {
				return r, e, err
			}
			commit := Call{Method: Commit, Change: r.ID, Record: &r, Event: e}
			return r, e, done(ctx, j.Store, commit, func(context.Context) error { return nil })
		})
	})
}

// JoinLimit implements ledger.Joiner.
func (j *Joiner) JoinLimit() time.Duration { return j.joined.JoinLimit() }
