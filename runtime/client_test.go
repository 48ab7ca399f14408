package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
)

// patience bounds every call of a test. It is no expectation: a busy machine may stall for long.
const patience = 2 * time.Minute

// reply is one structured answer, read from the wire: the client of the SDK passes numbers through float64.
type reply struct {
	Status            string          `json:"status"`
	Code              string          `json:"code"`
	Message           string          `json:"message"`
	Hint              string          `json:"hint"`
	ChangeID          string          `json:"change_id"`
	ChangeStatus      string          `json:"change_status"`
	Operation         string          `json:"operation"`
	Summary           string          `json:"summary"`
	Diff              []rowReply      `json:"diff"`
	Overview          *overviewReply  `json:"overview"`
	Changed           []changeReply   `json:"changed"`
	Violations        []violation     `json:"violations"`
	Omitted           int             `json:"omitted"`
	ConfirmationToken string          `json:"confirmation_token"`
	UndoToken         string          `json:"undo_token"`
	ExpiresAt         string          `json:"expires_at"`
	UndoExpiresAt     string          `json:"undo_expires_at"`
	WritesEnabled     bool            `json:"writes_enabled"`
	Undo              undoReply       `json:"undo"`
	Loses             string          `json:"loses"`
	Result            json.RawMessage `json:"result"`
	ResultFlaw        string          `json:"result_flaw"`
	InDoubt           bool            `json:"in_doubt"`
	Retry             retryReply      `json:"retry"`
	RetryOf           string          `json:"retry_of"`
	RetryID           string          `json:"retry_id"`
	DoubtReason       string          `json:"doubt_reason"`
	Outcome           string          `json:"outcome"`
	NextStep          string          `json:"next_step"`

	PayloadHash        string         `json:"payload_hash"`
	ShownDigest        string         `json:"shown_digest"`
	Approval           string         `json:"approval"`
	Decision           string         `json:"decision"`
	UndoDecision       string         `json:"undo_decision"`
	Items              int64          `json:"items"`
	PreviouslyRejected *rejectedReply `json:"previously_rejected"`

	text     string // the other half
	raw      []byte // the whole structured half, canonical
	wireHalf []byte // the structured half as it came over the wire
}

type (
	rowReply struct {
		Field           string          `json:"field"`
		Before          json.RawMessage `json:"before"`
		After           json.RawMessage `json:"after"`
		Context         bool            `json:"context"`
		KnownAfterApply bool            `json:"known_after_apply"`
		Sensitive       string          `json:"sensitive"`
		Lines           []string        `json:"lines"`
		Cut             bool            `json:"cut"`
		DiffersAt       int             `json:"differs_at"`
	}
	overviewReply struct {
		Rows        int       `json:"rows"`
		Changes     int       `json:"changes"`
		LeftOut     int       `json:"left_out"`
		LargestRise *rowReply `json:"largest_rise"`
		LargestFall *rowReply `json:"largest_fall"`
		Whole       string    `json:"whole"`
	}
	changeReply struct {
		Field     string          `json:"field"`
		Was       json.RawMessage `json:"was"`
		Now       json.RawMessage `json:"now"`
		Sensitive bool            `json:"sensitive"`
		Cut       bool            `json:"cut"`
		DiffersAt int             `json:"differs_at"`
	}
	violation struct {
		Pointer  string `json:"pointer"`
		Expected string `json:"expected"`
		Found    string `json:"found"`
		Message  string `json:"message"`
	}
	retryReply struct {
		ChangeID          string `json:"change_id"`
		ConfirmationToken string `json:"confirmation_token"`
		ExpiresAt         string `json:"expires_at"`
	}
	rejectedReply struct {
		ChangeID string `json:"change_id"`
		Reason   string `json:"reason"`
	}
	undoReply struct {
		Possible bool   `json:"possible"`
		Kind     string `json:"kind"`
		Loses    string `json:"loses"`
		Approval string `json:"approval"`
	}
)

// client is a client of the SDK that keeps what came over the wire. It makes one call at a time.
type client struct {
	session *mcp.ClientSession
	wire    *wire
	outputs map[string]*payload.Schema
	calling sync.Mutex
}

// connect joins a client to whatever serves transport, and reads the tools.
func connect(t testing.TB, transport mcp.Transport) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := &client{wire: &wire{Transport: transport}, outputs: map[string]*payload.Schema{}}
	var err error
	c.session, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, c.wire, nil)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { _ = c.session.Close() })
	for _, tool := range c.tools(t) {
		raw, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatalf("output schema of %s: %v", tool.Name, err)
		}
		if c.outputs[tool.Name], err = compiled(tool.Name, raw); err != nil {
			t.Fatalf("output schema of %s: %v", tool.Name, err)
		}
	}
	return c
}

// outputs are the output schemas that were compiled, by their text. Most servers have the same.
var outputs sync.Map

func compiled(tool string, raw []byte) (*payload.Schema, error) {
	if known, ok := outputs.Load(string(raw)); ok {
		return known.(*payload.Schema), nil
	}
	s, err := payload.Compile(tool, raw, payload.Options{})
	if err == nil {
		outputs.Store(string(raw), s)
	}
	return s, err
}

