package runtime

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// lookPatience is how long an agent waits for a look that may answer its question. The look goes on without it.
const lookPatience = 5 * time.Second

// inquiries are the looks at changes in doubt that are under way, by change. A look writes nothing to a target, so that
// a guard that closes cuts it off; what it has found by then is recorded.
type inquiries struct {
	open context.Context // ends when the guard closes
	end  context.CancelFunc

	mu      sync.Mutex
	running map[string]*inquiry
}

func newInquiries() *inquiries {
	q := &inquiries{running: map[string]*inquiry{}}
	q.open, q.end = context.WithCancel(context.Background())
	return q
}

// wait waits until those that are under way are over, or ctx is. It tells whether they are. No other begins after end.
func (all *inquiries) wait(ctx context.Context) bool {
	all.mu.Lock()
	running := slices.Collect(maps.Values(all.running))
	all.mu.Unlock()
	for _, q := range running {
		select {
		case <-q.done:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// inquiry is one look at a change in doubt, which all who ask for it meanwhile share.
type inquiry struct {
	done    chan struct{} // closed when the rest is there
	verdict Verdict
	err     error
}

// errClosing is why a guard that closes looks at nothing.
var errClosing = errors.New("the guard is closed, or about to be")

// inquire looks at a change in doubt in the background, unless somebody does already.
func (g *Guard) inquire(ctx context.Context, op *registered, id string) *inquiry {
	g.inquiries.mu.Lock()
	defer g.inquiries.mu.Unlock()
	if q, ok := g.inquiries.running[id]; ok {
		return q
	}
	q := &inquiry{done: make(chan struct{})}
	if g.inquiries.open.Err() != nil {
		q.err = errClosing
		close(q.done)
		return q
	}
	g.inquiries.running[id] = q
	go func() {
		defer g.answered(id, q)
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(g.inquiries.open, cancel)()
		q.verdict, q.err = g.reconcile(ctx, op, id)
	}()
	return q
}

// answered ends an inquiry. A panic of our own code is an inquiry that failed.
func (g *Guard) answered(id string, q *inquiry) {
	if p := recover(); p != nil {
		q.verdict, q.err = Unsure, &attempt.Panic{Value: p, Stack: debug.Stack()}
	}
	if q.err != nil && !toldEnough(q.err) {
		g.log(context.Background(), slog.LevelError, "a change in doubt could not be looked at", "change", id, "error", q.err, "stack", stackOf(q.err))
	}
	g.inquiries.mu.Lock()
	delete(g.inquiries.running, id)
	g.inquiries.mu.Unlock()
	close(q.done)
}

// toldEnough are the errors of an inquiry that say nothing which the operator does not know already.
func toldEnough(err error) bool {
	return errors.Is(err, ErrNotInDoubt) || errors.Is(err, errOtherOperation) || errors.Is(err, errNothingObserved) || errors.Is(err, errClosing)
}

// lookFor is a look on behalf of an agent that asks about a change in doubt. It is false where nothing would tell, and
// nothing was written down.
func (g *Guard) lookFor(ctx context.Context, op *registered, now *reading) bool {
	if !now.doubtful() {
		return false
	}
	if now.record.Joined {
		return g.settleLapsed(ctx, now)
	}
	admitted := g.admitForgotten(ctx, now)
	if op == nil || !op.tellsOf(&now.record) {
		return admitted
	}
	q := g.inquire(ctx, op, now.record.ID)
	select {
	case <-q.done:
	case <-ctx.Done():
	case <-time.After(min(lookPatience, g.opts.Timeout)):
	}
	return true
}

// admitForgotten writes down that a claim is in doubt which this guard made and has forgotten. Others see only that the
// guard is there, and an operator could not settle it before it goes.
func (g *Guard) admitForgotten(ctx context.Context, now *reading) bool {
	if !now.forgotten || !now.record.DoubtAt.IsZero() {
		return false
	}
	_, err := g.move(ctx, now.record.ID, doubt{claim: now.record.ClaimID, failure: failure{reason: reasonForgotten}})
	if err != nil && !errors.Is(err, errNoTransition) {
		g.log(ctx, slog.LevelError, "it was not recorded that a change is in doubt", "change", now.record.ID, "error", err)
	}
	return err == nil
}

// looked tells whether a change that a call was refused for, as being in doubt, was looked at: the same call may be
// answered otherwise now.
func (g *Guard) looked(ctx context.Context, a ask, no *refusal) bool {
	if no == nil || no.code != CodeInDoubt {
		return false
	}
	now, err := g.readLive(ctx, a.id)
	op, serves := a.tool.serves(&now.record)
	return err == nil && serves && g.lookFor(ctx, op, &now)
}

// tellsOf says whether a look could tell anything of a claim of the operation: how it ended, or only, for the operator,
// what is there now. A start looks at the same, so what is told does not depend on which of them comes first.
func (e *erased) tellsOf(r *ledger.Record) bool {
	if r.Status == ledger.Undoing {
		return e.lookAfter != nil && r.After != nil
	}
	return e.observe != nil || e.reconcile != nil
}
