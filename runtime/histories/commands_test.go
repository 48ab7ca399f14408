package histories_test

import (
	"context"
	"errors"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// command is what an operator does to a change.
type command struct {
	name    string
	method  string          // of an operator
	subject runtime.Subject // of a decision, whatever may be decided now
	do      func(ctx context.Context, o *runtime.Operator, seen runtime.Seen) error
	// moves is where the change has to be, and where it is then.
	moves   func(s state, x *step) bool
	becomes func(s state) state
	// declined tells where the change can be when the command is declined, by why.
	declined map[error]func(s state, x *step) bool
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

var approveApply = command{
	name:    "approve apply",
	method:  "Approve",
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
		// The same was rejected in another change since the person looked, which the history of this one does not have.
		runtime.ErrMoved:       func(s state, _ *step) bool { return s.status == ledger.Pending },
		runtime.ErrTooLate:     expiredByNow,
		runtime.ErrClockBehind: func(s state, _ *step) bool { return s.status == ledger.Pending },
	},
}

var rejectApply = command{
	name:    "reject apply",
	method:  "Reject",
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
	method:  "Approve",
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
	method:  "Reject",
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
	name:   "request undo",
	method: "RequestUndo",
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
		name:   "reconcile " + v.String(),
		method: "Reconcile",
		do: func(ctx context.Context, o *runtime.Operator, seen runtime.Seen) error {
			seen.Claim = claim
			return lastOf(o.Reconcile(ctx, seen, v, "looked at the target"))
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
