package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// errandsAtOnce is how many undos that operators requested are carried out side by side. One that hangs takes its place
// until its time is up.
const errandsAtOnce = 8

// lapsedEvery is how many looks for requests there are to one for joined claims that others have left: nobody waits for those.
const lapsedEvery = 5

// errands are the undos that operators requested of this guard: they have no server of their own, and the ledger is all
// that they share with it. Its zero value is ready.
type errands struct {
	wake  chan struct{}      // there may be something new; nil before the first Register
	stop  context.CancelFunc // ends the looking
	ended chan struct{}      // closed when it has ended, and everything that it began

	places chan struct{}  // has one element for each that is under way
	begun  sync.WaitGroup // those that are under way

	requests, watched, lapsed answered // of the one goroutine that looks

	mu       sync.Mutex
	underWay map[string]bool // changes
	waiting  map[string]Code // change: why its undo is not carried out yet
}

// runErrands looks for requests now, and from the first time on every Options.RequestPoll, unless the guard is closed.
func (g *Guard) runErrands() {
	g.mu.Lock()
	defer g.mu.Unlock()
	e := &g.errands
	if g.closed {
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

// stopErrands ends the looking of a guard that closes, for good, and what is not claimed yet; what is claimed goes on.
// The channel is closed when nothing of it asks the ledger any more.
func (g *Guard) stopErrands() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
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
	for e, n := &g.errands, 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		case <-e.wake:
		}
		g.askAgain(ctx, &e.requests, "the ledger did not say which undos operators requested: it is asked again", g.carryOutErrands)
		if e.requests.away {
			continue
		}
		g.askAgain(ctx, &e.watched, "the ledger did not say what became of changes that others had begun: it is asked again", g.lookAtWatched)
		if n%lapsedEvery == 0 {
			g.askAgain(ctx, &e.lapsed, "joined changes that nobody carries out any more could not be settled: it is tried again", g.settleAllLapsed)
		}
	}
}

// answered is what came of something that the ledger is asked again and again.
type answered struct {
	failure string // why it did not tell the last time; "" if it did
	away    bool   // the ledger did not answer then
}

// isAway tells whether the ledger did not answer the last time that it was asked something.
func (e *errands) isAway() bool { return e.requests.away || e.watched.away || e.lapsed.away }

// askAgain asks the ledger. The log is told when that fails for another reason than before; and of a ledger that does not
// answer only that, and then that it does, whatever it is asked.
func (g *Guard) askAgain(ctx context.Context, latest *answered, failed string, ask func(context.Context) error) {
	before, wasAway := *latest, g.errands.isAway()
	err := attempt.Contain(func() error { return ask(ctx) })
	*latest = answered{}
	if err != nil {
		away := errors.Is(err, ledger.ErrUnavailable) || before.away && errors.Is(err, ledger.ErrBusy)
		*latest = answered{failure: err.Error(), away: away}
	}
	switch {
	case ctx.Err() != nil, *latest == before, latest.away && wasAway:
	case latest.away:
		g.log(ctx, slog.LevelError, "the ledger does not answer: what needs it is refused or waits until it does", "error", err)
	case err != nil:
		g.log(ctx, slog.LevelError, failed, "error", err, "stack", stackOf(err))
	case wasAway && !g.errands.isAway():
		g.log(ctx, slog.LevelInfo, "the ledger answers again")
	}
}

// carryOutErrands begins what operators requested, for each server of this guard. It looks at the clock as well: nothing
// else may do so for a long time.
func (g *Guard) carryOutErrands(ctx context.Context) error {
	if err := g.readClock(ctx); err != nil {
		return err
	}
	found := map[string]bool{}
	var unread *ledger.DamagedError
	for _, server := range g.serverNames() {
		q := ledger.Query{Statuses: []ledger.Status{ledger.Applied}, Server: server, UndoRequested: true}
		for r, err := range ledger.All(ctx, g.store, q) {
			switch {
			case errors.As(err, &unread): // and keeps no other waiting
			case err != nil:
				return err
			default:
				found[r.ID] = true
				g.beginErrand(ctx, &r)
			}
		}
	}
	g.errands.forgetBut(found)
	if unread != nil {
		return fmt.Errorf("%s: %w", unread.ID, unread)
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

// forgetBut lets go of why requests wait that there are no more.
func (e *errands) forgetBut(found map[string]bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	maps.DeleteFunc(e.waiting, func(id string, _ Code) bool { return !found[id] })
}
