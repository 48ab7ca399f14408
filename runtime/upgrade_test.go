package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
)

// What a payload of an earlier version lacks, the running one promises to fill in; an undo would see the zero value.
func TestUndoRefusesAPayloadThatLacksADefault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.applied(t, "theme", "dark")
	w.spec.Schemas = []byte(strings.Replace(schemaFile, `"key": {`, `"mode": {"type": "string", "enum": ["soft", "hard"], "default": "hard"}, "key": {`, 1))
	w.restart(t)
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "operation_changed")
	if n := w.writes(t); n != 1 {
		t.Errorf("%d bodies ran", n)
	}
}

type (
	cardPayload struct {
		Name string `json:"name"`
	}
	card struct {
		Names []string `json:"names"`
	}
	// cardWithMode has a field that is always there.
	cardWithMode struct {
		Names []string `json:"names"`
		Mode  string   `json:"mode"`
	}
	cardPerhapsWithMode struct {
		Names []string `json:"names"`
		Mode  *string  `json:"mode,omitzero"`
	}
	nestedCard[C any] struct {
		Cards []C `json:"cards"`
	}
)

const (
	cardSchema       = `{"type": "object", "required": ["names"], "properties": {"names": {"type": "array"}, "mode": {"type": "string", "default": "hard"}}}`
	nestedCardSchema = `{"type": "object", "required": ["cards"], "properties": {"cards": {"type": "array", "items": ` + cardSchema + `}}}`
	cardSchemas      = `{"put_card.payload": {"type": "object", "properties": {"name": {"type": "string"}}}, "put_card.result": %s, "card.state": %s}`
)

// cardServer is one version of a server, which always sees the same state.
func cardServer[S, R any](t *testing.T, w *world, state S, stateSchema string, result R, resultSchema string) *client {
	t.Helper()
	guard, err := runtime.NewGuard(t.Context(), w.options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = guard.Close(context.Background()) })
	operation := &runtime.Operation[*cardPayload, *S, *R]{
		Meta:    runtime.Meta{Name: "put_card", Resource: "card", Digest: "sha256:1", UndoDigest: "sha256:1"},
		Observe: func(context.Context, *cardPayload) (*S, error) { return &state, nil },
		Apply:   func(context.Context, *runtime.Change[*cardPayload, *S]) (*R, error) { return &result, nil },
		Undo:    func(context.Context, *runtime.Applied[*cardPayload, *S, *R]) error { return nil },
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "cards", Version: "1"}, nil)
	spec := runtime.Spec{Server: "cards", Schemas: fmt.Appendf(nil, cardSchemas, resultSchema, stateSchema)}
	if err := guard.Register(server, spec, operation); err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(context.Background(), there, nil); err != nil {
		t.Fatal(err)
	}
	return connect(t, here)
}

// No default is filled into a state or a result, but the Go type of a member that has one is not optional.
func TestUndoRefusesWhatLacksAMemberThatItsGoTypeAlwaysHas(t *testing.T) {
	t.Parallel()
	plain := card{Names: []string{"a"}}
	for name, test := range map[string]struct {
		upgrade func(*testing.T, *world) *client
		refused bool
	}{
		"nothing new": {func(t *testing.T, w *world) *client {
			return cardServer(t, w, plain, cardSchema, nestedCard[card]{Cards: []card{plain}}, nestedCardSchema)
		}, false},
		"optional in both": {func(t *testing.T, w *world) *client {
			return cardServer(t, w, cardPerhapsWithMode{Names: plain.Names}, cardSchema, nestedCard[cardPerhapsWithMode]{}, nestedCardSchema)
		}, false},
		"always in the state": {func(t *testing.T, w *world) *client {
			return cardServer(t, w, cardWithMode{Names: plain.Names}, cardSchema, nestedCard[card]{}, nestedCardSchema)
		}, true},
		"always within the result": {func(t *testing.T, w *world) *client {
			return cardServer(t, w, plain, cardSchema, nestedCard[cardWithMode]{}, nestedCardSchema)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c := cardServer(t, w, plain, cardSchema, nestedCard[card]{Cards: []card{plain}}, nestedCardSchema)
			p := c.call(t, "preview_put_card", `{"name":"a"}`)
			a := c.call(t, "apply_put_card", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
			u := test.upgrade(t, w).call(t, "undo_put_card", map[string]string{"change_id": p.ChangeID, "undo_token": a.UndoToken})
			if test.refused {
				wantRefused(t, u, "operation_changed")
			} else if u.Status != "undone" {
				t.Errorf("undo: %s", u.raw)
			}
		})
	}
}
