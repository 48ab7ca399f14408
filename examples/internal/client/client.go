// Package client drives a guarded server over standard input and output, as the client of an agent does. The demo and
// the tests of the examples share it, so that what they see is what a real client sees.
package client

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// endPatience is how long a server may take to end once its standard input is closed, before it is made to. It is no
// expectation: the grace of a server is shorter, but a machine that is busy may stall for long.
const endPatience = time.Minute

// Server is a running server and the session with it. Calls may be made at the same time.
type Server struct {
	command *exec.Cmd
	session *mcp.ClientSession
	close   func() error // once; later calls have the first one's error
}

// Start runs command and opens a session with it. The caller closes or kills the Server. What the command writes to
// standard error goes where command.Stderr says.
func Start(ctx context.Context, command *exec.Cmd) (*Server, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command, TerminateDuration: endPatience}, nil)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", command.Path, err)
	}
	return &Server{command: command, session: session, close: sync.OnceValue(session.Close)}, nil
}

// Tools lists the names of the server's tools, sorted.
func (s *Server) Tools(ctx context.Context) ([]string, error) {
	var names []string
	for tool, err := range s.session.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list tools: %w", err)
		}
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names, nil
}

// Call calls a tool. A refusal is an Answer, not an error; an error means that there was no answer to read.
func (s *Server) Call(ctx context.Context, tool string, arguments any) (*Answer, error) {
	result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", tool, err)
	}
	answer, err := readAnswer(result)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", tool, err)
	}
	return answer, nil
}

// Close ends the session by closing the server's standard input, and waits until the server has ended. The error says
// how it ended, unless it ended well. It may be called again, and then says the same.
func (s *Server) Close() error { return s.close() }

// Wait waits until the server has ended by itself, and says as Close does how it ended.
func (s *Server) Wait() error {
	_ = s.session.Wait() // until nothing can be read any more; Close has the error
	return s.close()
}

// Signal sends the server a signal.
func (s *Server) Signal(signal os.Signal) error { return s.command.Process.Signal(signal) }

// Kill ends the server at once, as kill -9 does, and waits until it is gone.
func (s *Server) Kill() error {
	if err := s.command.Process.Kill(); err != nil {
		return fmt.Errorf("kill the server: %w", err)
	}
	// The session reports that its server was killed, which is what was asked for.
	_ = s.close()
	return nil
}

// Answer is what a tool of a guarded server returns: the fields of all its tools, empty where they do not apply.
type Answer struct {
	Text string `json:"-"` // the half of the result that is written for people

	Status            string          `json:"status"`
	Code              string          `json:"code"` // of a refusal, or of a change that failed
	ChangeID          string          `json:"change_id"`
	Diff              []Row           `json:"diff"`
	Undo              Undo            `json:"undo"` // of a preview
	ConfirmationToken string          `json:"confirmation_token"`
	UndoToken         string          `json:"undo_token"`
	Result            json.RawMessage `json:"result"`
	InDoubt           bool            `json:"in_doubt"`
	Changed           []Changed       `json:"changed"`
}

// Outcome is the code of a refusal, and the status of any other answer.
func (a *Answer) Outcome() string {
	if a.Status == "refused" {
		return a.Code
	}
	return a.Status
}

// Row is one row of a diff.
type Row struct {
	Field  string `json:"field"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// Undo is what a preview says of taking the change back.
type Undo struct {
	Possible bool   `json:"possible"`
	Kind     string `json:"kind"`
	Loses    string `json:"loses"`
}

// Changed is a field of the state that is not what was shown.
type Changed struct {
	Field string `json:"field"`
	Was   any    `json:"was"`
	Now   any    `json:"now"`
}

// readAnswer reads both halves of a result.
func readAnswer(result *mcp.CallToolResult) (*Answer, error) {
	structured, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return nil, fmt.Errorf("structured half: %w", err)
	}
	answer := new(Answer)
	if err := json.Unmarshal(structured, answer); err != nil {
		return nil, fmt.Errorf("structured half %s: %w", structured, err)
	}
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			answer.Text += text.Text
		}
	}
	return answer, nil
}
