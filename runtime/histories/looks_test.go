package histories_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// mostListed is how many changes a person has listed.
const mostListed = 10

// looking is how a person looks at changes.
type looking struct {
	method string // of an operator
	look   func(ctx context.Context, of *runtime.Operator, id string) ([]runtime.View, error)
	// shows tells whether a change can be among what was looked for.
	shows func(s state) bool
}

var lookings = []looking{
	{
		"Get", func(ctx context.Context, of *runtime.Operator, id string) ([]runtime.View, error) {
			v, err := of.Get(ctx, id)
			return []runtime.View{v}, err
		},
		func(state) bool { return true },
	},
	{
		"List", func(ctx context.Context, of *runtime.Operator, _ string) ([]runtime.View, error) {
			return of.List(ctx, ledger.Query{Newest: true, Limit: mostListed})
		},
		func(state) bool { return true },
	},
	{
		"Pending", func(ctx context.Context, of *runtime.Operator, _ string) ([]runtime.View, error) {
			return of.Pending(ctx, runtime.PendingQuery{Server: things.Server})
		},
		func(s state) bool {
			return s.open() || s.status == ledger.Pending && !s.approved || asksForUndo(s) && s.undoVerdict != ledger.Approved
		},
	},
}

// look has a person look at changes, and makes a step of what one of them is shown as.
func (o *operator) look(k *known) {
	l := lookings[o.random.IntN(len(lookings))]
	of, r := o.started(l.method)
	o.tally.called("Operator." + l.method)
	views, err := l.look(context.Background(), of, k.id)
	o.ended(r)
	switch {
	case errors.Is(err, runtime.ErrNoSuchChange):
		x := r.step(seen, k.id)
		x.allows = gone
		o.add(x)
	case err != nil:
		o.passed(r, err)
	case len(views) > 0:
		o.shown(r, &views[o.random.IntN(len(views))], l.shows)
	}
}

func (o *operator) shown(r *request, v *runtime.View, shows func(state) bool) {
	x := r.step(seen, v.ID)
	x.what += fmt.Sprintf(": %s, in doubt: %v", v.Status, v.InDoubt)
	x.allows = func(s state) bool {
		return shows(s) && stands(s, x, answer{Status: v.Status, InDoubt: v.InDoubt})
	}
	if v.Damaged {
		o.fault("%s: %s is shown as damaged: %s", r.what, v.ID, v.Error)
	}
	o.add(x)
}

// rehearse has a person see what a command would do. It does nothing.
func (o *operator) rehearse(k *known) {
	all := []command{approveApply, rejectApply, approveUndo, rejectUndo, requestUndo}
	c := all[o.random.IntN(len(all))]
	of, r := o.started("rehearse " + c.name)
	o.tally.called("Operator.Rehearse")
	err := o.give(c, of.Rehearse(), k.id)
	o.ended(r)
	if passing(err) {
		return
	}
	x := r.step(seen, k.id)
	x.what += fmt.Sprintf(": %v", err)
	x.allows = onTerms(c.moves, x, true)
	if err != nil {
		x.allows = onTerms(c.where(err), x, true)
	}
	o.add(x)
}
