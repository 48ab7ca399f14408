package field_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"testing"
)

// inFlight is how many calls a client has open at once.
const inFlight = 64

// client speaks to a server as the bytes stand on the wire, because the client of the SDK takes numbers through float64.
type client struct {
	in     io.Writer
	out    *bufio.Reader
	lastID int
}

// preview is one call of a preview tool.
type preview struct {
	tool      string
	arguments []byte
}

// answer is what is read of the answer to a preview.
type answer struct {
	Status     string
	Code       string
	Message    string
	Violations []struct{ Pointer, Message string }
	Diff       []struct{ After json.RawMessage } // the payload, decoded and encoded again
}

// serve builds the server of a module and connects to it.
func (m *module) serve(t *testing.T) *client {
	t.Helper()
	server := exec.Command(m.build(t), filepath.Join(t.TempDir(), "ledger", "ledger.db"))
	in, err := server.StdinPipe()
	check(t, "open its input", err)
	out, err := server.StdoutPipe()
	check(t, "open its output", err)
	log := new(bytes.Buffer)
	server.Stderr = log
	check(t, "start the server", server.Start())
	t.Cleanup(func() {
		_ = in.Close()
		if err := server.Wait(); err != nil {
			t.Errorf("the server: %v\n%s", err, log)
		}
	})
	c := &client{in: in, out: bufio.NewReader(out)}
	c.send(t, "initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "field", "version": "1"},
	})
	c.receive(t, nil)
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	check(t, "initialize", err)
	return c
}

// preview calls preview tools and returns their answers, in the order of the calls. A call for which a busy machine has
// no turn at the ledger is made again, as the answer says.
func (c *client) preview(t *testing.T, calls []preview) []answer {
	t.Helper()
	answers := make([]answer, len(calls))
	waiting := make([]int, len(calls))
	for i := range waiting {
		waiting[i] = i
	}
	open := map[int]int{} // calls by the id of their request
	for len(waiting) > 0 || len(open) > 0 {
		if len(waiting) > 0 && len(open) < inFlight {
			call := calls[waiting[0]]
			id := c.send(t, "tools/call", map[string]any{"name": call.tool, "arguments": json.RawMessage(call.arguments)})
			open[id], waiting = waiting[0], waiting[1:]
			continue
		}
		var result struct{ StructuredContent answer }
		id := c.receive(t, &result)
		if result.StructuredContent.Code == "ledger_busy" {
			waiting = append(waiting, open[id])
		} else {
			answers[open[id]] = result.StructuredContent
		}
		delete(open, id)
	}
	return answers
}

func (c *client) send(t *testing.T, method string, params any) (id int) {
	t.Helper()
	c.lastID++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.lastID, "method": method, "params": params})
	check(t, method, err)
	_, err = c.in.Write(append(line, '\n'))
	check(t, method, err)
	return c.lastID
}

// receive reads the next answer. The server asks nothing, so there is nothing else.
func (c *client) receive(t *testing.T, result any) (id int) {
	t.Helper()
	line, err := c.out.ReadBytes('\n')
	check(t, "read an answer", err)
	message := struct {
		ID     int
		Result any
		Error  json.RawMessage
	}{Result: result}
	check(t, "read an answer", json.Unmarshal(line, &message))
	if message.Error != nil {
		check(t, "call", fmt.Errorf("%s", message.Error))
	}
	return message.ID
}

func (a answer) accepted() bool { return a.Status == "preview" }

// refused tells whether the payload was refused for what it says. There is no other good reason not to accept one.
func (a answer) refused() bool {
	return a.Status == "refused" && a.Code == "invalid_payload" && len(a.Violations) > 0
}

// String says what became of a preview.
func (a answer) String() string {
	if a.accepted() {
		return "accepted"
	}
	return fmt.Sprintf("%s (%s): %s %v", a.Status, a.Code, a.Message, a.Violations)
}
