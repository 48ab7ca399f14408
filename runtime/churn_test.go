package runtime_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
)

// A deployment has one field that people decide on, and others that change by themselves all the time.
type (
	scalePayload struct {
		Replicas int64 `json:"replicas"`
	}
	deploymentState struct {
		Spec            deploymentSpec   `json:"spec"`
		Status          deploymentStatus `json:"status"`
		ResourceVersion string           `json:"resourceVersion"`
	}
	deploymentSpec struct {
		Replicas int64 `json:"replicas"`
	}
	deploymentStatus struct {
		AvailableReplicas int64 `json:"availableReplicas"`
	}
	scaleOperation = runtime.Operation[*scalePayload, *deploymentState, *runtime.None]
)

var deployments = runtime.Spec{Server: "deployments", Schemas: []byte(`{
  "scale.payload": {"type": "object", "required": ["replicas"], "properties": {"replicas": {"type": "integer"}}, "unevaluatedProperties": false},
  "deployment.state": {
    "type": "object", "required": ["spec", "status", "resourceVersion"], "unevaluatedProperties": false,
    "properties": {
      "spec": {"type": "object", "required": ["replicas"], "properties": {"replicas": {"type": "integer"}}},
      "status": {"type": "object", "required": ["availableReplicas"], "properties": {"availableReplicas": {"type": "integer"}}},
      "resourceVersion": {"type": "string"}
    }
  }
}`)}

// deployment is a target that its server and a controller write to.
type deployment struct {
	mu     sync.Mutex
	state  deploymentState
	writes int
}

func (d *deployment) change(edit func(*deploymentState)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	edit(&d.state)
}

func (d *deployment) scale(replicas int64) error {
	d.change(func(s *deploymentState) {
		s.Spec.Replicas = replicas
		d.writes++
	})
	return nil
}

// operation binds the number of replicas, and nothing else.
func (d *deployment) operation() *scaleOperation {
	return &scaleOperation{
		Meta: runtime.Meta{
			Name: "scale", Title: "Scale", Resource: "deployment", Digest: "sha256:digest", UndoDigest: "sha256:undo",
			Bind: []string{"spec.replicas"}, Volatile: []string{"resourceVersion"},
		},
		Observe: func(context.Context, *scalePayload) (*deploymentState, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			now := d.state
			return &now, nil
		},
		Diff: func(c *runtime.Change[*scalePayload, *deploymentState]) []runtime.Row {
			return []runtime.Row{{Label: "replicas", Before: c.State.Spec.Replicas, After: c.Payload.Replicas}}
		},
		Apply: runtime.NoResult(func(_ context.Context, c *runtime.Change[*scalePayload, *deploymentState]) error {
			return d.scale(c.Payload.Replicas)
		}),
		Undo: func(_ context.Context, c *runtime.Applied[*scalePayload, *deploymentState, *runtime.None]) error {
			return d.scale(c.Before.Spec.Replicas)
		},
	}
}

// What changes by itself is no conflict, at apply or at undo; what is bound is, whoever changes it.
func TestDriftIsJudgedOnWhatIsBound(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		drift    func(*deploymentState)
		conflict bool
	}{
		"churn": {func(s *deploymentState) { s.ResourceVersion += "1"; s.Status.AvailableReplicas++ }, false},
		"bound": {func(s *deploymentState) { s.Spec.Replicas += 5 }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &deployment{state: deploymentState{Spec: deploymentSpec{Replicas: 2}, ResourceVersion: "1"}}
			c := serveDeployment(t, d)
			drifts := func(tool string, arguments map[string]string, want string) reply {
				d.change(test.drift)
				r := c.call(t, tool, arguments)
				if test.conflict {
					wantRefused(t, r, "state_changed")
					if len(r.Changed) != 1 || r.Changed[0].Field != "/spec/replicas" {
						t.Errorf("%s", r.raw)
					}
				} else if r.Status != want {
					t.Errorf("%s", r.raw)
				}
				return r
			}
			p := c.call(t, "preview_scale", map[string]int{"replicas": 3})
			a := drifts("apply_scale", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}, "applied")
			if test.conflict { // an apply that is refused leaves nothing to undo
				p = c.call(t, "preview_scale", map[string]int{"replicas": 3})
				a = c.call(t, "apply_scale", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
			}
			drifts("undo_scale", map[string]string{"change_id": a.ChangeID, "undo_token": a.UndoToken}, "undone")
			want := map[bool]int{false: 2, true: 1}[test.conflict]
			if d.writes != want {
				t.Errorf("%d bodies ran, want %d", d.writes, want)
			}
		})
	}
}

func serveDeployment(t *testing.T, d *deployment) *client {
	t.Helper()
	guard, err := runtime.NewGuard(t.Context(), runtime.Options{
		Store: openLedger(t, t.TempDir(), &fakeClock{}), WriteMode: runtime.Guarded, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = guard.Close(context.Background()) })
	server := mcp.NewServer(&mcp.Implementation{Name: "deployments", Version: "1"}, nil)
	if err := guard.Register(server, deployments, d.operation()); err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(context.Background(), there, nil); err != nil {
		t.Fatal(err)
	}
	return connect(t, here)
}
