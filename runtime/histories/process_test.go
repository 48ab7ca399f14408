package histories_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// mortal is what dies at once: a process, or an operator's command. What it does to the ledger and to the target goes
// through it, and nothing does once it is dead.
type mortal struct {
	name   string
	using  sync.RWMutex // read-locked by whatever is on its way to the ledger or the target
	isDead atomic.Bool
	blind  atomic.Int64 // how often it could not see whether a holder was there
	mu     sync.Mutex
	random *rand.Rand
	faults *faults
}

// faults are what happens at the calls of a store, in so many of 10,000 calls. Its zero value does nothing.
type faults struct {
	mu sync.Mutex
	shares
	lie func(next *ledger.Record, write func() error) error // nil: a store that keeps its promises
}

type shares struct{ dies, diesAfter, busy, lost, lostAfter int }

func (f *faults) now() shares {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.shares
}

// rest ends the faults, and leaves a store that lies as it is.
func (f *faults) rest() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shares = shares{}
}

// usual are the faults of a history. A call takes about ten calls of the store.
var usual = shares{dies: 15, diesAfter: 15, busy: 60, lost: 40, lostAfter: 60}

func newMortal(name string, seed uint64, f *faults) *mortal {
	return &mortal{name: name, random: rand.New(rand.NewPCG(seed, 0)), faults: f}
}

func (m *mortal) upTo(n int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.random.IntN(n)
}

// chance is true in so many of a hundred.
func (m *mortal) chance(percent int) bool { return m.upTo(100) < percent }

func (m *mortal) dead() bool { return m.isDead.Load() }

func (m *mortal) kill() { m.isDead.Store(true) }

// enter is false for the dead.
func (m *mortal) enter() bool {
	m.using.RLock()
	if m.dead() {
		m.using.RUnlock()
		return false
	}
	return true
}

func (m *mortal) leave() { m.using.RUnlock() }

// still waits until nothing of the dead is on its way.
func (m *mortal) still() {
	m.using.Lock()
	defer m.using.Unlock()
}

var errLost = errors.New("the answer of the ledger was lost")

// reach makes a call of the store, or has something come in between.
func reach[T any](m *mortal, call func() (T, error)) (T, error) {
	var none T
	if !m.enter() {
		return none, errDead
	}
	defer m.leave()
	chance, f := m.upTo(10_000), m.faults.now()
	within := func(share int) bool {
		chance -= share
		return chance < 0
	}
	switch {
	case within(f.dies):
		m.kill()
		return none, errDead
	case within(f.busy):
		return none, fmt.Errorf("test: %w", ledger.ErrBusy)
	case within(f.lost):
		return none, errLost
	case within(f.diesAfter):
		defer m.kill()
		_, _ = call()
		return none, errDead
	case within(f.lostAfter):
		_, _ = call()
		return none, errLost
	}
	value, err := call()
	if m.dead() {
		return none, errDead
	}
	return value, err
}

// store is a ledger as a mortal has it.
type store struct {
	ledger.Store
	*mortal
	hold atomic.Pointer[hold]
}

func (s *store) write(call func() error) error {
	_, err := reach(s.mortal, func() (struct{}, error) { return struct{}{}, call() })
	return err
}

func (s *store) Insert(ctx context.Context, r ledger.Record, e ledger.Event, caps ...ledger.Cap) error {
	return s.write(func() error { return s.Store.Insert(ctx, r, e, caps...) })
}

func (s *store) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	write := func() error { return s.Store.Swap(ctx, r, notAfter, e, caps...) }
	if s.faults.lie != nil {
		return s.faults.lie(&r, write)
	}
	return s.write(write)
}

func (s *store) SwapInsert(ctx context.Context, old ledger.Record, e ledger.Event, fresh ledger.Record, first ledger.Event) error {
	return s.write(func() error { return s.Store.SwapInsert(ctx, old, e, fresh, first) })
}

