package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// errandsAtOnce is how many undos that operators requested are carried out side by side. One that hangs takes its place
// until its time is up.
const errandsAtOnce = 8

// errands are the undos that operators requested of this guard: they have no server of their own, and the ledger is all
// that they share with it. Its zero value is ready.
type errands struct {
	wake  chan struct{}      // there may be something new; nil before the first Register
	stop  context.CancelFunc // ends the looking
	ended chan struct{}      // closed when it has ended, and everything that it began

	failing bool           // the ledger did not list the requests the last time. Of the one goroutine that looks
	places  chan struct{}  // has one element for each that is under way
	begun   sync.WaitGroup // those that are under way

	mu       sync.Mutex
	underWay map[string]bool // changes
	waiting  map[string]Code // change: why its undo is not carried out yet
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
		e.wake, e.ended, e.places = make(chan struct{}, 1), make(chan struct{}), make(chan struct{}, errandsAtOnce)
		e.underWay, e.waiting = map[string]bool{}, map[string]Code{}
		go g.pollErrands(ctx)
	}
	select {
	case e.wake <- struct{}{}:
	default: // it is to look already
	}
}

// stopErrands ends the looking of a guard that is closing, and what is not claimed yet; what is claimed goes on. The
// channel is closed when nothing of it asks the ledger any more.
func (g *Guard) stopErrands() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.errands.stop == nil {
		never := make(chan struct{})
		close(never)
		return never
	}
	g.errands.stop()
	return g.errands.ended
}

func (g *Guard) pollErrands(ctx context.Context) {
	defer close(g.errands.ended)
	defer g.errands.begun.Wait()
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

// carryOutErrands begins what operators requested, for each server of this guard. It looks at the clock as well: nothing
// else may do so for a long time.
func (g *Guard) carryOutErrands(ctx context.Context) error {
	if err := g.readClock(ctx); err != nil {
		return err
	}
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
				g.beginErrand(ctx, &page[i])
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

// beginErrand carries out one request in the background, as soon as there is a place. A request of an agent waits for
// that agent, and one that this guard cannot carry out for a guard that can, for as long as there may be one.
func (g *Guard) beginErrand(ctx context.Context, r *ledger.Record) {
	e, t := &g.errands, g.toolOf(r)
	switch {
	case !operatorAsks(r), e.isUnderWay(r.ID):
		return
	case undoOver(r, g.clock.now()):
		g.endOver(ctx, r)
		return
	case t == nil:
		g.errandWaits(ctx, r, refuseOperationUnknown(r))
		return
	case t.operation.UndoDigest != r.UndoDigest:
		g.errandWaits(ctx, r, refuseOperationChanged(r, forUndo))
		return
	}
	select {
	case e.places <- struct{}{}:
	case <-ctx.Done():
		return
	}
	e.setUnderWay(r.ID, true)
	e.begun.Go(func() {
		defer func() { <-e.places }()
		defer e.setUnderWay(r.ID, false)
		g.carryOutErrand(ctx, t, r)
	})
}

// endOver ends a request that nobody can carry out any more.
func (g *Guard) endOver(ctx context.Context, r *ledger.Record) {
	if _, err := g.move(ctx, r.ID, expire{}); err != nil && !errors.Is(err, errNoTransition) {
		g.errandWaits(ctx, r, ledgerRefusal(err))
		return
	}
	g.errands.goesOn(r.ID)
}

func (e *errands) isUnderWay(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.underWay[id]
}

func (e *errands) setUnderWay(id string, is bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if is {
		e.underWay[id] = true
	} else {
		delete(e.underWay, id)
	}
}

// carryOutErrand undoes one change as if the undo token had been given.
func (g *Guard) carryOutErrand(ctx context.Context, t *tool, r *ledger.Record) {
	no := g.undoOnRequest(ctx, t, r)
	switch {
	case ctx.Err() != nil: // what is not claimed is found again
	case no == nil:
		g.errands.goesOn(r.ID)
	case isPassing(no.code):
		g.errandWaits(ctx, r, no)
	default:
		g.errands.goesOn(r.ID)
		g.giveUpErrand(ctx, r, no)
	}
}

func (g *Guard) undoOnRequest(ctx context.Context, t *tool, r *ledger.Record) *refusal {
	a := ask{tool: t, purpose: forUndo, who: identity{r.Scope, r.Caller}, id: r.ID, operator: true}
	asked := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{}} // by nobody's client
	no, _ := g.intercept(ctx, called{t, StepUndo, asked, r.ID}, func(ctx context.Context) answer {
		return g.undo(ctx, a)
	}).(*refusal)
	return no
}

// errandWaits tells the log why a request waits, once.
func (g *Guard) errandWaits(ctx context.Context, r *ledger.Record, no *refusal) {
	if g.errands.waits(r.ID, no.code) {
		g.log(ctx, slog.LevelWarn, "the undo that an operator requested has to wait", "change", r.ID, "code", string(no.code), "reason", no.message)
	}
}

// waits notes why a request waits. It tells whether that is news.
func (e *errands) waits(id string, why Code) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.waiting[id]
	e.waiting[id] = why
	return before != why
}

func (e *errands) goesOn(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.waiting, id)
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
		CodeWritesDisabled, CodeShuttingDown, CodeCancelled, CodeInFlight, CodeClockSkew, CodeOperationChanged,
		CodeLedgerBusy, CodeLedgerUnavailable, CodeLedgerUnsupported,
	}, code)
}

// giveUpErrand ends a request that came to nothing, so that nobody tries it for ever. The operator finds the reason
// among the events of the change. A claim has ended the request itself.
func (g *Guard) giveUpErrand(ctx context.Context, r *ledger.Record, no *refusal) {
	_, err := g.move(ctx, r.ID, endRequest{request: r.UndoRequest, code: no.code, why: no.message})
	if err != nil && !errors.Is(err, errNoTransition) {
		g.log(ctx, slog.LevelError, "it was not recorded that the undo of an operator came to nothing: it is tried again", "change", r.ID, "error", err)
	}
}

// endRequest ends the request of an operator whose undo was refused, and the yes that came with it.
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
