package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// errands are the undos that operators requested of this guard: they have no server of their own, and the ledger is all
// that they share with it. Its zero value is ready.
type errands struct {
	wake  chan struct{}      // there may be something new; nil before the first Register
	stop  context.CancelFunc // ends the looking
	ended chan struct{}      // closed when it has ended

	waiting map[string]Code // change: why its undo is not carried out yet. Of the one goroutine that looks
	failing bool            // the ledger did not list the requests the last time; as waiting
}

// runErrands looks for requests now, and from the first time on every Options.RequestPoll. It needs the lock.
func (g *Guard) runErrands() {
	e := &g.errands
	if g.flights.isClosing() {
		return
	}
	if e.wake == nil {
		var ctx context.Context
		ctx, e.stop = context.WithCancel(context.Background())
		e.wake, e.ended, e.waiting = make(chan struct{}, 1), make(chan struct{}), map[string]Code{}
		go g.pollErrands(ctx)
	}
	select {
	case e.wake <- struct{}{}:
	default: // it is to look already
	}
}

// endErrands ends the looking of a guard that is closing; what is claimed goes on. The wait is over when ctx is.
func (g *Guard) endErrands(ctx context.Context) {
	g.mu.Lock()
	stop, ended := g.errands.stop, g.errands.ended
	g.mu.Unlock()
	if stop == nil {
		return
	}
	stop()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

func (g *Guard) pollErrands(ctx context.Context) {
	defer close(g.errands.ended)
	again := time.NewTicker(g.opts.RequestPoll)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		case <-g.errands.wake:
		}
		err := g.carryOutErrands(ctx)
		if err != nil && ctx.Err() == nil && !g.errands.failing {
			g.log(ctx, slog.LevelError, "the ledger did not say which undos operators requested: it is asked again", "error", err)
		}
		g.errands.failing = err != nil
	}
}

// carryOutErrands carries out what operators requested, for each server of this guard.
func (g *Guard) carryOutErrands(ctx context.Context) error {
	for _, server := range g.serverNames() {
		q := ledger.Query{Statuses: []ledger.Status{ledger.Applied}, Server: server, UndoRequested: true}
		for {
			page, err := g.store.List(ctx, q)
			if err != nil {
				return err
			}
			if len(page) == 0 {
				break
			}
			for i := range page {
				g.carryOutErrand(ctx, &page[i])
			}
			q.After = page[len(page)-1].ID
		}
	}
	return nil
}

func (g *Guard) serverNames() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var names []string
	for name := range g.servers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// carryOutErrand undoes one change as if the undo token had been given. A request of an agent waits for that agent, and
// one for an operation that is not here for the guard that has it.
func (g *Guard) carryOutErrand(ctx context.Context, r *ledger.Record) {
	t := g.toolOf(r)
	if t == nil || r.UndoRequest.Channel == channelAgent || ctx.Err() != nil {
		return
	}
	a := ask{tool: t, purpose: forUndo, who: identity{r.Scope, r.Caller}, id: r.ID, operator: true}
	asked := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{}} // by nobody's client
	no, refused := g.intercept(ctx, called{t, StepUndo, asked, r.ID}, func(ctx context.Context) answer {
		return g.undo(ctx, a)
	}).(*refusal)
	switch {
	case !refused:
		delete(g.errands.waiting, r.ID)
	case isPassing(no.code):
		if g.errands.waiting[r.ID] != no.code {
			g.errands.waiting[r.ID] = no.code
			g.log(ctx, slog.LevelWarn, "the undo that an operator requested has to wait", "change", r.ID, "code", string(no.code), "reason", no.message)
		}
	default:
		delete(g.errands.waiting, r.ID)
		g.giveUpErrand(ctx, r, no)
	}
}

// toolOf is what undoes a change in place of a tool of its operation; nil if this guard has not got that.
func (g *Guard) toolOf(r *ledger.Record) *tool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, set := range g.toolsets {
		if op := set.find(r); op != nil {
			return &tool{set: set, operation: op}
		}
	}
	return nil
}

// isPassing tells whether the cause of a refusal goes by, so that the same request is right again later, here or with
// another guard.
func isPassing(code Code) bool {
	return slices.Contains([]Code{
		CodeWritesDisabled, CodeShuttingDown, CodeCancelled, CodeInFlight, CodeClockSkew,
		CodeLedgerBusy, CodeLedgerUnavailable, CodeLedgerUnsupported,
	}, code)
}

// giveUpErrand ends a request that came to nothing, so that nobody tries it for ever. The operator finds the reason
// among the events of the change.
func (g *Guard) giveUpErrand(ctx context.Context, r *ledger.Record, no *refusal) {
	_, err := g.move(ctx, r.ID, endRequest{request: r.UndoRequest, code: no.code, why: no.message})
	if err != nil && !errors.Is(err, errNoTransition) {
		g.log(ctx, slog.LevelError, "it was not recorded that the undo of an operator came to nothing: it is tried again", "change", r.ID, "error", err)
	}
}

// endRequest ends the request of an operator whose undo was refused or wrote nothing, and the yes that came with it.
type endRequest struct {
	request ledger.Request
	code    Code
	why     string
}

func (e endRequest) decide(r ledger.Record, _ moment, _ policy) (ledger.Record, cause, error) {
	if r.Status != ledger.Applied || !asksForUndo(&r) || !sameRequest(r.UndoRequest, e.request) {
		return r, cause{}, errNoTransition
	}
	r.UndoRequest, r.UndoDecision = ledger.Request{}, ledger.Decision{}
	return r, cause{actor: actorGuard, code: e.code, reason: fmt.Sprintf("the undo that %s requested was not carried out: %s", e.request.By, e.why)}, nil
}
