package runtime_test

import (
	"context"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// A Register that the ledger keeps waiting holds up nobody else, and begins nothing once the guard is closed.
func TestRegisterThatWaitsForTheLedgerHoldsUpNobody(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		asked, release := make(chan struct{}), make(chan struct{})
		w, f := newFailingWorld(t)
		f.Set(func(c faults.Call) faults.Fault {
			if c.Query.Server != "other" || !slices.Contains(c.Query.Statuses, ledger.Applying) {
				return faults.Fault{}
			}
			return faults.Before("the ledger takes its time", func() {
				close(asked)
				<-release
			})
		})
		p := w.preview(t, "theme", "dark")
		registered := make(chan error, 1)
		spec, o := specOf(w, "other", "set_other", runtime.PerOperation)
		server := mcp.NewServer(&mcp.Implementation{Name: "other"}, nil)
		go func() { registered <- w.guard.Register(server, spec, o) }()
		wait(t, asked, "the question to the ledger")
		others := make(chan struct{})
		go func() {
			defer close(others)
			if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" {
				t.Errorf("an apply meanwhile: %s", a.raw)
			}
			_, _ = w.guard.Reconcile(context.Background(), p.ChangeID)
			if err := w.guard.Close(context.Background()); err != nil {
				t.Errorf("Close meanwhile: %v", err)
			}
		}()
		wait(t, others, "what others do meanwhile")
		close(release)
		if err := <-registered; err == nil {
			t.Error("a guard that is closed registered operations")
		}
		if tools := toolsOf(t, server); len(tools) != 0 {
			t.Errorf("a guard that is closed added the tools %v", tools)
		}
	})
}

func TestClosedGuardRegistersNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.closes(t)
	spec, o := specOf(w, "other", "set_other", runtime.PerOperation)
	server := mcp.NewServer(&mcp.Implementation{Name: "other"}, nil)
	if err := w.guard.Register(server, spec, o); err == nil {
		t.Error("it registered operations")
	}
	if tools := toolsOf(t, server); len(tools) != 0 {
		t.Errorf("it added the tools %v", tools)
	}
}

// toolsOf are the names of the tools that a server has.
func toolsOf(t *testing.T, server *mcp.Server) []string {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(context.Background(), there, nil); err != nil {
		t.Fatal(err)
	}
	return toolNames(connect(t, here).tools(t))
}
