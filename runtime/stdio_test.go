package runtime_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
)

// lineClient writes what no client of the SDK would.
type lineClient struct {
	in    *io.PipeWriter
	out   *io.PipeReader
	lines chan []byte // that came
	ended chan error  // of the server's Run
}

// message is any line of a server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *jsonrpc.Error  `json:"error"`
}

// talk opens a session with the server of a world.
func talk(t *testing.T, w *world, maxLine int) *lineClient {
	t.Helper()
	theirIn, in := io.Pipe()
	out, theirOut := io.Pipe()
	c := &lineClient{in: in, out: out, lines: make(chan []byte, 1), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		c.ended <- w.server.Run(ctx, &runtime.LineTransport{Reader: theirIn, Writer: theirOut, MaxLine: maxLine})
	}()
	go func() {
		defer close(c.lines)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			select {
			case c.lines <- line:
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		_ = in.Close()
		_ = out.Close()
	})
	c.send(t, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18",`+
		`"capabilities":{"elicitation":{}},"clientInfo":{"name":"lines","version":"1"}}}`)
	if m := c.receive(t); string(m.ID) != `"hello"` {
		t.Fatalf("initialize: %+v", m)
	}
	c.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *lineClient) send(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		t.Fatalf("send %.80q: %v", line, err)
	}
}

// receive gives the next line that has an id. Others are notifications, which come when they please.
func (c *lineClient) receive(t *testing.T) message {
	t.Helper()
	for {
		select {
		case line, ok := <-c.lines:
			var m message
			if !ok || json.Unmarshal(line, &m) != nil {
				t.Fatalf("came from the server: %.200q", line)
			}
			if m.ID != nil {
				return m
			}
		case <-time.After(patience):
			t.Fatal("the server does not answer")
		}
	}
}

// wantAlive makes a call that works.
func (c *lineClient) wantAlive(t *testing.T) {
	t.Helper()
	c.send(t, callLine(`"alive"`, "preview_set_setting", `{"key":"theme","value":"dark"}`))
	m := c.receive(t)
	if r, err := readReply(m.Result); err != nil || string(m.ID) != `"alive"` || r.Status != "preview" {
		t.Errorf("a call after that: id %s, %s, %v, %v", m.ID, m.Result, m.Error, err)
	}
}

func (c *lineClient) wantEnd(t *testing.T) error {
	t.Helper()
	select {
	case err := <-c.ended:
		return err
	case <-time.After(patience):
		t.Fatal("the session does not end")
		return nil
	}
}

