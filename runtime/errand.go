package runtime

import (
	"context"
	"errors"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// beginErrand carries out one request in the background, as soon as there is a place. A request of an agent waits for
// that agent, and one that this guard cannot carry out for a guard that can, for as long as there may be one.
func (g *Guard) beginErrand(ctx context.Context, r *ledger.Record) {
	e, t := &g.errands, g.toolOf(r)
	switch {
	case !operatorAsks(r), e.isUnderWay(r.ID):
		return
	case undoOver(r, g.clock.now()):
		g.endErrand(ctx, r, expire{}) // nobody can carry it out any more
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
		err := attempt.Contain(func() error {
			g.carryOutErrand(ctx, t, r)
			return nil
		})
		if err != nil {
			g.log(ctx, slog.LevelError, "panic while a requested undo was carried out", "change", r.ID, "error", err, "stack", stackOf(err))
			g.errandWaits(ctx, r, refuseInternal())
		}
	})
}

// carryOutErrand undoes one change as if the undo token had been given.
func (g *Guard) carryOutErrand(ctx context.Context, t *tool, r *ledger.Record) {
	no := g.undoOnRequest(ctx, t, r)
	switch {
	case ctx.Err() != nil: // what is not claimed is found again
	case no == nil:
		g.errands.goesOn(r.ID)
	case no.passes:
		g.errandWaits(ctx, r, no)
	default:
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

// giveUpErrand ends a request that came to nothing, so that nobody tries it for ever. The operator finds the reason
// among the events of the change. A claim has ended the request itself, and so has a late look.
func (g *Guard) giveUpErrand(ctx context.Context, r *ledger.Record, no *refusal) {
	g.endErrand(ctx, r, endRequest{request: r.UndoRequest, code: no.code, why: no.message})
}

// endErrand records that a request is over. While the ledger does not take that, the request waits, and is tried again.
func (g *Guard) endErrand(ctx context.Context, r *ledger.Record, end request) {
	if _, err := g.move(ctx, r.ID, end); err != nil && !errors.Is(err, errNoTransition) {
		g.errandWaits(ctx, r, ledgerRefusal(err))
		return
	}
	g.errands.goesOn(r.ID)
}

// endRequest ends the request of an operator whose undo was refused, and the yes that came with it.
type endRequest struct {
	request ledger.Request
	code    Code
	why     string
}

func (e endRequest) decide(r ledger.Record, _ moment, _ policy) (ledger.Record, cause, error) {
	if r.Status != ledger.Applied || unlikeShown(&r) != "" || !asksForUndo(&r) || !r.UndoRequest.Equal(e.request) {
		return r, cause{}, errNoTransition
	}
	r.UndoRequest, r.UndoDecision = ledger.Request{}, ledger.Decision{}
	return r, cause{actor: actorGuard, code: e.code, reason: reasonNotCarriedOut(e.request.By, e.why)}, nil
}
