package histories_test

import (
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// process is a server with a guard, as one that runs by itself has it: with a ledger of its own, opened where all
// have theirs.
type process struct {
	*mortal
	history *history
	target  *target
	ledger  book
	store   *faults.Store
	guard   *runtime.Guard
	session *mcp.ClientSession
}

// startProcess starts a server. With an error it died on the way.
func startProcess(h *history, name string, seed uint64) (*process, error) {
	p := &process{mortal: newMortal(name, seed, h.troubles), history: h, target: h.target}
	var err error
	if p.ledger, err = h.open(); err != nil {
		h.fault("open the ledger: %v", err)
		return nil, err
	}
	p.store = newStore(p.ledger, p.mortal, h.tally)
	if err := p.serve(); err != nil {
		p.kill()
		p.bury()
		return nil, err
	}
	return p, nil
}

func (p *process) serve() (err error) {
	ctx := context.Background()
	p.guard, err = runtime.NewGuard(ctx, runtime.Options{
		Store: p.store, WriteMode: runtime.Guarded, RequestPoll: requestPoll, Timeout: patience, ShutdownGrace: patience,
		TTL: ttl, UndoTTL: undoTTL, ApprovalTTL: ttl, MaxPending: maxPending,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "things", Version: "1"}, nil)
	if err := p.guard.Register(server, things, p.operations()...); err != nil {
		return err
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, there, nil); err != nil {
		return err
	}
	p.session, err = mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, here, nil)
	return err
}

// bury ends what is left of a dead process: when it returns, nothing of it moves any more, and others can see that.
func (p *process) bury() {
	called := p.history.now()
	p.still()
	if err := p.store.EndHolds(); err != nil {
		p.history.fault("release the hold of %s: %v", p.name, err)
	}
	p.history.buried(p.name, called)
	if p.guard != nil {
		over, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		_ = p.guard.Close(over) // it cannot: it is dead, and what it still tries is to end
	}
	p.leaveLedger()
}

func (p *process) leaveLedger() {
	if p.session != nil {
		_ = p.session.Close()
	}
	if err := p.ledger.Close(); err != nil {
		p.history.fault("close the ledger of %s: %v", p.name, err)
	}
}

// end closes a process as it should be.
func (p *process) end() {
	if err := p.close(context.Background()); err != nil {
		p.history.fault("close %s: %v", p.name, err)
	}
	p.left()
}

// close closes the guard, and once more where the ledger takes its time to let it go.
func (p *process) close(ctx context.Context) error {
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if err := p.guard.Close(ctx); err == nil || patient.Err() != nil {
			return err
		}
	}
}

// left is what comes after a guard was closed. Nobody hears any more of what the process is still asked.
func (p *process) left() {
	p.history.tally.called("Guard.Close")
	p.kill()
	p.history.buried(p.name, p.history.now())
	p.leaveLedger()
}
