package stdio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/stdio"
)

// secret is what no answer may repeat.
const secret = "hunter2"

// limit is longer than what is read from a stream at once.
const limit = 5000

func options(maxLine int) stdio.Options {
	return stdio.Options{
		MaxLine: maxLine,
		Refuse: func(fault *exact.Error) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: fault.Error()}}}, nil
		},
		Hide: func(text string) string { return strings.ReplaceAll(text, secret, "(hidden)") },
	}
}

// answer is a line that a connection wrote by itself.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *jsonrpc.Error  `json:"error"`
}

// kept keeps what is written.
type kept struct{ bytes.Buffer }

func (*kept) Close() error { return nil }

// exchange reads a stream to its end, and returns what was passed on and what was answered.
func exchange(t *testing.T, stream string, maxLine int) (passed []jsonrpc.Message, answers []answer) {
	t.Helper()
	out := &kept{}
	c := stdio.Connect(io.NopCloser(strings.NewReader(stream)), out, options(maxLine))
	for {
		message, err := c.Read(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || message == nil {
			t.Fatalf("%v, %v", message, err)
		}
		passed = append(passed, message)
	}
	for line := range bytes.Lines(out.Bytes()) {
		var a answer
		if err := json.Unmarshal(line, &a); err != nil || (a.Error == nil) == (a.Result == nil) || a.ID == nil {
			t.Errorf("an answer: %q, %v", line, err)
		}
		answers = append(answers, a)
	}
	return passed, answers
}

func callLine(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestLineThatIsNoMessageIsAnsweredAndTheSessionGoesOn(t *testing.T) {
	t.Parallel()
	const parse, invalid = jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest
	for _, test := range []struct {
		name, line string
		code       int64
		id         string
		says       []string
	}{
		{"junk", `hello`, parse, `null`, []string{"not JSON", "byte 0"}},
		{"a byte order mark", "\ufeff" + callLine("1", "x", "{}"), parse, `null`, []string{"byte 0"}},
		{"UTF-16", "{\x00\"\x00", parse, `null`, []string{"byte 1"}},
		{"a request that is cut off", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x`, parse, `7`, []string{"/params/name"}},
		{"NaN outside of arguments", `{"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":[NaN]}}`, parse, `"a"`, []string{"NaN", "/params/x/0", "byte 57"}},
		{"an id of a request or of an answer", `{"jsonrpc":"2.0","id":1,"res`, parse, `null`, []string{"ends"}},
		{"an id after the fault", `{"jsonrpc":"2.0","method":"ping","params":NaN,"id":1}`, parse, `null`, []string{"NaN", "/params"}},
		{"an id that is not valid text", `{"jsonrpc":"2.0","id":"\ud800","method":NaN}`, parse, `null`, nil},
		{"two messages", `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, parse, `1`, []string{"one value", "byte 40"}},
		{"a zero in front", `{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":01}}`, parse, `3`, []string{"/params"}},
		{"brackets without end", strings.Repeat("[", 100_000), parse, `null`, []string{"nested too deeply"}},
		{"no method of a notification", `{"jsonrpc":"2.0","params":{}}`, invalid, `null`, []string{"neither a method nor an id"}},
		{"a long line that is no JSON", `{"jsonrpc":"2.0","id":8,"method":"ping","params":{"x":"` + strings.Repeat("x", 1<<20) + `","y":-Infinity}}`, parse, `8`, []string{"not JSON", "byte 10486"}},
		{"a secret in the wrong place", `{"jsonrpc":"2.0","id":9,"method":"ping","` + secret + `":1,"` + secret + `":NaN}`, parse, `9`, []string{"(hidden)"}},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, invalid, `null`, []string{"batch"}},
		{"an empty batch", ` []`, invalid, `null`, []string{"batch"}},
		{"no object", `1`, invalid, `null`, []string{"not an object"}},
		{"nothing", `null`, invalid, `null`, []string{"not an object"}},
		{"another version", `{"jsonrpc":"1.0","id":4,"method":"ping"}`, invalid, `4`, []string{"/jsonrpc"}},
		{"an id of another type", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, invalid, `null`, []string{"/id"}},
		{"an id beyond all numbers", `{"jsonrpc":"2.0","id":1e999,"method":"ping"}`, invalid, `1e999`, []string{"/id"}},
		{"a method of another type", `{"jsonrpc":"2.0","id":5,"method":1}`, invalid, `5`, []string{"/method"}},
		{"an error of another type", `{"jsonrpc":"2.0","error":1}`, invalid, `null`, []string{"neither a method nor an id"}},
		{"two tools", `{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"get_change_status","arguments":{},"n\u0061me":"apply_set_setting"}}`,
			invalid, `10`, []string{"/params/name", "more than once"}},
		{"two lists of arguments", `{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"x","arguments":{},"arguments":{}}}`,
			invalid, `10`, []string{"/params/arguments", "more than once"}},
		{"two methods", `{"jsonrpc":"2.0","method":"tools/list","id":10,"params":{},"method":"tools/call"}`, invalid, `10`, []string{"/method", "more than once"}},
		{"two ids", `{"jsonrpc":"2.0","id":10,"id":11,"method":"ping"}`, invalid, `null`, []string{"/id", "more than once"}},
		{"arguments in another case", `{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"x","Arguments":{"key":"theme"}}}`,
			invalid, `10`, []string{"/params/Arguments", `"arguments"`}},
		{"a tool named in another case", `{"jsonrpc":"2.0","id":10,"params":{"NAME":"y","name":"x","arguments":{}},"method":"tools/call"}`,
			invalid, `10`, []string{"/params/NAME", `"name"`}},
		{"a secret twice", `{"jsonrpc":"2.0","id":10,"method":"ping","` + secret + `":1,"` + secret + `":2}`, invalid, `10`, []string{"more than once"}},
		{"a long name twice", `{"jsonrpc":"2.0","id":10,"method":"ping","` + strings.Repeat("n", 30) + `":1,"` + strings.Repeat("n", 30) + `":2}`, invalid, `10`, []string{"(at /)"}},
		{"an id with a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, invalid, `1.5`, []string{"/id"}},
		{"an id beyond doubles", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, invalid, `9007199254740993`, []string{"/id"}},
		{"an id of half a character", `{"jsonrpc":"2.0","id":"a\ud800","method":"ping"}`, invalid, `null`, []string{"/id"}},
		{"an id of nothing", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, invalid, `null`, []string{"/id"}},
		{"too deep", `{"jsonrpc":"2.0","id":6,"method":"ping","params":` + nested(1000) + `}`, invalid, `6`, []string{"1000"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			passed, answers := exchange(t, test.line+"\n"+callLine(`"alive"`, "x", "{}")+"\n", mcp.DefaultMaxLineLength)
			if len(passed) != 1 || len(answers) != 1 {
				t.Fatalf("%d messages and %d answers: %+v", len(passed), len(answers), answers)
			}
			a := answers[0]
			if string(a.ID) != test.id || a.Error == nil || a.Error.Code != test.code {
				t.Fatalf("id %s, error %v, result %s", a.ID, a.Error, a.Result)
			}
			for _, want := range append(test.says, "Send one JSON-RPC 2.0 message a line") {
				if !strings.Contains(a.Error.Message, want) {
					t.Errorf("the message does not say %q: %s", want, a.Error.Message)
				}
			}
			if strings.Contains(a.Error.Message, secret) {
				t.Errorf("the message repeats what is hidden: %s", a.Error.Message)
			}
		})
	}
}

// What only the arguments keep from being a call is refused as the tool would.
func TestCallWithUnreadableArgumentsIsRefused(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		callLine("42", "x", `{"a":NaN}`),
		`{"method":"tools/call","params":{"arguments": {"a":NaN} ,"name":"x"},"jsonrpc":"2.0","id":42}`,
	} {
		passed, answers := exchange(t, line, limit)
		if len(passed) != 0 || len(answers) != 1 || string(answers[0].ID) != "42" || !bytes.Contains(answers[0].Result, []byte("/a")) {
			t.Errorf("%s: %d messages, answers %+v", line, len(passed), answers)
		}
	}
}

// What a tool can judge itself is passed on, as is what is no call.
func TestLinesThatAreMessagesArePassedOn(t *testing.T) {
	t.Parallel()
	lines := []string{
		callLine("1", "x", `{"a":1,"a":2}`), callLine("1", "x", `{"a":"\ud800"}`), callLine("1", "x", "{\"a\":\"\xff\"}"), callLine("1", "x", `{"a":1e999}`),
		callLine("1", "x", nested(900)), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
	}
	passed, answers := exchange(t, strings.Join(lines, "\n"), limit)
	if len(passed) != len(lines) || len(answers) != 0 {
		t.Errorf("%d of %d were passed on; answers: %+v", len(passed), len(lines), answers)
	}
}

// A request of the server does not wait for ever for an answer that came and could not be read.
func TestUnreadableAnswerIsPassedOnAsAFailure(t *testing.T) {
	t.Parallel()
	passed, answers := exchange(t, `{"jsonrpc":"2.0","id":5,"result":{"content":NaN}}`, limit)
	if len(passed) != 1 || len(answers) != 0 {
		t.Fatalf("%v, %v", passed, answers)
	}
	response, ok := passed[0].(*jsonrpc.Response)
	if !ok || response.ID.Raw() != int64(5) || response.Error == nil || !strings.Contains(response.Error.Error(), "/result/content") {
		t.Errorf("%+v", passed[0])
	}
}

func TestLineBeyondTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	line := callLine("11", "x", "{}")
	padded := func(length int) string { return line + strings.Repeat(" ", length-len(line)) + "\n" + line }
	if passed, answers := exchange(t, padded(limit), limit); len(passed) != 2 || len(answers) != 0 {
		t.Errorf("a line of %d bytes: %d messages, answers %+v", limit, len(passed), answers)
	}
	for _, length := range []int{limit + 1, 100 * limit} {
		passed, answers := exchange(t, padded(length), limit)
		if len(passed) != 1 || len(answers) != 1 {
			t.Fatalf("a line of %d bytes: %d messages, answers %+v", length, len(passed), answers)
		}
		a := answers[0]
		if string(a.ID) != "11" || a.Error == nil || a.Error.Code != jsonrpc.CodeInvalidRequest || !strings.Contains(a.Error.Message, "5000 bytes") {
			t.Errorf("a line of %d bytes: id %s, %v, %s", length, a.ID, a.Error, a.Result)
		}
	}
}

func TestLineMayEndAsOnWindowsAndBeBlank(t *testing.T) {
	t.Parallel()
	passed, answers := exchange(t, "\r\n\n \t\n"+callLine("1", "x", "{}")+"\r\n", limit)
	if len(passed) != 1 || len(answers) != 0 {
		t.Errorf("%v, %+v", passed, answers)
	}
}

// deaf is a writer whose other end is closed.
type deaf struct{ io.Closer }

func (deaf) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestNobodyWhoReadsIsTheEnd(t *testing.T) {
	t.Parallel()
	in, _ := io.Pipe()
	c := stdio.Connect(in, deaf{in}, options(limit))
	if err := c.Write(t.Context(), &jsonrpc.Response{Error: errors.New("x")}); !errors.Is(err, io.EOF) || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Write: %v", err)
	}
	c = stdio.Connect(io.NopCloser(strings.NewReader("junk\n")), deaf{in}, options(limit))
	if _, err := c.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("Read: %v", err)
	}
}

func TestReadEndsWithItsContextAndWithTheConnection(t *testing.T) {
	t.Parallel()
	in, _ := io.Pipe()
	c := stdio.Connect(in, &kept{}, options(limit))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Read(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled read: %v", err)
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if _, err := c.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after Close: %v", err)
	}
}

// Of every line exactly one thing comes: a message that the SDK takes, or an answer.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		callLine("1", "x", `{"a":NaN}`) + "\n" + callLine("2", "x", "{}"), "[]\n\n{}\r\nnull", "\ufeff{}", nested(1001), strings.Repeat("[", 10_001),
		`{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}`, `{"jsonrpc":"2.0","id":"\ud800","method":1}`, `{"jsonrpc":"2.0","id":1e999,"method":"x"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments"::{"a":"}\"`, "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\",\"method\":\"a\"}", strings.Repeat(" ", 5000),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		passed, answers := exchange(t, string(stream), limit)
		want := 0
		for line := range bytes.Lines(stream) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			if len(line) > limit || len(bytes.Trim(line, " \t\r")) > 0 {
				want++
			}
		}
		if got := len(passed) + len(answers); got != want {
			t.Errorf("%d lines gave %d messages and answers: %+v", want, got, answers)
		}
	})
}
