package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// Interceptor stands around one preview, apply or undo, as for a trace, a rate limit or a policy of the server's own.
//
// It calls next, once, to let the attempt go on, and is given what the agent will be told. The values of the context
// that it passes on reach the interceptors further in and the hooks of the operation. A context that ends before
// anything is claimed ends the attempt; a claim is carried out to its end all the same.
//
// An error that it returns without having called next refuses the attempt: nothing has happened, and the token stays
// good. The agent is told the text of a Refuse, and of any other error only its type. An undo that an operator requested
// is attempted again until it is let through or ends. Once next was called the outcome is a fact. Calling it again does
// nothing and gives the same outcome; an error or a panic after it is logged and changes nothing.
type Interceptor func(ctx context.Context, s Step, next func(context.Context) Outcome) error

// StepKind is what an agent asked for.
type StepKind string

// What an agent may ask for.
const (
	StepPreview StepKind = "preview"
	StepApply   StepKind = "apply"
	StepUndo    StepKind = "undo"
)

// Step is one preview, apply or undo, as an Interceptor sees it. It has no payload and no token.
type Step struct {
	Kind      StepKind
	Tool      string // "" for an undo that an operator requested, which nobody calls a tool for
	Server    string // Spec.Server; "" where the change is not known to this caller
	Operation string // as Server
	ChangeID  string // as the agent gave it; "" for a preview
	Caller    string // the subject of an authenticated transport; "" where there is none
	// Meta is the _meta of the request: what the client says besides the arguments. The map is the interceptor's own, the
	// values in it are not.
	Meta map[string]any
}

// Outcome is what the agent is told of a Step.
type Outcome struct {
	Status   string // preview, applied, undone, refused, or where the change stands
	Code     Code   // why it was refused; "" if it was not
	ChangeID string // "" where there is no change
}

// errNoNext is what an interceptor did that neither let an attempt go on nor refused it.
var errNoNext = errors.New("it returned nil without calling next")

// intercept runs do inside the interceptors.
func (g *Guard) intercept(ctx context.Context, c called, do func(context.Context) answer) answer {
	if len(g.opts.Interceptors) == 0 {
		return do(ctx)
	}
	s := g.step(ctx, c)
	for i := len(g.opts.Interceptors) - 1; i >= 0; i-- {
		do = g.wrap(g.opts.Interceptors[i], s, do)
	}
	return do(ctx)
}

// called is the call of a tool that interceptors stand around.
type called struct {
	tool *tool
	kind StepKind
	req  *mcp.CallToolRequest
	id   string // of the change, as the agent gave it; "" for a preview
}

// step describes a call to interceptors. An agent may send anything as an id, a token even: what is no id is left out.
func (g *Guard) step(ctx context.Context, c called) Step {
	s := Step{Kind: c.kind, Tool: c.tool.name, Meta: c.req.Params.Meta}
	if changeID.MatchString(c.id) {
		s.ChangeID = c.id
	}
	if c.req.Extra != nil && c.req.Extra.TokenInfo != nil {
		s.Caller = c.req.Extra.TokenInfo.UserID
	}
	op := c.tool.operation
	if op == nil {
		op = g.calledFor(ctx, c)
	}
	if op != nil {
		s.Server, s.Operation = op.server, op.Name
	}
	return s
}

// calledFor looks up what a shared tool is called for; nil where the change does not exist for the caller.
func (g *Guard) calledFor(ctx context.Context, c called) *registered {
	r, _, err := g.read(ctx, c.id)
	if err != nil {
		return nil
	}
	op, serves := c.tool.serves(&r)
	who := g.identify(ctx, c.req.Extra)
	known := asker{serves: serves, scope: who.scope, caller: who.caller}
	if !known.knows(&r) {
		return nil
	}
	return op
}

// wrap is do inside one interceptor.
func (g *Guard) wrap(with Interceptor, s Step, do func(context.Context) answer) func(context.Context) answer {
	return func(ctx context.Context) answer {
		pass := &passage{do: do}
		s.Meta = maps.Clone(s.Meta)
		err := attempt.Contain(func() error { return with(ctx, s, pass.next) })
		a := pass.close()
		switch {
		case a == nil && err == nil:
			err = errNoNext
			fallthrough
		case a == nil:
			return g.intercepted(ctx, s, err)
		case err != nil:
			g.log(ctx, slog.LevelError, "an interceptor failed after the fact", "tool", s.Tool, "error", err, "stack", stackOf(err))
		}
		return a
	}
}

// intercepted answers for an attempt that an interceptor did not let through.
func (g *Guard) intercepted(ctx context.Context, s Step, err error) *refusal {
	var own *Refusal
	var p *attempt.Panic
	switch {
	case errors.As(err, &own):
		return refuseStep(own.Error())
	case errors.As(err, &p), errors.Is(err, attempt.ErrGoexit), errors.Is(err, errNoNext):
		g.log(ctx, slog.LevelError, "an interceptor failed", "tool", s.Tool, "error", err, "stack", stackOf(err))
		return refuseBroken()
	}
	g.log(ctx, slog.LevelWarn, "an interceptor refused a call", "tool", s.Tool, "error", err)
	return refuseStep(fmt.Sprintf("This server refused the call (%s).", reduced(err)))
}

// passage is the way through one interceptor. It is open until the interceptor has returned, and is gone once.
type passage struct {
	do   func(context.Context) answer
	mu   sync.Mutex // held while do runs: a second next waits for what the first gives
	done answer     // nil: not yet
	shut bool
}

// next is what an interceptor calls. Kept beyond the end of the interceptor it does nothing.
func (p *passage) next(ctx context.Context) Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done == nil && !p.shut {
		p.done = refuseInternal() // what stands if do panics
		p.done = p.do(ctx)
	}
	return toldOf(p.done)
}

// close gives what came of next; nil if it was not called, and then it never does anything.
func (p *passage) close() answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shut = true
	return p.done
}

// toldOf reads what all answers have in common from the answer itself, so that it is what the agent is told.
func toldOf(a answer) Outcome {
	var said struct {
		Status   string `json:"status"`
		Code     Code   `json:"code"`
		ChangeID string `json:"change_id"`
	}
	if a != nil {
		if structured, err := visible.Marshal(a.structure()); err == nil {
			_ = json.Unmarshal(structured, &said) // our own bytes, of our own names
		}
	}
	if said.Status == "" {
		return Outcome{Status: statusRefused, Code: CodeInternal}
	}
	return Outcome{Status: said.Status, Code: said.Code, ChangeID: said.ChangeID}
}

func checkInterceptors(all []Interceptor) error {
	for i, with := range all {
		if with == nil {
			return fmt.Errorf("the field Options.Interceptors has a nil at %d: leave it out", i)
		}
	}
	return nil
}