func (c *client) tools(t testing.TB) []*mcp.Tool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	listed, err := c.session.ListTools(ctx, nil)
	if err != nil {
		t.Fatalf("list tools: %v", err)
	}
	return listed.Tools
}

// call calls a tool and checks what holds of every answer.
func (c *client) call(t testing.TB, tool string, arguments any) reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := c.try(ctx, tool, arguments)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	c.check(t, tool, r)
	return r
}

// try calls a tool with a context of the test's own.
func (c *client) try(ctx context.Context, tool string, arguments any) (reply, error) {
	c.calling.Lock()
	defer c.calling.Unlock()
	if s, ok := arguments.(string); ok {
		arguments = json.RawMessage(s)
	}
	if _, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments}); err != nil {
		return reply{}, err
	}
	return readReply(c.wire.last())
}

func readReply(result json.RawMessage) (reply, error) {
	var outer struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	if err := json.Unmarshal(result, &outer); err != nil {
		return reply{}, err
	}
	// The SDK writes some characters as escapes; in canonical form they are themselves again.
	canonical, err := exact.Canonical(outer.StructuredContent, exact.DefaultLimits)
	if err != nil {
		return reply{}, err
	}
	r := reply{raw: canonical, wireHalf: outer.StructuredContent}
	for _, content := range outer.Content {
		r.text += content.Text
	}
	return r, json.Unmarshal(canonical, &r)
}

// check makes sure that an answer fits the schema of its tool, and that the text half says what the structured one does.
func (c *client) check(t testing.TB, tool string, r reply) {
	t.Helper()
	if output := c.outputs[tool]; output != nil {
		if err := output.Validate(r.raw); err != nil {
			t.Errorf("the answer of %s does not fit its output schema: %v\n%s", tool, err, r.raw)
		}
	}
	said := []string{r.Code, r.Hint, r.ChangeID, r.ChangeStatus, r.ConfirmationToken, r.UndoToken, r.ExpiresAt, r.NextStep, string(r.Result), r.ResultFlaw,
		r.UndoExpiresAt, r.PayloadHash, r.ShownDigest, r.Approval, r.Decision, r.UndoDecision}
	if p := r.PreviouslyRejected; p != nil {
		said = append(said, p.ChangeID, p.Reason)
	}
	for _, row := range r.Diff {
		said = append(said, row.said()...)
	}
	if r.Overview != nil {
		said = append(said, r.Overview.Whole)
	}
	for _, d := range r.Changed {
		if said = append(said, d.Field); !d.Cut {
			said = append(said, string(d.Was), string(d.Now))
		}
	}
	for _, v := range r.Violations {
		said = append(said, v.Pointer, v.Expected, v.Found)
	}
	for _, s := range said {
		if !strings.Contains(r.text, s) && !strings.Contains(r.text, runtime.Visible(s)) { // most are visible already
			t.Errorf("the text half of %s does not say %q:\n%s", tool, s, r.text)
		}
	}
	if r.Status == "refused" && (r.Code == "" || r.Message == "" || r.Hint == "") {
		t.Errorf("incomplete refusal of %s: %s", tool, r.raw)
	}
}

// said is what the text half has to say of a row: people are shown lines instead of long texts, and of what is cut other
// words than programs.
func (r rowReply) said() []string {
	said := append([]string{r.Field, r.Sensitive}, r.Lines...)
	if r.Lines == nil && !r.Cut {
		said = append(said, string(r.Before), string(r.After))
	}
	return said
}

// readChange reads a change as a resource, for programs and for people.
func (c *client) readChange(t testing.TB, id string) (program, people string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	read, err := c.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "changeset://" + id})
	if err != nil {
		t.Fatalf("read %s: %v", id, err)
	}
	if len(read.Contents) != 2 || read.Contents[0].MIMEType != "application/json" || read.Contents[1].MIMEType != "text/plain" {
		t.Fatalf("%d contents", len(read.Contents))
	}
	return read.Contents[0].Text, read.Contents[1].Text
}

// wire is a transport that remembers the last result of a call.
type wire struct {
	mcp.Transport
	stream syncBuffer // everything that the server sent
	mu     sync.Mutex
	result json.RawMessage
}

func (w *wire) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := w.Transport.Connect(ctx)
	return &wireConnection{Connection: c, wire: w}, err
}

func (w *wire) last() json.RawMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.result
}

type wireConnection struct {
	mcp.Connection
	wire *wire
}

func (c *wireConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	switch m := m.(type) {
	case *jsonrpc.Response:
		_, _ = c.wire.stream.Write(m.Result)
	case *jsonrpc.Request:
		_, _ = c.wire.stream.Write(m.Params)
	}
	if response, ok := m.(*jsonrpc.Response); ok && err == nil {
		c.wire.mu.Lock()
		c.wire.result = bytes.Clone(response.Result)
		c.wire.mu.Unlock()
	}
	return m, err
}
