package runtime

import (
	"context"
	"log/slog"
	"maps"
	"math"
	"sync"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// logMove tells of one transition. The whole text of a failure goes to the log alone: an author's error may say
// anything.
func (g *Guard) logMove(ctx context.Context, r *ledger.Record, e ledger.Event) {
	told := eventOf(r, e, g.clock.now())
	g.recorder.record(ctx, told)
	if !told.isCalm() && told.Code != eventLateOutcome && r.Error != "" { // the error is of what settled it
		g.log(ctx, slog.LevelWarn, "a change failed", "change", r.ID, "operation", r.Operation, "code", e.Code, "error", r.Error)
	}
}

func eventOf(r *ledger.Record, e ledger.Event, at time.Time) Event {
	by, channel := decider(r, e.Actor)
	return Event{
		At: at, Server: r.Server, Operation: r.Operation, ChangeID: r.ID,
		Actor: e.Actor, By: by, Channel: channel, From: e.From, To: e.To, Code: Code(e.Code), Reason: e.Reason,
	}
}

// decider is the person whose word moved a change: the last who said something about it.
func decider(r *ledger.Record, actor string) (by, channel string) {
	if actor != actorOperator {
		return "", ""
	}
	var last time.Time
	for _, word := range []ledger.Request{
		{At: r.Decision.At, By: r.Decision.By, Channel: r.Decision.Channel},
		r.UndoRequest,
		{At: r.UndoDecision.At, By: r.UndoDecision.By, Channel: r.UndoDecision.Channel},
	} {
		if !word.At.IsZero() && !word.At.Before(last) {
			last, by, channel = word.At, word.By, word.Channel
		}
	}
	return by, channel
}

// noteRefusal tells of one call that was refused, and counts it.
func (g *Guard) noteRefusal(ctx context.Context, t *tool, no *refusal) {
	g.refusals.add(no.code)
	e := Event{
		At: g.clock.now(), Server: no.server, Operation: no.operation, ChangeID: no.changeID,
		Refusal: true, Tool: t.name, To: no.status, Code: no.code,
	}
	if t.operation != nil {
		e.Server, e.Operation = t.operation.server, t.operation.Name
	}
	g.recorder.record(ctx, e)
}

// Refusals counts the calls that this guard has refused since it was made, by code. A count that is at the largest
// int64 stays there.
func (g *Guard) Refusals() map[Code]int64 { return g.refusals.all() }

// tally counts by code. Its zero value is ready.
type tally struct {
	mu     sync.Mutex
	counts map[Code]int64
}

func (t *tally) add(c Code) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[Code]int64{}
	}
	if t.counts[c] < math.MaxInt64 {
		t.counts[c]++
	}
}

func (t *tally) all() map[Code]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		return map[Code]int64{}
	}
	return maps.Clone(t.counts)
}
