package runtime_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// A claim that waits for its turn at the ledger keeps nobody waiting who only looks, by the same session or another, and
// gets its turn.
func TestCallThatWaitsForTheLedgerHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	waiting := make(chan struct{})
	w, f := newFaultyWorld(t)
	p := w.preview(t, "theme", "dark")
	f.set(func(f *faulty) {
		f.swap = func(to ledger.Status, write func() error) error {
			if to == ledger.Applying {
				close(waiting)
			}
			return write()
		}
	})
	release := holdLedger(t, w)
	done := async(t.Context(), w.client, p)
	wait(t, waiting, "the claim")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	same, err := w.session.CallTool(ctx, &mcp.CallToolParams{Name: "get_change_status", Arguments: map[string]string{"change_id": p.ChangeID}})
	if err != nil || same.IsError {
		t.Errorf("by the same session, while the claim waits: %v, %+v", err, same)
	}
	other := w.connect(t)
	if s := other.call(t, "get_change_status", map[string]string{"change_id": p.ChangeID}); s.Status != "pending" {
		t.Errorf("while the claim waits: %s", s.raw)
	}
	if program, _ := other.readChange(t, p.ChangeID); program == "" {
		t.Error("the change cannot be read while a claim waits")
	}
	if r := w.record(t, p.ChangeID); r.Status != ledger.Pending || w.writes(t) != 0 {
		t.Errorf("%s, %d bodies ran before the claim", r.Status, w.writes(t))
	}
	release()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if r := w.record(t, p.ChangeID); r.Status != ledger.Applied || w.writes(t) != 1 {
		t.Errorf("%s, %d bodies ran", r.Status, w.writes(t))
	}
}

// holdLedger is another program that has the ledger to write to, until release is called.
func holdLedger(t *testing.T, w *world) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.directory, "ledger", "changes.db")+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		_ = db.Close()
	})
	if _, err := conn.ExecContext(t.Context(), `BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := conn.ExecContext(t.Context(), `ROLLBACK`); err != nil {
			t.Error(err)
		}
	}
}

// A caller who leaves while the claim is being written leaves no half of one: it is there, and its body runs; or it is not
// there, and nothing is spent.
func TestCallerThatLeavesDuringTheClaimLeavesNoHalfOfOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		write  func(write func() error, leave func()) error // leave returns when the caller is gone
		status ledger.Status
		bodies int
	}{
		"before it is written": {func(write func() error, leave func()) error {
			leave()
			return write()
		}, ledger.Pending, 0},
		"when it is written": {func(write func() error, leave func()) error {
			defer leave()
			return write()
		}, ledger.Applied, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claiming, left := make(chan struct{}), make(chan struct{})
			w, f := newFaultyWorld(t, func(w *world) {
				w.options.Interceptors = []runtime.Interceptor{func(ctx context.Context, s runtime.Step, next next) error {
					if s.Kind == runtime.StepApply {
						go func() {
							<-ctx.Done() // the server has seen that the caller is gone
							close(left)
						}()
					}
					next(ctx)
					return nil
				}}
			})
			p := w.preview(t, "theme", "dark")
			f.set(func(f *faulty) {
				f.swap = func(to ledger.Status, write func() error) error {
					if to != ledger.Applying {
						return write()
					}
					return test.write(write, func() {
						close(claiming)
						<-left
					})
				}
			})
			ctx, leave := context.WithCancel(t.Context())
			done := async(ctx, w.client, p)
			wait(t, claiming, "the claim")
			leave()
			<-done
			w.closes(t)
			if r := w.record(t, p.ChangeID); r.Status != test.status || w.writes(t) != test.bodies {
				t.Errorf("%s, %d bodies ran", r.Status, w.writes(t))
			}
		})
	}
}