func (s *store) Get(ctx context.Context, id string) (ledger.Record, ledger.Clock, error) {
	type got struct {
		r ledger.Record
		c ledger.Clock
	}
	g, err := reach(s.mortal, func() (g got, err error) {
		g.r, g.c, err = s.Store.Get(ctx, id)
		return g, err
	})
	return g.r, g.c, err
}

func (s *store) List(ctx context.Context, q ledger.Query) ([]ledger.Record, error) {
	return reach(s.mortal, func() ([]ledger.Record, error) { return s.Store.List(ctx, q) })
}

func (s *store) Count(ctx context.Context, q ledger.Query) (int, error) {
	return reach(s.mortal, func() (int, error) { return s.Store.Count(ctx, q) })
}

func (s *store) Prune(ctx context.Context, q ledger.Query, limit int) (int, error) {
	return reach(s.mortal, func() (int, error) { return s.Store.Prune(ctx, q, limit) })
}

func (s *store) Events(ctx context.Context, id string) ([]ledger.Event, error) {
	return reach(s.mortal, func() ([]ledger.Event, error) { return s.Store.Events(ctx, id) })
}

func (s *store) Now(ctx context.Context) (ledger.Clock, error) {
	return reach(s.mortal, func() (ledger.Clock, error) { return s.Store.Now(ctx) })
}

func (s *store) Holder(ctx context.Context, name string) (ledger.Liveness, error) {
	l, err := reach(s.mortal, func() (ledger.Liveness, error) { return s.Store.Holder(ctx, name) })
	if err != nil {
		s.blind.Add(1)
	}
	return l, err
}

func (s *store) SensitiveKey(ctx context.Context) ([]byte, error) {
	return reach(s.mortal, func() ([]byte, error) { return s.Store.SensitiveKey(ctx) })
}

func (s *store) Hold(ctx context.Context) (ledger.Hold, error) {
	h, err := reach(s.mortal, func() (*hold, error) {
		h, err := s.Store.Hold(ctx)
		if err != nil {
			return nil, err
		}
		mine := &hold{Hold: h, of: s.mortal}
		s.hold.Store(mine)
		return mine, nil
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// hold is released by its process, or with it.
type hold struct {
	ledger.Hold
	of *mortal
}

func (h *hold) Release() error {
	if h.of.dead() {
		return errDead
	}
	return h.Hold.Release()
}

// process is a server with a guard, as one that runs by itself has it: with a ledger of its own, opened over the file
// that all share.
type process struct {
	*mortal
	history *history
	target  *sql.DB
	ledger  *sqlite.Store
	store   *store
	guard   *runtime.Guard
	session *mcp.ClientSession
}

// openLedger opens the file that all share.
func openLedger(h *history) (*sqlite.Store, error) {
	return sqlite.Open(context.Background(), filepath.Join(h.directory, "ledger", "changes.db"),
		sqlite.WithClock(h.clock.read), sqlite.WithBusyTimeout(patience), sqlite.WithLogger(slog.New(slog.DiscardHandler)))
}

// startProcess starts a server. With an error it died on the way.
func startProcess(h *history, name string, seed uint64) (*process, error) {
	p := &process{mortal: newMortal(name, seed, h.faults), history: h, target: h.target}
	var err error
	if p.ledger, err = openLedger(h); err != nil {
		h.fault("open the ledger: %v", err)
		return nil, err
	}
	p.store = &store{Store: p.ledger, mortal: p.mortal}
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
		Store: p.store, WriteMode: runtime.Guarded, RequestPoll: requestPoll, ShutdownGrace: patience,
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
	if h := p.store.hold.Load(); h != nil {
		if err := h.Hold.Release(); err != nil {
			p.history.fault("release the hold of %s: %v", p.name, err)
		}
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
	if err := p.guard.Close(context.Background()); err != nil {
		p.history.fault("close %s: %v", p.name, err)
	}
	p.history.buried(p.name, p.history.now())
	p.leaveLedger()
}
