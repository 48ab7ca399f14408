package histories_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// answer is what the agents of a history read of an answer.
type answer struct {
	Status            ledger.Status `json:"status"`
	Code              string        `json:"code"`
	ChangeID          string        `json:"change_id"`
	ChangeStatus      ledger.Status `json:"change_status"`
	ConfirmationToken string        `json:"confirmation_token"`
	UndoToken         string        `json:"undo_token"`
	PayloadHash       string        `json:"payload_hash"`
	Approval          string        `json:"approval"`
	InDoubt           bool          `json:"in_doubt"`
	Retry             struct {
		ChangeID          string `json:"change_id"`
		ConfirmationToken string `json:"confirmation_token"`
	} `json:"retry"`
}

func (a answer) refused() bool { return a.Status == "refused" }

// acknowledges tells an answer that no process gives for being dead.
func (a answer) acknowledges() bool {
	return a.Status == "preview" || a.Status == ledger.Applied || a.Status == ledger.Undone
}

// request is one call on its way.
type request struct {
	process *process
	call    int
	called  int64
	blind   int64 // of its process, before it
	what    string
}

// ask calls a tool.
func (a *agent) ask(tool string, arguments map[string]string) (*request, answer, bool) {
	return a.send(tool, func(ctx context.Context, to *mcp.ClientSession) (answer, error) {
		called, err := to.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			return answer{}, err
		}
		raw, err := json.Marshal(called.StructuredContent)
		if err != nil {
			return answer{}, err
		}
		return read(raw)
	})
}

// look reads a change as a resource. That it cannot be read is an answer as that of a tool.
func (a *agent) look(id string) (*request, answer, bool) {
	return a.send("changeset://", func(ctx context.Context, to *mcp.ClientSession) (answer, error) {
		document, err := to.ReadResource(ctx, &mcp.ReadResourceParams{URI: "changeset://" + id})
		var no *jsonrpc.Error
		switch {
		case errors.As(err, &no) && no.Code == jsonrpc.CodeInvalidParams:
			return answer{Status: "refused", Code: "unknown_change"}, nil
		case errors.As(err, &no):
			return read(no.Data)
		case err != nil:
			return answer{}, err
		}
		return read([]byte(document.Contents[0].Text))
	})
}

// send makes a request. It is false if nobody will ever know the answer, because the process died and the answer is not
// one that it gave before.
func (a *agent) send(what string, call func(context.Context, *mcp.ClientSession) (answer, error)) (*request, answer, bool) {
	p := a.seat.taken()
	r := &request{process: p, call: a.call(), called: a.now(), blind: p.blind.Load()}
	r.what = fmt.Sprintf("%d %s %s at %s", r.call, a.name, what, p.name)
	a.tally.called(what)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	got, err := call(ctx, p.session)
	if p.dead() {
		a.seat.vacate(p)
		return r, got, err == nil && got.acknowledges()
	}
	if err != nil {
		a.fault("%s: %v", r.what, err)
	}
	r.what += fmt.Sprintf(": %s %s", got.Status, got.Code)
	return r, got, err == nil
}

func read(raw []byte) (answer, error) {
	var a answer
	err := json.Unmarshal(raw, &a)
	return a, err
}

// step is one of a change that a request had a part in.
func (r *request) step(k kind, change string) *step {
	return &step{
		kind: k, what: r.what, change: change, called: r.called, call: r.call, process: r.process.name,
		blind: r.process.blind.Load() > r.blind,
	}
}
