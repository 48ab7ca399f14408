package histories_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// operator is a person at the command line, where every command is a process of its own.
type operator struct {
	name   string
	ledger *sqlite.Store
	random *rand.Rand
	*history
}

// command is what an operator does to a change.
type command struct {
	name    string
	subject runtime.Subject // of a decision, whatever may be decided now
	do      func(ctx context.Context, o *runtime.Operator, seen runtime.Seen) error
	// moves is where the change has to be, and where it is then.
	moves   func(s state, x *step) bool
	becomes func(s state) state
	// declined tells where the change can be when the command is declined, by why.
	declined map[error]func(s state, x *step) bool
}

// act gives one command, to a change that agents know.
func (o *operator) act() {
	k := o.pick(o.random)
	if k == nil {
		return
	}
	switch chance := o.random.IntN(100); {
	case chance < 40:
		o.move(k, approveApply)
	case chance < 48:
		o.reject(k)
	case chance < 58:
		o.move(k, approveUndo)
	case chance < 62:
		o.move(k, rejectUndo)
	case chance < 72:
		o.move(k, requestUndo)
	case chance < 90:
		o.settle()
	case chance < 98:
		o.tidy("expire", func(ctx context.Context, of *runtime.Operator) error { return lastOf(of.Expire(ctx)) })
	default:
		o.pruning()
		o.tidy("prune", func(ctx context.Context, of *runtime.Operator) error {
			return lastOf(of.Prune(ctx, runtime.PruneOptions{Keep: keptChanges, LimitMemory: limitPer}))
		})
	}
}

func lastOf[T any](_ T, err error) error { return err }

// started is a command in a process of its own, which may die.
func (o *operator) started(what string) (*runtime.Operator, *request) {
	call := o.call()
	m := newMortal(fmt.Sprint("command ", call), o.random.Uint64(), o.faults)
	of, err := runtime.NewOperator(&store{Store: o.ledger, mortal: m}, runtime.Decider{Name: o.name, Channel: "changesetctl"})
	if err != nil {
		o.fault("new operator: %v", err)
	}
	r := &request{process: &process{mortal: m}, call: call, called: o.now()}
	r.what = fmt.Sprintf("%d %s %s", call, o.name, what)
	return of, r
}

// tidy is a command that is about no one change.
func (o *operator) tidy(what string, do func(context.Context, *runtime.Operator) error) {
	of, r := o.started(what)
	if err := do(context.Background(), of); err != nil && !passing(err) {
		o.fault("%s: %v", r.what, err)
	}
}

