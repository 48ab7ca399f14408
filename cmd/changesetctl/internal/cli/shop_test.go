package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// The operations of the tests set a price, which a map keeps. set_price is carried out by whoever has the token,
// set_rule needs a person's yes, to its undo as well.
type (
	pricePayload struct {
		Item  string `json:"item"`
		Price string `json:"price"`
	}
	priceState struct {
		Price string `json:"price"`
	}
	priceChange  = runtime.Change[*pricePayload, *priceState]
	priceApplied = runtime.Applied[*pricePayload, *priceState, *runtime.None]
)

// The prices that make trouble.
const (
	doubtfulApply = "doubtful"      // applied, and then nobody knows
	doubtfulUndo  = "doubtful undo" // so is its undo
	failingApply  = "failing"       // an error that repeats the item
)

const shopSchemas = `{
  "set_price.payload": {
    "type": "object", "required": ["item", "price"], "additionalProperties": false,
    "properties": {"item": {"type": "string"}, "price": {"type": "string"}}
  },
  "set_rule.payload": {
    "type": "object", "required": ["item", "price"], "additionalProperties": false,
    "properties": {"item": {"type": "string"}, "price": {"type": "string"}}
  },
  "price.state": {
    "type": "object", "required": ["price"], "additionalProperties": false, "properties": {"price": {"type": "string"}}
  }
}`

// shop is a guarded server with its agent, over a ledger that others have open too.
type shop struct {
	mu     sync.Mutex
	prices map[string]string

	address string // of the ledger
	store   ledger.Store
	guard   *runtime.Guard
	client  *mcp.ClientSession
	tokens  map[string]string // the latest of each change, by purpose and id
}

// openShop starts a server whose clock is behind by so much, and an agent.
func openShop(ctx context.Context, address string, behind time.Duration) (_ *shop, err error) {
	s := &shop{address: address, prices: map[string]string{"tea": "2", "milk": "1", evil: "1"}, tokens: map[string]string{}}
	if s.store, err = openStore(ctx, address, behind); err != nil {
		return nil, err
	}
	if s.guard, err = runtime.NewGuard(ctx, runtime.Options{
		Store: s.store, WriteMode: runtime.Guarded, Logger: quiet, RequestPoll: requestPoll,
	}); err != nil {
		return nil, err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	spec := runtime.Spec{Server: "shop", Schemas: []byte(shopSchemas)}
	if err := s.guard.Register(server, spec, s.operation("set_price", runtime.ByToken), s.operation("set_rule", runtime.ByOperator)); err != nil {
		return nil, err
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, there, nil); err != nil {
		return nil, err
	}
	s.client, err = mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, here, nil)
	return s, err
}

// patience bounds what a test waits for. It is no expectation: a busy machine may stall for long.
const patience = 5 * time.Minute

// requestPoll is how often the server looks for undos that operators requested.
const requestPoll = 20 * time.Millisecond

var quiet = slog.New(slog.DiscardHandler)

func (s *shop) close() error {
	return errors.Join(s.client.Close(), s.guard.Close(context.Background()), s.store.Close())
}

func (s *shop) operation(name string, approval runtime.Approval) *runtime.Operation[*pricePayload, *priceState, *runtime.None] {
	return &runtime.Operation[*pricePayload, *priceState, *runtime.None]{
		Meta: runtime.Meta{
			Name: name, Resource: "price", Digest: "sha256:" + name, UndoDigest: "sha256:" + name,
			Approval: approval, UndoApproval: approval,
		},
		Observe: func(_ context.Context, p *pricePayload) (*priceState, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			price, ok := s.prices[p.Item]
			if !ok {
				return nil, nil
			}
			return &priceState{price}, nil
		},
		Summary: func(c *priceChange) string { return runtime.Textf("Set %v to %v", c.Payload.Item, c.Payload.Price) },
		Diff: func(c *priceChange) []runtime.Row {
			return []runtime.Row{{Label: c.Payload.Item, Before: c.State.Price, After: c.Payload.Price}}
		},
		Apply: runtime.NoResult(func(_ context.Context, c *priceChange) error {
			if c.Payload.Price == failingApply {
				return errors.New(c.Payload.Item)
			}
			s.set(c.Payload.Item, c.Payload.Price)
			if c.Payload.Price == doubtfulApply {
				return runtime.InDoubt(errors.New("the answer was cut short"))
			}
			return nil
		}),
		Undo: func(_ context.Context, c *priceApplied) error {
			s.set(c.Payload.Item, c.Before.Price)
			if c.Payload.Price == doubtfulUndo {
				return runtime.InDoubt(errors.New("the answer was cut short"))
			}
			return nil
		},
	}
}

