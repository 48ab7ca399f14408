package runtime_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// An outage is told by its first line and its last, whatever the ledger fails with meanwhile and was asked first, and in words:
// an error of several lines is one line of the log.
func TestLogTellsAnOutageOnceAndItsEnd(t *testing.T) {
	t.Parallel()
	for name, begins := range map[string]func(faults.Call) bool{
		"from any call on":                  func(faults.Call) bool { return true },
		"from a look for joined changes on": asksForJoined,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testOutage(t, begins)
		})
	}
}

// asksForJoined tells of the question that a guard asks least often.
func asksForJoined(c faults.Call) bool { return c.Method == faults.List && c.Query.Joined }

func testOutage(t *testing.T, begins func(faults.Call) bool) {
	var f *faults.Store
	var failed atomic.Int32
	looked := make(bell, 1)
	w := newWorld(t, polling, func(w *world) {
		f = faults.New(w.store, nil)
		w.options.Store = f
	})
	f.Set(func(c faults.Call) faults.Fault {
		if failed.Load() == 0 && !begins(c) {
			return faults.Fault{}
		}
		n := failed.Add(1)
		looked.ring()
		return faults.Refuse(errors.Join(fmt.Errorf("cannot connect to `db`:\n\t127.0.0.1: refused %d", n), ledger.ErrUnavailable))
	})
	looked.wait(t, func() bool { return failed.Load() > 5 })
	w.recovers(t, f, looked)
	w.wantLogged(t, map[string]int{
		"level=ERROR": 1, "the ledger does not answer": 1, "the ledger answers again": 1, "which undos operators": 0,
		"cannot connect to `db`: 127.0.0.1: refused": 1, `\n`: 0, `\t`: 0,
	})
}

// recovers has nothing fail any more, and ends when that was noticed for sure: the guard has looked for joined changes again and
// again, and is closed.
func (w *world) recovers(t *testing.T, f interface{ Set(faults.Plan) }, happened bell) {
	t.Helper()
	var looks atomic.Int32
	f.Set(func(c faults.Call) faults.Fault {
		if asksForJoined(c) {
			looks.Add(1)
			happened.ring()
		}
		return faults.Fault{}
	})
	happened.wait(t, func() bool { return looks.Load() > 2 })
	w.closes(t)
}

// wantLogged checks how many times the log has each text.
func (w *world) wantLogged(t *testing.T, texts map[string]int) {
	t.Helper()
	log := w.log.String()
	for text, want := range texts {
		if n := strings.Count(log, text); n != want {
			t.Errorf("the log has %q %d times, want %d:\n%s", text, n, want, log)
		}
	}
}
