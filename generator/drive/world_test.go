// Package drive_test drives generated packages as they are used: registered on a guard, over real tables, by a client
// of the SDK. It is apart from the tests of the generator, which must build while the goldens do not.
package drive_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience bounds a test's calls. It is no expectation: a busy machine may stall for long.
const patience = 2 * time.Minute

// world is a served package, its database, and a client.
type world struct {
	db     *sql.DB
	store  ledger.Store
	client *mcp.ClientSession
	wire   *wire
	log    *journal
}

// start serves what register adds, over a database made by script.
func start(t *testing.T, script string, register func(*mcp.Server, *runtime.Guard, *sql.DB) error) *world {
	t.Helper()
	db := openTables(t, filepath.Join(t.TempDir(), "target.db"), script)
	store := openLedger(t, filepath.Join(t.TempDir(), "ledger", "ledger.db"))
	return serve(t, db, store, register)
}

// openTables is a database at an address, with tables that a script makes.
func openTables(t *testing.T, address, script string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", address)
	check(t, "open the database", err)
	t.Cleanup(func() { _ = db.Close() })
	_, err = db.ExecContext(t.Context(), script)
	check(t, "make the tables", err)
	return db
}

func openLedger(t *testing.T, file string) ledger.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), file)
	check(t, "open the ledger", err)
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// serve serves what register adds to a guard of its own over a ledger.
func serve(t *testing.T, db *sql.DB, store ledger.Store, register func(*mcp.Server, *runtime.Guard, *sql.DB) error) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	log := &journal{}
	guard, err := runtime.NewGuard(ctx, runtime.Options{
		Store: store, WriteMode: runtime.Guarded, Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	check(t, "make the guard", err)
	t.Cleanup(func() { check(t, "close the guard", guard.Close(context.WithoutCancel(ctx))) })

	server := mcp.NewServer(&mcp.Implementation{Name: "drive", Version: "1"}, nil)
	check(t, "register", register(server, guard, db))
	w := &world{db: db, store: store, wire: &wire{}, log: log}
	var near mcp.Transport
	near, w.wire.Transport = mcp.NewInMemoryTransports()
	served, err := server.Connect(ctx, near, nil)
	check(t, "serve", err)
	t.Cleanup(func() { _ = served.Close() })
	w.client, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, w.wire, nil)
	check(t, "connect", err)
	t.Cleanup(func() { _ = w.client.Close() })
	return w
}

// call calls a tool and returns the structured half of the answer as it came over the wire.
func (w *world) call(t *testing.T, tool, arguments string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := w.client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	check(t, tool, err)
	var outer struct{ StructuredContent answer }
	check(t, tool, json.Unmarshal(w.wire.last(), &outer))
	return outer.StructuredContent
}

// apply applies what was previewed, and undo takes what was applied back.
func (w *world) apply(t *testing.T, operation string, previewed answer) answer {
	t.Helper()
	return w.call(t, "apply_"+operation, fmt.Sprintf(`{"change_id": %q, "confirmation_token": %q}`, previewed.ChangeID, previewed.ConfirmationToken))
}

func (w *world) undo(t *testing.T, operation string, applied answer) answer {
	t.Helper()
	return w.call(t, "undo_"+operation, fmt.Sprintf(`{"change_id": %q, "undo_token": %q}`, applied.ChangeID, applied.UndoToken))
}

// column reads one value as text.
func (w *world) column(t *testing.T, query string) string {
	t.Helper()
	var text string
	check(t, query, w.db.QueryRowContext(t.Context(), query).Scan(&text))
	return text
}

// answer is the structured half of an answer, with its values as they were written.
type answer struct {
	Status            string          `json:"status"`
	Code              string          `json:"code"`
	Message           string          `json:"message"`
	ChangeID          string          `json:"change_id"`
	Summary           string          `json:"summary"`
	Diff              []row           `json:"diff"`
	Changed           []row           `json:"changed"`
	Result            json.RawMessage `json:"result"`
	Approval          string          `json:"approval"`
	ConfirmationToken string          `json:"confirmation_token"`
	UndoToken         string          `json:"undo_token"`
	Retry             struct {
		ChangeID          string `json:"change_id"`
		ConfirmationToken string `json:"confirmation_token"`
	} `json:"retry"`
}

// row is a row of a diff, or a field that has changed. A member that is not there is "".
type row struct {
	Field  string
	Before string
	After  string
}

func (r *row) UnmarshalJSON(raw []byte) error {
	var members struct {
		Field         string          `json:"field"`
		Before, After json.RawMessage // with their digits
		Was, Now      json.RawMessage
	}
	err := json.Unmarshal(raw, &members)
	*r = row{members.Field, string(members.Before) + string(members.Was), string(members.After) + string(members.Now)}
	return err
}

// wire is a transport that remembers the last answer: the client of the SDK passes numbers through float64.
type wire struct {
	mcp.Transport
	mu     sync.Mutex
	result json.RawMessage
}

func (w *wire) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := w.Transport.Connect(ctx)
	return &tapped{Connection: c, wire: w}, err
}

func (w *wire) last() json.RawMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.result
}

// tapped is a connection that a wire listens to.
type tapped struct {
	mcp.Connection
	wire *wire
}

func (c *tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if response, ok := m.(*jsonrpc.Response); ok && err == nil {
		c.wire.mu.Lock()
		defer c.wire.mu.Unlock()
		c.wire.result = bytes.Clone(response.Result)
	}
	return m, err
}

// journal keeps what is logged.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(line)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func check(t *testing.T, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}
