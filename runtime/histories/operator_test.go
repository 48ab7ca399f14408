package histories_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// operator is a person at the command line, where every command is a process of its own.
type operator struct {
	name   string
	ledger book
	random *rand.Rand
	*history
}

// act gives one command, to a change that agents know.
func (o *operator) act() {
	if !o.knows() {
		return
	}
	switch chance := o.random.IntN(100); {
	case chance < 30:
		o.order(o.pick(o.random, (*known).needsWord), approveApply)
	case chance < 38:
		o.reject(o.pick(o.random, (*known).isOneOfTwins))
	case chance < 46:
		o.order(o.pick(o.random, (*known).asksForUndo), approveUndo)
	case chance < 51:
		o.order(o.pick(o.random, (*known).asksForUndo), rejectUndo)
	case chance < 63:
		o.request(o.pick(o.random, (*known).stands))
	case chance < 79:
		o.settle()
	case chance < 84:
		o.rehearse(o.pick(o.random, anything))
	case chance < 91:
		o.look(o.pick(o.random, anything))
	case chance < 98:
		o.tidy("Expire", func(ctx context.Context, of *runtime.Operator) error { return lastOf(of.Expire(ctx)) })
	default:
		o.clear()
	}
}

// clear clears away what is over and old, after a look at what that would be.
func (o *operator) clear() {
	keep := runtime.PruneOptions{Keep: keptChanges, LimitMemory: limitPer}
	o.prunes("Rehearse", keep, (*runtime.Operator).Rehearse, state.over)
	o.pruning()
	o.prunes("Prune", keep, func(of *runtime.Operator) *runtime.Operator { return of }, gone)
}

// prunes has an operator, or one made of them, clear away, and makes steps of what some of it is then.
func (o *operator) prunes(method string, keep runtime.PruneOptions, made func(*runtime.Operator) *runtime.Operator, is func(state) bool) {
	of, r := o.started(method)
	o.tally.called("Operator." + method)
	p, err := made(of).Prune(context.Background(), keep)
	o.ended(r)
	if err != nil {
		o.passed(r, err)
		return
	}
	for _, id := range p.First {
		x := r.step(seen, id)
		x.allows = is
		o.add(x)
	}
}

func lastOf[T any](_ T, err error) error { return err }

// started is a command in a process of its own, which may die.
func (o *operator) started(what string) (*runtime.Operator, *request) {
	call := o.call()
	m := newMortal(fmt.Sprint("command ", call), o.random.Uint64(), o.troubles)
	of, err := runtime.NewOperator(newStore(o.ledger, m, o.tally), runtime.Decider{Name: o.name, Channel: "changesetctl"})
	if err != nil {
		o.fault("new operator: %v", err)
	}
	of = of.WithSink(o).WithMaxClockSkew(skews[o.random.IntN(len(skews))])
	o.tally.called("Operator.WithSink")
	o.tally.called("Operator.WithMaxClockSkew")
	r := &request{process: &process{mortal: m}, call: call, called: o.now()}
	r.what = fmt.Sprintf("%d %s %s", call, o.name, what)
	return of, r
}

// skews are how far behind operators let the clock be.
var skews = []time.Duration{runtime.DefaultMaxClockSkew, time.Second}

// Record implements runtime.Sink. What an operator moves is told as their own.
func (o *operator) Record(_ context.Context, e runtime.Event) {
	o.tally.called("Sink.Record")
	if e.Actor == "operator" && e.By != o.name {
		o.fault("%s is told of a move of %s as of %q", o.name, e.ChangeID, e.By)
	}
}

// tidy is a command that is about no one change.
func (o *operator) tidy(method string, do func(context.Context, *runtime.Operator) error) {
	of, r := o.started(method)
	o.tally.called("Operator." + method)
	err := do(context.Background(), of)
	o.ended(r)
	o.passed(r, err)
}

// passed makes a fault of an error that the faults of the ledger are not the reason of.
func (o *operator) passed(r *request, err error) {
	if err != nil && !passing(err) {
		o.fault("%s: %v", r.what, err)
	}
}

// ended counts a command that died.
func (o *operator) ended(r *request) {
	if r.process.dead() {
		o.died()
	}
}

// order gives a command, now and then together with a colleague who gives the same: an answer that is lost then leaves
// open whose word it was that the ledger has.
func (o *operator) order(k *known, c command) {
	var both sync.WaitGroup
	if o.random.IntN(colleagueTurn) == 0 {
		other := &operator{
			name: o.name + "'s colleague", ledger: o.ledger, random: rand.New(rand.NewPCG(o.random.Uint64(), 0)), history: o.history,
		}
		both.Go(func() { other.move(k, c) })
	}
	o.move(k, c)
	both.Wait()
}

// move gives a command, and makes a step of what came of it.
func (o *operator) move(k *known, c command) *step {
	of, r := o.started(c.name)
	err := o.give(c, of, k.id)
	o.ended(r)
	x := r.step(decided, k.id)
	x.what += fmt.Sprintf(": %v", err)
	x.allows, x.becomes = onTerms(c.moves, x, true), c.becomes
	switch {
	case err == nil:
	case errors.Is(err, ledger.ErrBusy) && !errors.Is(err, errLost) && !errors.Is(err, errDead):
		x.maybe = true
		return x // nothing was written
	case passing(err):
		x.maybe = true
	default:
		x.kind, x.becomes = seen, nil
		x.allows = onTerms(c.where(err), x, true)
	}
	o.add(x)
	return x
}

// give gives a command for a change as it is shown before.
func (o *operator) give(c command, of *runtime.Operator, id string) error {
	ctx := context.Background()
	o.tally.called("Operator.Get")
	v, err := of.Get(ctx, id)
	if err != nil {
		return err
	}
	if c.subject != runtime.SubjectNone {
		v.Seen.Subject = c.subject
	}
	o.tally.called("Operator." + c.method)
	return c.do(ctx, of, v.Seen)
}

// passing tells the faults of the ledger from what is declined.
func passing(err error) bool {
	return errors.Is(err, errDead) || errors.Is(err, errLost) || errors.Is(err, ledger.ErrBusy)
}

// reject notes, before it says no, that the same change may be refused for that from now on.
func (o *operator) reject(k *known) {
	begun := &step{called: o.now()}
	o.rejecting(k, begun)
	if k.twin != "" {
		o.learn(known{id: k.twin, barred: true})
	}
	*begun = *o.move(k, rejectApply)
}

// request asks for an undo, which others may then decide on.
func (o *operator) request(k *known) {
	o.learn(known{id: k.id, asked: true})
	o.order(k, requestUndo)
}

// settle settles a change that is claimed by word, if it is in doubt: as done only what was done, and as not done whatever
// it pleases.
func (o *operator) settle() {
	ctx := context.Background()
	open, err := o.ledger.List(ctx, ledger.Query{Statuses: []ledger.Status{ledger.Applying, ledger.Undoing}})
	if err != nil || len(open) == 0 {
		return
	}
	r, p := open[o.random.IntN(len(open))], toApply
	if r.Status == ledger.Undoing {
		p = toUndo
	}
	v := o.target.verdict(r.ID, p)
	if v == runtime.Done && o.random.IntN(4) == 0 {
		v = runtime.NotDone
	}
	o.order(&known{id: r.ID}, word(r.ClaimID, v))
}
