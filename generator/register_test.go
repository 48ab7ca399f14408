package generator_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/generator"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/changesetgen/changesetgen/spec"
)

// raw stands for the types of payloads, states and results, which do not matter for a start.
type raw = *json.RawMessage

// registerAll registers operations on a guard as a server does when it starts, which compiles every schema that is
// handed out.
func registerAll(ctx context.Context, store ledger.Store, s *spec.Spec, schemas []byte) (err error) {
	guard, err := runtime.NewGuard(ctx, runtime.Options{Store: store, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, guard.Close(ctx)) }()
	var ops []runtime.AnyOperation
	for _, op := range s.Operations {
		ops = append(ops, unwritten(op))
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "start", Version: "1"}, nil)
	tools := runtime.PerOperation
	if s.Tools == spec.SharedTools {
		tools = runtime.SharedTools
	}
	return guard.Register(server, runtime.Spec{Server: s.Server.Name, Title: s.Server.Title, Tools: tools, Prefix: s.Prefix, Schemas: schemas}, ops...)
}

var errUnwritten = errors.New("a body that is never run")

// unwritten is an operation whose hooks are there and do nothing.
func unwritten(op *spec.Operation) runtime.AnyOperation {
	o := &runtime.Operation[raw, raw, raw]{
		Meta: runtime.Meta{
			Name: op.Name, Resource: op.Resource.Name, Digest: op.Digest, UndoDigest: op.UndoDigest,
			Aliases: op.Aliases, ToolNames: runtime.ToolNames(op.ToolNames),
			Limits: runtime.Limits{Changes: op.Limits.Changes, Per: op.Limits.Per, OfAll: op.Limits.OfAll, MaxItems: op.Limits.MaxItems},
		},
		Summary: func(*runtime.Change[raw, raw]) string { return "" },
		Diff:    func(*runtime.Change[raw, raw]) []runtime.Row { return nil },
		Apply:   func(context.Context, *runtime.Change[raw, raw]) (raw, error) { return nil, errUnwritten },
	}
	if op.Undo != spec.BodyNone {
		o.Undo = func(context.Context, *runtime.Applied[raw, raw, raw]) error { return errUnwritten }
	}
	if op.Resource.State != nil {
		o.Observe = func(context.Context, raw) (raw, error) { return nil, errUnwritten }
	}
	return o
}

// openLedger opens a ledger that lasts as long as the test.
func openLedger(t testing.TB) ledger.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "ledger", "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func TestServersStartWithWhatIsGenerated(t *testing.T) {
	t.Parallel()
	store := openLedger(t)
	for _, g := range goldens(t) {
		src, err := os.ReadFile(g.spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := startWith(t.Context(), store, string(src)); err != nil {
			t.Errorf("%s: %v", g.name, err)
		}
	}
}

// FuzzServersStartWithAcceptedSpecs looks for a spec that is accepted, and with whose schemas no server starts.
func FuzzServersStartWithAcceptedSpecs(f *testing.F) {
	addGoldens(f)
	store := openLedger(f)
	f.Fuzz(func(t *testing.T, src string) {
		if accepted, err := startWith(t.Context(), store, src); accepted && err != nil {
			t.Error(err)
		}
	})
}

// startWith generates from a spec and registers what comes out, if the spec is accepted.
func startWith(ctx context.Context, store ledger.Store, src string) (accepted bool, err error) {
	s, faults := spec.Read("spec.changeset.yaml", []byte(src))
	if len(faults) > 0 {
		return false, errors.New(faults[0].String())
	}
	files, err := generator.Generate(s)
	if err != nil {
		return true, err
	}
	return true, registerAll(ctx, store, s, files[s.Stem+".changeset.json"])
}