func (s *shop) set(item, price string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prices[item] = price
}

func (s *shop) price(item string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prices[item]
}

// reply is what a tool answered.
type reply struct {
	Status            string `json:"status"`
	Code              string `json:"code"`
	Message           string `json:"message"`
	ChangeID          string `json:"change_id"`
	ConfirmationToken string `json:"confirmation_token"`
	UndoToken         string `json:"undo_token"`
}

// said is what became of the call, in a word.
func (r reply) said() string {
	if r.Code != "" {
		return r.Code
	}
	return r.Status
}

// call calls a tool and keeps the tokens that it gives.
func (s *shop) call(ctx context.Context, tool string, arguments map[string]string) (r reply, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	result, err := s.client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return r, err
	}
	raw, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fmt.Errorf("%s: %w", raw, err)
	}
	if r.ConfirmationToken != "" {
		s.tokens["apply "+r.ChangeID] = r.ConfirmationToken
	}
	if r.UndoToken != "" {
		s.tokens["undo "+r.ChangeID] = r.UndoToken
	}
	return r, nil
}

func (s *shop) preview(ctx context.Context, operation, item, price string) (reply, error) {
	return s.call(ctx, "preview_"+operation, map[string]string{"item": item, "price": price})
}

func (s *shop) apply(ctx context.Context, operation, id string) (reply, error) {
	return s.call(ctx, "apply_"+operation, map[string]string{"change_id": id, "confirmation_token": s.tokens["apply "+id]})
}

func (s *shop) undo(ctx context.Context, operation, id string) (reply, error) {
	return s.call(ctx, "undo_"+operation, map[string]string{"change_id": id, "undo_token": s.tokens["undo "+id]})
}

// untilLater waits until the ledger's clock is past its latest event: a prune spares what moved in the millisecond that it
// begins in.
func (s *shop) untilLater(ctx context.Context) error {
	for {
		at, err := s.store.Now(ctx)
		if err != nil || at.Now.After(at.Newest) {
			return err
		}
	}
}

// insertExpired puts changes into the ledger that expired two days ago.
func insertExpired(t *testing.T, s *shop, n int) {
	t.Helper()
	old := time.Now().Add(-48 * time.Hour)
	behind, err := sqlite.Open(t.Context(), s.address, sqlite.WithClock(func() time.Time { return old }), sqlite.WithLogger(quiet))
	if err != nil {
		t.Fatal(err)
	}
	defer behind.Close()
	for i := range n {
		if err := behind.Insert(t.Context(), expired(i, old), ledger.Event{Actor: "agent", To: ledger.Expired}); err != nil {
			t.Fatal(err)
		}
	}
}

// expired is a change that expired a minute after that time, one for each number.
func expired(n int, at time.Time) ledger.Record {
	return ledger.Record{
		Fixed: ledger.Fixed{
			ID: fmt.Sprintf("chg_%020d", n), Server: "shop", Operation: "set_price", CreatedAt: at,
			Payload: []byte(`{}`), Shown: []byte(`{"rows":[],"summary":"Set a price"}`),
		},
		Mutable: ledger.Mutable{Status: ledger.Expired, ExpiresAt: at.Add(time.Minute)},
	}
}

// opened is a shop whose ledger is a file, and the environment of a command that works on it.
func opened(t *testing.T) (*shop, []string) {
	t.Helper()
	s := openedAt(t, ledgerIn(t.TempDir()), 0)
	return s, []string{"CHANGESET_LEDGER=" + s.address, "NO_COLOR=", "TERM=xterm"}
}

// openedAt is a shop until the test ends.
func openedAt(t *testing.T, address string, behind time.Duration) *shop {
	t.Helper()
	s, err := openShop(context.Background(), address, behind)
	if err != nil {
		t.Fatalf("open the shop: %v", err)
	}
	t.Cleanup(func() { _ = s.close() })
	return s
}

// proposed previews a change.
func proposed(t *testing.T, s *shop, operation, item, price string) string {
	t.Helper()
	r, err := s.preview(t.Context(), operation, item, price)
	if err != nil || r.Status != "preview" {
		t.Fatalf("preview: %v, %+v", err, r)
	}
	return r.ChangeID
}
