package histories_test

import (
	"context"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// newStore is a ledger as a mortal has it.
func newStore(below ledger.Store, m *mortal, t *tally) *faults.Store {
	return faults.New(below, func(c faults.Call) faults.Fault {
		return faults.Fault{Do: func(ctx context.Context, call func(context.Context) error) error {
			return m.reach(c, t, func() error { return call(ctx) })
		}}
	})
}

// reach makes a call of the ledger, unless it is dead.
func (m *mortal) reach(c faults.Call, t *tally, call func() error) error {
	if !m.enter() {
		return errDead
	}
	defer m.leave()
	switch c.Method {
	case faults.Release: // it is released by its process, or with it
		return call()
	case faults.Swap, faults.SwapInsert:
		call = tallied(c, t, call)
	}
	if lie := m.troubles.lie; lie != nil && c.Method == faults.Swap {
		return lie(c.Record, call)
	}
	err := m.meet(string(c.Method), t, call)
	if err != nil && c.Method == faults.Holder {
		m.blind.Add(1)
	}
	return err
}

// tallied counts what the ledger took, whether the answer is lost or not.
func tallied(c faults.Call, t *tally, write func() error) func() error {
	return func() error {
		err := write()
		if err == nil {
			t.wrote(c.Record, c.Event)
		}
		return err
	}
}

// meet makes a call, or has something come in between.
func (m *mortal) meet(method string, t *tally, call func() error) error {
	chance, f := m.upTo(10_000), m.troubles.now()
	within := func(share int) bool {
		chance -= share
		return chance < 0
	}
	switch {
	case within(f.dies):
		m.dies(method, t)
		return errDead
	case within(f.busy):
		return fmt.Errorf("test: %w", ledger.ErrBusy)
	case within(f.lost):
		m.misses()
		return errLost
	case within(f.diesAfter):
		defer m.dies(method, t)
		_ = call()
		return errDead
	case within(f.lostAfter):
		_ = call()
		m.misses()
		return errLost
	}
	err := call()
	if m.dead() {
		return errDead
	}
	return err
}

// misses is the time that it takes to notice that no answer comes, in which others go on, and may do the same.
func (m *mortal) misses() { time.Sleep(time.Duration(m.upTo(int(mostMissed)))) }

// dies kills it in a call.
func (m *mortal) dies(method string, t *tally) {
	t.died(method)
	m.kill()
}
