package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
)

// reportingWorld is a world whose hooks report how far they are.
func reportingWorld(t *testing.T) *world {
	return newWorld(t, func(w *world) {
		observe, apply, undo := w.operation.Observe, w.operation.Apply, w.operation.Undo
		w.operation.Prepare = func(ctx context.Context, p *setPayload) (*setPayload, error) {
			runtime.Progress(ctx, 1, 0, "preparing")
			return p, nil
		}
		w.operation.Observe = func(ctx context.Context, p *setPayload) (*settingState, error) {
			runtime.Progress(ctx, 2, 0, "looking\nat it\u202e")
			return observe(ctx, p)
		}
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			runtime.Progress(ctx, 3, 5, "writing")
			defer runtime.Progress(ctx, 5, 5, "written")
			return apply(ctx, c)
		}
		w.operation.Undo = func(ctx context.Context, c *setApplied) error {
			runtime.Progress(ctx, 7, 7, "undoing")
			return undo(ctx, c)
		}
	})
}

// progressLine is one line of a server: an answer, or a notification.
type progressLine struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		ProgressToken string  `json:"progressToken"`
		Progress      float64 `json:"progress"`
		Total         float64 `json:"total"`
		Message       string  `json:"message"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
}

// callFor calls a tool with a progress token, and gives what comes before the answer, and the answer.
func (c *lineClient) callFor(t *testing.T, tool string, arguments any, meta string) (before []progressLine, answer reply) {
	t.Helper()
	given, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	c.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{%s}}}`, tool, given, meta))
	for {
		select {
		case line, ok := <-c.lines:
			var m progressLine
			if !ok || json.Unmarshal(line, &m) != nil {
				t.Fatalf("came from the server: %.200q", line)
			}
			if m.ID == nil {
				before = append(before, m)
				continue
			}
			answer, err := readReply(m.Result)
			if err != nil {
				t.Fatal(err)
			}
			return before, answer
		case <-time.After(patience):
			t.Fatal("the server does not answer")
		}
	}
}

// last checks that notifications are of one call and grow, and gives the last of them.
func last(t *testing.T, lines []progressLine) string {
	t.Helper()
	if len(lines) == 0 {
		t.Fatal("there was no notification before the answer")
	}
	for i, m := range lines {
		if m.Method != "notifications/progress" || m.Params.ProgressToken != "mine" || i > 0 && m.Params.Progress <= lines[i-1].Params.Progress {
			t.Errorf("notification %d: %+v", i, m)
		}
	}
	p := lines[len(lines)-1].Params
	return fmt.Sprintf("%v of %v: %s", p.Progress, p.Total, p.Message)
}

// Over lines, where nothing can overtake anything: every notification comes before the answer, the last one too.
func TestProgressOfHooksReachesTheClientBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := reportingWorld(t)
		c := talk(t, w, 0)
		const wanted = `"progressToken":"mine"`
		told, p := c.callFor(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"}, wanted)
		if diff := cmp.Diff(`2 of 0: looking\nat it\u202e`, last(t, told)); diff != "" {
			t.Errorf("preview: %s", diff)
		}
		told, a := c.callFor(t, "apply_set_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}, wanted)
		if diff := cmp.Diff("5 of 5: written", last(t, told)); diff != "" {
			t.Errorf("apply: %s", diff)
		}
		told, u := c.callFor(t, "undo_set_setting", map[string]string{"change_id": a.ChangeID, "undo_token": a.UndoToken}, wanted)
		if diff := cmp.Diff("7 of 7: undoing", last(t, told)); diff != "" || u.Status != "undone" {
			t.Errorf("undo: %s%s", diff, u.raw)
		}
	})
}

func TestProgressIsSentToNobodyWhoDidNotAsk(t *testing.T) {
	t.Parallel()
	w := reportingWorld(t)
	c := talk(t, w, 0)
	told, p := c.callFor(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"}, "")
	if len(told) != 0 || p.Status != "preview" {
		t.Errorf("%+v, %s", told, p.raw)
	}
}

func TestProgressOutsideOfAHookDoesNothing(t *testing.T) {
	t.Parallel()
	runtime.Progress(t.Context(), 1, 2, "nobody listens")
}

// A body that was given up reports to nobody: its client has an answer.
func TestProgressAfterTheAnswerIsNotSent(t *testing.T) {
	t.Parallel()
	answered, reported := make(chan struct{}), make(chan struct{})
	w := newWorld(t, func(w *world) {
		w.operation.Timeout = shortTimeout
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			<-answered
			runtime.Progress(ctx, 1, 1, "too late")
			close(reported)
			return nil, runtime.NotApplied(io.EOF)
		}
	})
	c := talk(t, w, 0)
	_, p := c.callFor(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"}, "")
	_, a := c.callFor(t, "apply_set_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}, `"progressToken":"mine"`)
	wantRefused(t, a, "in_doubt")
	close(answered)
	wait(t, reported, "the late report")
	if told, s := c.callFor(t, "get_change_status", map[string]string{"change_id": p.ChangeID}, ""); len(told) != 0 {
		t.Errorf("came between the answers: %+v, %s", told, s.raw)
	}
}

func TestClientOfTheSDKGetsProgress(t *testing.T) {
	t.Parallel()
	for name, transports := range map[string]func() (here, there mcp.Transport){
		"in memory": func() (here, there mcp.Transport) { return mcp.NewInMemoryTransports() },
		"over lines": func() (here, there mcp.Transport) {
			theirIn, ourOut := io.Pipe()
			ourIn, theirOut := io.Pipe()
			return &mcp.IOTransport{Reader: ourIn, Writer: ourOut}, &runtime.LineTransport{Reader: theirIn, Writer: theirOut}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				w := reportingWorld(t)
				here, there := transports()
				if _, err := w.server.Connect(t.Context(), there, nil); err != nil {
					t.Fatal(err)
				}
				told := make(chan *mcp.ProgressNotificationParams, 10)
				session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
					ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { told <- req.Params },
				}).Connect(t.Context(), here, nil)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = session.Close() })
				p := w.preview(t, "theme", "dark")
				params := &mcp.CallToolParams{
					Name: "apply_set_setting", Arguments: map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken},
				}
				params.SetProgressToken("mine")
				if _, err := session.CallTool(t.Context(), params); err != nil {
					t.Fatal(err)
				}
				wantToldOf(t, told, 5)
			})
		})
	}
}

// wantToldOf waits for a notification of that much progress. A client takes notifications beside the answer.
func wantToldOf(t *testing.T, told <-chan *mcp.ProgressNotificationParams, done float64) {
	t.Helper()
	for {
		select {
		case got := <-told:
			if got.ProgressToken != "mine" {
				t.Fatalf("%+v", got)
			}
			if got.Progress == done {
				return
			}
		case <-time.After(patience):
			t.Fatal("the last notification did not come")
		}
	}
}

func ExampleProgress() {
	apply := func(ctx context.Context, rows []string) error {
		for i, row := range rows {
			runtime.Progress(ctx, float64(i), float64(len(rows)), runtime.Textf("importing %v", row))
		}
		return nil
	}
	fmt.Println(apply(context.Background(), []string{"a", "b"})) // nobody listens here
	// Output: <nil>
}
