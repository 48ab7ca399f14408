package ledgertest_test

import (
	"context"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// losses are mutants that lose a part of what they are to write, or of what they are asked.
var losses = map[string]mutant{
	"loses the reason of an insert":          {"InsertStoresEveryField", losing(lossy{inserted: loseReason})},
	"loses the reason of a swap":             {"SwapWritesEveryMutableField", losing(lossy{swapped: loseReason})},
	"loses the name of a joined write":       {"JoinWritesEveryMutableField", losing(lossy{joined: loseWriteID})},
	"loses the undo token of a join":         {"JoinWritesEveryMutableField", losing(lossy{joined: func(r *ledger.Record, _ *ledger.Event) { r.UndoToken = nil }})},
	"loses the result of a join":             {"JoinWritesEveryMutableField", losing(lossy{joined: func(r *ledger.Record, _ *ledger.Event) { r.Result = nil }})},
	"loses the failure of a join":            {"JoinWritesEveryMutableField", losing(lossy{joined: loseFailure})},
	"loses the code of a join":               {"JoinWritesEveryMutableField", losing(lossy{joined: loseCode})},
	"loses the reason of a join":             {"JoinWritesEveryMutableField", losing(lossy{joined: loseReason})},
	"loses the name of the write of a pair":  {"SwapInsertWritesBoth", losing(lossy{old: loseWriteID})},
	"loses the failure of the old of a pair": {"SwapInsertWritesBoth", losing(lossy{old: loseFailure})},
	"loses the decision on a retry":          {"SwapInsertWritesBoth", losing(lossy{fresh: func(r *ledger.Record, _ *ledger.Event) { r.Decision = ledger.Decision{} }})},
	"loses the code of the old of a pair":    {"SwapInsertWritesBoth", losing(lossy{old: loseCode})},
	"loses the reason of the old of a pair":  {"SwapInsertWritesBoth", losing(lossy{old: loseReason})},
	"loses the code of a retry":              {"SwapInsertWritesBoth", losing(lossy{fresh: loseCode})},
	"loses the reason of a retry":            {"SwapInsertWritesBoth", losing(lossy{fresh: loseReason})},
	"prunes every operation":                 {"PruneSelectsByEveryField", losing(lossy{pruned: func(q *ledger.Query) { q.Operations = nil }})},
	"prunes what is of anybody":              {"PruneSelectsByEveryField", losing(lossy{pruned: func(q *ledger.Query) { q.By = nil }})},
	"prunes what moved long ago":             {"PruneSelectsByEveryField", losing(lossy{pruned: func(q *ledger.Query) { q.UpdatedWithin = 0 }})},
	"prunes what was claimed long ago":       {"PruneSelectsByEveryField", losing(lossy{pruned: func(q *ledger.Query) { q.ClaimedWithin = 0 }})},
	"lists what is of anybody":               {"QueriesSelectByEveryField", losing(lossy{listed: func(q *ledger.Query) { q.By = nil }})},
	"counts what is of anybody":              {"QueriesSelectByEveryField", losing(lossy{counted: func(q *ledger.Query) { q.By = nil }})},
	"has a cap count every request":          {"CapsCountByEveryField", losing(lossy{capped: func(q *ledger.Query) { q.RequestID = "" }})},
}

func loseWriteID(r *ledger.Record, _ *ledger.Event) { r.WriteID = "" }
func loseCode(_ *ledger.Record, e *ledger.Event)    { e.Code = "" }
func loseReason(_ *ledger.Record, e *ledger.Event)  { e.Reason = "" }
func loseFailure(r *ledger.Record, _ *ledger.Event) { r.Message, r.Error, r.Outcome = "", "", "" }

// lossy loses something of what it is given before it does what it is asked. Each of its fields may be nil.
type lossy struct {
	ledger.Joiner
	inserted, swapped, joined, old, fresh change
	listed, counted, pruned, capped       func(q *ledger.Query)
}

// change is what becomes of a record and its event.
type change = func(r *ledger.Record, e *ledger.Event)

// losing makes such a store of another one.
func losing(l lossy) func(ledger.Store) ledger.Store {
	return func(s ledger.Store) ledger.Store {
		of := l
		of.Joiner = s.(ledger.Joiner)
		return of
	}
}

// lose gives a record and its event without what is lost.
func lose(what change, r ledger.Record, e ledger.Event) (ledger.Record, ledger.Event) {
	if what != nil {
		what(&r, &e)
	}
	return r, e
}

// ignore gives a query without what is ignored.
func ignore(what func(*ledger.Query), q ledger.Query) ledger.Query {
	if what != nil {
		what(&q)
	}
	return q
}

func (l lossy) Insert(ctx context.Context, r ledger.Record, e ledger.Event, caps ...ledger.Cap) error {
	r, e = lose(l.inserted, r, e)
	var of []ledger.Cap
	for _, c := range caps {
		of = append(of, ledger.Cap{Of: ignore(l.capped, c.Of), Max: c.Max})
	}
	return l.Joiner.Insert(ctx, r, e, of...)
}

func (l lossy) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	r, e = lose(l.swapped, r, e)
	return l.Joiner.Swap(ctx, r, notAfter, e, caps...)
}

func (l lossy) SwapInsert(ctx context.Context, old ledger.Record, e ledger.Event, fresh ledger.Record, first ledger.Event, caps ...ledger.Cap) error {
	old, e = lose(l.old, old, e)
	fresh, first = lose(l.fresh, fresh, first)
	return l.Joiner.SwapInsert(ctx, old, e, fresh, first, caps...)
}

func (l lossy) Join(ctx context.Context, body func(context.Context) (ledger.Record, ledger.Event, error)) error {
	return l.Joiner.Join(ctx, func(ctx context.Context) (ledger.Record, ledger.Event, error) {
		r, e, err := body(ctx)
		r, e = lose(l.joined, r, e)
		return r, e, err
	})
}

func (l lossy) List(ctx context.Context, q ledger.Query) ([]ledger.Record, error) {
	return l.Joiner.List(ctx, ignore(l.listed, q))
}

func (l lossy) Count(ctx context.Context, q ledger.Query) (int, error) {
	return l.Joiner.Count(ctx, ignore(l.counted, q))
}

func (l lossy) Prune(ctx context.Context, q ledger.Query, limit int) (int, error) {
	return l.Joiner.Prune(ctx, ignore(l.pruned, q), limit)
}
