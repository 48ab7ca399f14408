package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// startRacer starts a server for the race.
func startRacer(t *testing.T, in shared) *process {
	t.Helper()
	return startServer(t, in.environment(raceIn)...)
}

// serveRace is the main of a server for the race.
func serveRace(ctx context.Context, in shared) error {
	store, err := in.open(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	guard, err := runtime.NewGuard(ctx, runtime.Options{
		Store: store, WriteMode: runtime.Guarded, Timeout: patience, ShutdownGrace: patience, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	files, err := openFiles(ctx, in)
	if err != nil {
		return err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "values", Version: "1"}, nil)
	if err := guard.Register(server, values, files.operation()); err != nil {
		return err
	}
	return errors.Join(server.Run(ctx, runtime.StdioTransport()), closeInTheEnd(ctx, guard), files.close())
}

var values = runtime.Spec{Server: "values", Title: "Values", Schemas: []byte(`{
  "set_value.payload": {
    "type": "object", "required": ["key", "value"],
    "properties": {"key": {"type": "string", "pattern": "^[-a-z0-9]+$"}, "value": {"type": "string"}}, "unevaluatedProperties": false
  },
  "value.state": {
    "type": "object", "required": ["value"], "properties": {"value": {"type": "string"}}, "unevaluatedProperties": false
  }
}`)}

type valueState struct {
	Value string `json:"value"`
}

// valueFiles are the target of the race: a file for each key, and one in which each body leaves a line.
type valueFiles struct {
	directory string
	bodies    *os.File
	ledger    ledger.Store // as another program has it
}

// bodiesFile is the file in which each body leaves a line.
const bodiesFile = "bodies"

func openFiles(ctx context.Context, in shared) (*valueFiles, error) {
	bodies, err := os.OpenFile(filepath.Join(in.directory, bodiesFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	store, err := in.open(ctx)
	return &valueFiles{directory: in.directory, bodies: bodies, ledger: store}, err
}

func (f *valueFiles) close() error { return errors.Join(f.ledger.Close(), f.bodies.Close()) }

type (
	valueChange    = runtime.Change[*setPayload, *valueState]
	valueOperation = runtime.Operation[*setPayload, *valueState, *runtime.None]
)

func (f *valueFiles) operation() *valueOperation {
	return &valueOperation{
		Meta: runtime.Meta{
			Name: "set_value", Title: "Change a value", Description: "Change one value.",
			Resource: "value", Digest: "sha256:digest", UndoDigest: "sha256:undo",
		},
		Observe: func(_ context.Context, p *setPayload) (*valueState, error) { return f.read(p.Key) },
		Summary: func(c *valueChange) string {
			return runtime.Textf("Set %v to %v", c.Payload.Key, c.Payload.Value)
		},
		Apply: runtime.NoResult(func(ctx context.Context, c *valueChange) error {
			return f.write(ctx, c.ChangeID, "apply", c.Payload.Key, c.Payload.Value)
		}),
		Undo: func(ctx context.Context, c *runtime.Applied[*setPayload, *valueState, *runtime.None]) error {
			return f.write(ctx, c.ChangeID, "undo", c.Payload.Key, c.Before.Value)
		},
	}
}

func (f *valueFiles) read(key string) (*valueState, error) {
	content, err := os.ReadFile(filepath.Join(f.directory, key))
	if errors.Is(err, os.ErrNotExist) {
		return &valueState{}, nil
	}
	return &valueState{Value: string(content)}, err
}

// write leaves a line that says which body ran, and whether its claim was not there before, or could not be seen, and changes
// a file in one step.
func (f *valueFiles) write(ctx context.Context, change, body, key, value string) error {
	switch err := f.claimed(ctx, change, body); {
	case errors.Is(err, errUnclaimed), errors.Is(err, ledger.ErrNotFound):
		body += fmt.Sprintf(" without a claim (%v)", err)
	case err != nil:
		body += " unseen"
	}
	if _, err := fmt.Fprintf(f.bodies, "%s %s\n", change, body); err != nil {
		return err
	}
	draft := filepath.Join(f.directory, key+".new")
	if err := os.WriteFile(draft, []byte(value), 0o600); err != nil {
		return err
	}
	return os.Rename(draft, filepath.Join(f.directory, key))
}

// claimed fails unless the ledger, as another program sees it, has the claim of the body.
func (f *valueFiles) claimed(ctx context.Context, change, body string) error {
	r, _, err := f.ledger.Get(ctx, change)
	if err != nil {
		return err
	}
	if want := map[string]ledger.Status{"apply": ledger.Applying, "undo": ledger.Undoing}[body]; r.Status != want || r.ClaimID == "" {
		return fmt.Errorf("%w: it is %s, by claim %q", errUnclaimed, r.Status, r.ClaimID)
	}
	return nil
}

var errUnclaimed = errors.New("not claimed")