func callLine(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestTokensInLinesThatAreNoMessageAreNotRepeated(t *testing.T) {
	t.Parallel()
	const token = "confirm_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":9,"method":"ping","` + token + `":1,"` + token + `":NaN}`,
		`{"jsonrpc":"2.0","id":9,"method":"ping","` + token + `":1,"` + token + `":2}`,
	} {
		c := talk(t, newWorld(t), 0)
		c.send(t, line)
		if m := c.receive(t); string(m.ID) != "9" || m.Error == nil || strings.Contains(m.Error.Message, token) {
			t.Errorf("%s: id %s, %v", line, m.ID, m.Error)
		}
		c.wantAlive(t)
	}
}

// What only the arguments keep from being a call is refused as the tool would, so that an agent reads it.
func TestArgumentsThatCannotBeReadAreRefusedToTheAgent(t *testing.T) {
	t.Parallel()
	const token = "confirm_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	for _, test := range []struct{ name, arguments, pointer, found, says string }{
		{"NaN", `{"key":"theme","value":NaN}`, "/value", "number that cannot be kept exactly", "NaN"},
		{"negative infinity", `{"key":"theme","value":[1,-Infinity]}`, "/value/1", "number that cannot be kept exactly", "byte 27"},
		{"a zero in front", `{"key":"theme","value":01}`, "", "not JSON", "byte 24"},
		{"brackets without measure", `{"value":` + nested(100_000) + `}`, "/value" + strings.Repeat("/0", 63), "nested too deeply", "64"},
		{"brackets within what is JSON", `{"value":` + nested(1500) + `}`, "/value" + strings.Repeat("/0", 63), "nested too deeply", "64"},
		{"a control character", "{\"value\":\"a\tb}],\\\"\"}", "/value", "not JSON", "byte 11"},
		{"a comma too many", `{"value":1,}`, "", "not JSON", "byte 10"},
		{"no value at all", ``, "", "not JSON", "byte 0"},
		{"a bare word", `dark`, "", "not JSON", "byte 0"},
		{"a token without quotes", `{"confirmation_token":` + token + `}`, "/confirmation_token", "not JSON", "byte 22"},
		{"an argument named like a token", `{"undo_token":NaN}`, "/undo_token", "number that cannot be kept exactly", "/undo_token"},
		{"a token for a name", `{"` + token + `":NaN}`, "/confirm_…", "number that cannot be kept exactly", "NaN"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := talk(t, newWorld(t), 0)
			for _, line := range []string{
				callLine("42", "preview_set_setting", test.arguments),
				`{"method":"tools/call","params":{"arguments": ` + test.arguments + ` ,"name":"preview_set_setting"},"jsonrpc":"2.0","id":42}`,
			} {
				c.send(t, line)
				m := c.receive(t)
				r, err := readReply(m.Result)
				if err != nil || string(m.ID) != "42" {
					t.Fatalf("id %s, error %v, result %s, %v", m.ID, m.Error, m.Result, err)
				}
				wantRefused(t, r, "invalid_arguments")
				if len(r.Violations) != 1 || r.Violations[0].Pointer != test.pointer || !strings.Contains(r.Violations[0].Found, test.found) ||
					!strings.Contains(r.Violations[0].Pointer+r.Violations[0].Found, test.says) {
					t.Errorf("violations: %+v", r.Violations)
				}
				if !strings.Contains(r.text, test.found) || !strings.Contains(r.text, r.Hint) || !bytes.Contains(m.Result, []byte(`"isError":true`)) {
					t.Errorf("the text half: %s", r.text)
				}
				if bytes.Contains(m.Result, []byte(token)) {
					t.Errorf("the answer has a token: %s", m.Result)
				}
			}
			c.wantAlive(t)
		})
	}
}

// The transport decides nothing that a tool can decide itself.
func TestArgumentsThatCanBeReadReachTheTool(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, arguments, pointer string }{
		{"a name twice", `{"key":"theme","key":"theme","value":"x"}`, "/key"},
		{"half of a surrogate pair", `{"key":"theme","value":"\ud800"}`, "/value"},
		{"bytes that are not UTF-8", "{\"key\":\"theme\",\"value\":\"\xff\"}", "/value"},
		{"an absurd number", `{"key":"theme","value":1e999}`, "/value"},
		{"depth that is JSON", `{"key":"theme","value":` + nested(500) + `}`, "/value" + strings.Repeat("/0", 63)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := talk(t, newWorld(t), 0)
			c.send(t, callLine("1", "preview_set_setting", test.arguments))
			r, err := readReply(c.receive(t).Result)
			if err != nil {
				t.Fatal(err)
			}
			wantRefused(t, r, "invalid_payload")
			if len(r.Violations) != 1 || r.Violations[0].Pointer != test.pointer {
				t.Errorf("violations: %+v", r.Violations)
			}
		})
	}
}

// A request of the server does not wait for ever for an answer that came and could not be read.
func TestAnswerThatCannotBeReadFailsItsRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.AddTool(&mcp.Tool{Name: "ask", Description: "asks", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			_, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Well?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)})
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(err)}}}, nil
		})
	c := talk(t, w, 0)
	c.send(t, callLine("1", "ask", "{}"))
	asked := c.receive(t)
	if asked.Method != "elicitation/create" {
		t.Fatalf("%+v", asked)
	}
	c.send(t, `{"jsonrpc":"2.0","id":`+string(asked.ID)+`,"result":{"content":NaN}}`)
	if m := c.receive(t); string(m.ID) != "1" || !bytes.Contains(m.Result, []byte("/result/content")) {
		t.Errorf("id %s, %s, %v", m.ID, m.Result, m.Error)
	}
	c.wantAlive(t)
}

func TestSessionEndsWithItsInput(t *testing.T) {
	t.Parallel()
	for _, last := range []string{"", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","id":1,"met`} {
		c := talk(t, newWorld(t), 0)
		if _, err := io.WriteString(c.in, last); err != nil {
			t.Fatal(err)
		}
		if err := c.in.Close(); err != nil {
			t.Fatal(err)
		}
		if err := c.wantEnd(t); err != nil {
			t.Errorf("after %q: %v", last, err)
		}
	}
}

func TestSessionEndsWhenNobodyReads(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"junk", callLine("1", "preview_set_setting", `{"key":"theme","value":"dark"}`)} {
		c := talk(t, newWorld(t), 0)
		if err := c.out.Close(); err != nil {
			t.Fatal(err)
		}
		c.send(t, line)
		if err := c.wantEnd(t); err != nil {
			t.Errorf("after %q: %v", line, err)
		}
	}
}

func TestSessionEndsWithItsContext(t *testing.T) {
	t.Parallel()
	in, _ := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	server := newWorld(t).server
	go func() {
		ended <- server.Run(ctx, &runtime.LineTransport{Reader: in, Writer: &kept{}})
	}()
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("the session does not end")
	}
}

// kept keeps what is written.
type kept struct{ bytes.Buffer }

func (*kept) Close() error { return nil }