// move gives a command, and makes a step of what came of it.
func (o *operator) move(k *known, c command) *step {
	of, r := o.started(c.name)
	err := c.give(context.Background(), of, k.id)
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

// where is where the change can be when a command was declined for a reason that commands have.
func (c command) where(err error) func(s state, x *step) bool {
	if errors.Is(err, runtime.ErrNoSuchChange) {
		return func(s state, _ *step) bool { return gone(s) }
	}
	for why, where := range c.declined {
		if why != runtime.ErrMoved && errors.Is(err, why) { // which stands beside what says more
			return where
		}
	}
	if where := c.declined[runtime.ErrMoved]; where != nil && errors.Is(err, runtime.ErrMoved) {
		return where
	}
	return func(state, *step) bool { return false }
}

// give gives the command for the change as it is shown before.
func (c command) give(ctx context.Context, o *runtime.Operator, id string) error {
	v, err := o.Get(ctx, id)
	if err != nil {
		return err
	}
	if c.subject != runtime.SubjectNone {
		v.Seen.Subject = c.subject
	}
	return c.do(ctx, o, v.Seen)
}

// passing tells the faults of the ledger from what is declined.
func passing(err error) bool {
	return errors.Is(err, errDead) || errors.Is(err, errLost) || errors.Is(err, ledger.ErrBusy)
}

// reject notes, before it says no, that the same change may be refused for that from now on.
func (o *operator) reject(k *known) {
	begun := &step{called: o.now()}
	o.rejecting(k, begun)
	*begun = *o.move(k, rejectApply)
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
	v, err := wrote(ctx, o.target, r.ID, p)
	if err != nil || v == runtime.Done && o.random.IntN(4) == 0 {
		v = runtime.NotDone
	}
	o.move(&known{id: r.ID}, word(r.ClaimID, v))
}

var approveApply = command{
	name:    "approve apply",
	subject: runtime.SubjectApply,
	do: func(ctx context.Context, o *runtime.Operator, seen runtime.Seen) error {
		return lastOf(o.Approve(ctx, seen, ""))
	},
	moves:   func(s state, _ *step) bool { return s.status == ledger.Pending && !s.approved },
	becomes: func(s state) state { s.approved = true; return s },
	declined: map[error]func(s state, x *step) bool{
		runtime.ErrNotWaiting: notPending,
		runtime.ErrDecided: func(s state, _ *step) bool {
			return s.status == ledger.Rejected || s.status == ledger.Pending && s.approved
		},
		runtime.ErrTooLate:     expiredByNow,
		runtime.ErrClockBehind: func(s state, _ *step) bool { return s.status == ledger.Pending },
	},
}

var rejectApply = command{
	name:    "reject apply",
	subject: runtime.SubjectApply,
	do: func(ctx context.Context, o *runtime.Operator, seen runtime.Seen) error {
		return lastOf(o.Reject(ctx, seen, "not wanted"))
	},
	moves:   func(s state, _ *step) bool { return s.status == ledger.Pending || s.status == ledger.Rejected },
	becomes: func(s state) state { s.status = ledger.Rejected; return s },
	declined: map[error]func(s state, x *step) bool{
		runtime.ErrNotWaiting: notPending,
		runtime.ErrTooLate:    expiredByNow,
	},
}

func notPending(s state, _ *step) bool {
	return s.status != ledger.Pending && s.status != ledger.Expired && s.status != ledger.Rejected
}

func expiredByNow(s state, x *step) bool {
	return x.around.late && (s.status == ledger.Pending || s.status == ledger.Expired)
}

var approveUndo = command{
	name:    "approve undo",
	subject: runtime.SubjectUndo,
	do: func(ctx context.Context, o *runtime.Operator, seen runtime.Seen) error {
		return lastOf(o.Approve(ctx, seen, ""))
	},
	moves:   func(s state, _ *step) bool { return asksForUndo(s) && s.undoVerdict != ledger.Approved },
	becomes: func(s state) state { s.undoVerdict = ledger.Approved; return s },
	declined: map[error]func(s state, x *step) bool{
		runtime.ErrNotWaiting:  func(s state, _ *step) bool { return !asksForUndo(s) },
		runtime.ErrMoved:       func(s state, _ *step) bool { return asksForUndo(s) },
		runtime.ErrDecided:     func(s state, _ *step) bool { return asksForUndo(s) && s.undoVerdict == ledger.Approved },
		runtime.ErrTooLate:     undoOver,
		runtime.ErrClockBehind: func(s state, _ *step) bool { return asksForUndo(s) },
	},
}

var rejectUndo = command{
	name:    "reject undo",
	subject: runtime.SubjectUndo,
	do: func(ctx context.Context, o *runtime.Operator, seen runtime.Seen) error {
		return lastOf(o.Reject(ctx, seen, "it is to stay"))
	},
	moves: func(s state, _ *step) bool {
		return asksForUndo(s) || s.status == ledger.Applied && s.undoVerdict == ledger.Refused
	},
	becomes: func(s state) state { s.request, s.undoVerdict = "", ledger.Refused; return s },
	declined: map[error]func(s state, x *step) bool{
		runtime.ErrNotWaiting: func(s state, _ *step) bool { return !asksForUndo(s) },
		runtime.ErrMoved:      func(s state, _ *step) bool { return asksForUndo(s) },
		runtime.ErrTooLate:    undoOver,
	},
}

var requestUndo = command{
	name: "request undo",
	do: func(ctx context.Context, o *runtime.Operator, seen runtime.Seen) error {
		return lastOf(o.RequestUndo(ctx, seen, "not wanted any more"))
	},
	moves:   func(s state, _ *step) bool { return s.status == ledger.Applied },
	becomes: func(s state) state { s.request, s.undoVerdict = byPerson, ledger.Approved; return s },
	declined: map[error]func(s state, x *step) bool{
		runtime.ErrNotUndoable: func(s state, _ *step) bool { return s.status != ledger.Applied },
		runtime.ErrMoved:       func(s state, _ *step) bool { return s.status == ledger.Applied },
		runtime.ErrDecided: func(s state, _ *step) bool {
			return s.status == ledger.Applied && s.request == byPerson && s.undoVerdict == ledger.Approved
		},
		runtime.ErrTooLate:     undoOver,
		runtime.ErrClockBehind: func(s state, _ *step) bool { return s.status == ledger.Applied },
	},
}

func asksForUndo(s state) bool { return s.status == ledger.Applied && s.request != "" }

func undoOver(s state, x *step) bool { return s.status == ledger.Applied && x.around.undoLate }

// word is a person's verdict on a claim in doubt.
func word(claim string, v runtime.Verdict) command {
	return command{
		name: "reconcile " + v.String(),
		do: func(ctx context.Context, o *runtime.Operator, seen runtime.Seen) error {
			note := fmt.Sprint("looked at the target, note ", rand.Uint64()) // no two verdicts are alike
			seen.Claim = claim
			return lastOf(o.Reconcile(ctx, seen, v, note))
		},
		moves: func(s state, _ *step) bool { return s.open() && (s.doubt || s.holder == "") },
		becomes: func(s state) state {
			if v == runtime.Done {
				return s.done(unknown)
			}
			return s.failed(false)
		},
		declined: map[error]func(s state, x *step) bool{
			runtime.ErrNotInDoubt: func(s state, _ *step) bool { return !s.open() },
			runtime.ErrMoved:      func(s state, _ *step) bool { return s.open() },
			runtime.ErrInFlight:   func(s state, _ *step) bool { return s.open() && !s.doubt },
		},
	}
}
