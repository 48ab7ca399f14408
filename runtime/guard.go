package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/internal/plural"
	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/internal/flight"
	"github.com/changesetgen/changesetgen/runtime/internal/hold"
	"github.com/changesetgen/changesetgen/runtime/internal/stdio"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Guard is the only way to move a change: it owns the ledger, the policy and the operations. It is safe for
// concurrent use.
type Guard struct {
	opts      Options
	store     ledger.Store
	holds     *hold.Holds
	policy    policy
	clock     clock
	flights   *flight.Flights
	inquiries *inquiries

	recorder *recorder
	refusals tally
	errands  errands

	registering sync.Mutex           // held by one Register at a time, while it asks the ledger and the SDK
	orphans     []ledger.Record      // of registering: id, server and operation of claims without a holder that were not looked at yet
	watches     map[string][]watched // of registering: by holder

	mu       sync.Mutex // never held while the ledger, the SDK or the program is asked
	closed   bool       // Close was called
	toolsets map[*mcp.Server]*toolset
	servers  map[string]bool // names whose open claims were looked through

	releasing sync.Mutex
	released  bool   // the holds were given up
	mortal    func() // lets a broken pipe end the process again
}

// NewGuard makes a guard over opts.Store and registers it there as one that may claim. The error names the field of
// opts that is wrong. Close the guard before its store.
//
// A client that dies closes the standard output and error of the server it started, and the next line written there
// would end the process with SIGPIPE, in the middle of a change. From NewGuard until Close has returned nil such a
// write is an error instead. Child processes are started as ever.
func NewGuard(ctx context.Context, opts Options) (*Guard, error) {
	opts, err := opts.filled()
	if err != nil {
		return nil, fmt.Errorf("runtime: %w", err)
	}
	writes, unknown := opts.writesOn()
	g := &Guard{
		opts:      opts,
		store:     opts.Store,
		policy:    policy{writes: writes, writesEnv: opts.WriteModeEnv, maxSkew: opts.MaxClockSkew},
		flights:   flight.New(),
		inquiries: newInquiries(),
		watches:   map[string][]watched{},
		toolsets:  map[*mcp.Server]*toolset{},
		servers:   map[string]bool{},
	}
	if g.holds, err = hold.New(ctx, g.store, hold.News{Lost: g.tellOfLoss, Replaced: g.tellOfReturn}); err != nil {
		return nil, fmt.Errorf("runtime: the ledger did not register this process: %w", err)
	}
	if err := g.readClock(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("runtime: the ledger did not tell the time: %w", err), g.holds.Release())
	}
	g.mortal = stdio.OutliveClient()
	g.recorder = newRecorder(opts.Sink, func(message string, attrs ...any) { g.log(ctx, slog.LevelWarn, message, attrs...) })
	if unknown != "" {
		g.log(ctx, slog.LevelWarn, fmt.Sprintf("writes are off: the write mode is not known; set %s to %s or %s",
			opts.WriteModeEnv, Guarded, writesOff), "mode", unknown)
	}
	return g, nil
}

// readClock keeps what the ledger's clock shows now, so that setting it back later revives nothing here.
func (g *Guard) readClock(ctx context.Context) error {
	now, err := g.store.Now(ctx)
	if err == nil {
		g.clock.read(now)
	}
	return err
}

// Close refuses new previews and claims from now on, and waits for the bodies that run and the outcomes that the ledger
// has not taken yet: for ShutdownGrace, or until ctx ends. Looks at changes in doubt are cut off. A ctx that is over
// already, as after a signal, does not cut the wait short. What is left then is an error. Bodies go on, and what they do
// is still recorded while the process and the store are there, but an outcome that the ledger refuses is not tried again:
// close the store only after Close has returned nil. In the same time, Options.Sink gets the events that wait for it. It is an
// error too if the ledger does not let the process go in a few seconds; others will find out by themselves that it is gone.
// Close may be called again.
func (g *Guard) Close(ctx context.Context) error {
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, g.opts.ShutdownGrace)
	defer cancel()
	quiet := g.stopErrands()
	g.inquiries.end()
	left := g.flights.Drain(ctx)
	looked := g.inquiries.wait(ctx)
	select {
	case <-quiet:
	case <-ctx.Done():
		looked = false
	}
	g.recorder.flush(ctx) // before mortal: the sink may write where nobody reads
	switch {
	case left > 0:
		return fmt.Errorf("runtime: %s still running or not recorded: if the process ends now, they are in doubt", plural.Of(left, "change"))
	case !looked:
		return errors.New("runtime: the ledger is still asked for changes to look at: nothing is lost if the process ends now, but leave the store open")
	}
	_, err := attempt.Do(context.WithoutCancel(ctx), releasePatience, func(context.Context) (struct{}, error) { return struct{}{}, g.release() })
	if err != nil {
		return fmt.Errorf("runtime: the ledger did not let this process go: %w", err)
	}
	return nil
}

// releasePatience is how long the ledger may take to let a process go that carries nothing out any more, however little is
// left of its time.
const releasePatience = 5 * time.Second

// release gives the holds up, once. It may take as long as the ledger is waited for.
func (g *Guard) release() error {
	g.releasing.Lock()
	defer g.releasing.Unlock()
	if g.released {
		return nil
	}
	if err := g.holds.Release(); err != nil {
		return err
	}
	g.released = true
	g.mortal()
	return nil
}

// timeout of the bodies of an operation.
func (g *Guard) timeout(op *erased) time.Duration {
	if op.Timeout > 0 {
		return op.Timeout
	}
	return g.opts.Timeout
}
