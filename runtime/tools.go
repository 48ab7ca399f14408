package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// The names of the tools that belong to the guard and not to one operation.
const (
	toolApplyChange = "apply_change"
	toolUndoChange  = "undo_change"
	toolStatus      = "get_change_status"
)

// planned is a tool that is ready to be added to a server.
type planned struct {
	definition *mcp.Tool
	handler    mcp.ToolHandler
}

// handle wraps what a tool does: a complete result comes out, whatever happens. Returning an error here would be a
// fault of the protocol instead of an answer that an agent can read.
func (g *Guard) handle(t *tool, do func(context.Context, *mcp.CallToolRequest) answer) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		a := g.answerTo(ctx, t, req, do)
		result, err := toResult(a)
		if err != nil {
			g.log(ctx, slog.LevelError, "an answer could not be written", "tool", t.name, "error", err)
			a = refuseInternal()
			result, err = toResult(a)
		}
		if no, refused := a.(*refusal); refused {
			g.noteRefusal(ctx, t, no)
		}
		return result, err
	}
}

// answerTo does what a call asks for, if anybody can be told to have made it.
func (g *Guard) answerTo(ctx context.Context, t *tool, req *mcp.CallToolRequest, do func(context.Context, *mcp.CallToolRequest) answer) answer {
	if no := g.unnamed(ctx, t.set, req.Extra); no != nil {
		return no
	}
	g.warnOfStrangers(ctx, t.set, req.Extra)
	return reported(ctx, req, do)
}

// planPreview is the tool that shows a change and writes nothing but its record.
func (g *Guard) planPreview(set *toolset, op *registered) planned {
	t := &tool{set: set, name: op.previewTool, operation: op}
	return planned{
		definition: &mcp.Tool{
			Name:         t.name,
			Title:        "Preview: " + op.label(),
			Description:  describe(g.aboutPreview(op), op.Description),
			InputSchema:  op.argumentsSchema,
			OutputSchema: previewOutput(),
			Annotations:  hints{readOnly: true, openWorld: !op.ClosedWorld}.annotations(),
		},
		handler: g.handle(t, func(ctx context.Context, req *mcp.CallToolRequest) answer {
			return g.intercept(ctx, called{t, StepPreview, req, ""}, func(ctx context.Context) answer {
				return g.preview(ctx, t, g.identify(ctx, req.Extra), req.Params.Arguments)
			})
		}),
	}
}

// aboutPreview is the contract of a preview tool. It names no tool that there is not.
func (g *Guard) aboutPreview(op *registered) string {
	if g.hidesWrites() {
		return fmt.Sprintf(aboutPreviewOnly, op.Name)
	}
	return fmt.Sprintf(aboutPreview, op.Name, op.applyTool) + aboutApproval(op.Approval)
}

// hidesWrites tells whether there are no tools that write.
func (g *Guard) hidesWrites() bool { return g.opts.HideWhenDisabled && !g.policy.writes }

// planMove is a tool that applies or undoes. Without an operation it is the one that all of a shared style have.
func (g *Guard) planMove(set *toolset, name string, op *registered, p purpose) planned {
	t := &tool{set: set, name: name, operation: op}
	m := g.moveOf(p)
	title, contract, about, output, world := m.title, m.about, "", m.output(nil), hints{openWorld: true}
	if op != nil {
		world.openWorld = !op.ClosedWorld
		contract += aboutApproval(op.approvalOf(p))
		title, about, output = m.title+": "+op.label(), op.Description, m.output(op.resultSchema)
	}
	return planned{
		definition: &mcp.Tool{
			Name:         name,
			Title:        title,
			Description:  describe(contract, about),
			InputSchema:  m.input,
			OutputSchema: output,
			Annotations:  world.annotations(),
		},
		handler: g.handle(t, func(ctx context.Context, req *mcp.CallToolRequest) answer {
			given, wrong := readArguments(req.Params.Arguments, m.optional, argChange, m.argument)
			if wrong != nil {
				return refuseArguments(wrong)
			}
			return g.intercept(ctx, called{t, m.kind, req, given[argChange]}, func(ctx context.Context) answer {
				return m.run(ctx, ask{
					tool: t, purpose: p, who: g.identify(ctx, req.Extra),
					id: given[argChange], token: given[m.argument], expects: given[argExpected],
				})
			})
		}),
	}
}

// move is what tells the tools of apply from those of undo.
type move struct {
	kind                   StepKind
	title, about, argument string
	optional               []string // further arguments
	input                  json.RawMessage
	output                 func(result json.RawMessage) json.RawMessage
	run                    func(context.Context, ask) answer
}

func (g *Guard) moveOf(p purpose) move {
	if p == forUndo {
		return move{
			kind: StepUndo, title: "Undo", about: aboutUndo, argument: argUndo, input: undoInput(),
			output: func(json.RawMessage) json.RawMessage { return undoOutput() }, run: g.undo,
		}
	}
	return move{
		kind: StepApply, title: "Apply", about: aboutApply, argument: argToken, optional: []string{argExpected},
		input: applyInput(), output: applyOutput, run: g.apply,
	}
}

// planStatus is the tool that tells where a change stands.
func (g *Guard) planStatus(set *toolset) planned {
	t := &tool{set: set, name: toolStatus}
	return planned{
		definition: &mcp.Tool{
			Name:         toolStatus,
			Title:        "Status of a change",
			Description:  aboutStatus,
			InputSchema:  statusInput(),
			OutputSchema: statusOutput(),
			Annotations:  hints{readOnly: true, idempotent: true}.annotations(),
		},
		handler: g.handle(t, func(ctx context.Context, req *mcp.CallToolRequest) answer {
			given, wrong := readArguments(req.Params.Arguments, nil, argChange)
			if wrong != nil {
				return refuseArguments(wrong)
			}
			return g.status(ctx, t, g.identify(ctx, req.Extra), given[argChange])
		}),
	}
}

// hints are what a client may be told of a tool. All four are sent: a client would guess what is left out.
type hints struct{ readOnly, idempotent, openWorld bool }

func (h hints) annotations() *mcp.ToolAnnotations {
	destructive := !h.readOnly
	return &mcp.ToolAnnotations{
		ReadOnlyHint: h.readOnly, IdempotentHint: h.idempotent, DestructiveHint: &destructive, OpenWorldHint: &h.openWorld,
	}
}

// describe puts the contract first and the author's words after it.
func describe(contract, about string) string {
	if about == "" {
		return contract
	}
	return contract + "\n\n" + visible.Lines(about)
}
