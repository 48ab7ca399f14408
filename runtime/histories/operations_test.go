package histories_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
)

// Every write to a thing gives it a stamp that it never had, and only an undo brings one back. So a thing is as it was
// before a change only if it was not changed, or was changed back.
type (
	payload struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	}
	thing struct {
		Value   string `json:"value"`
		Stamp   string `json:"stamp"`
		Version int64  `json:"version"`
	}
	result struct {
		Version int64 `json:"version"`
	}
	change    = runtime.Change[*payload, *thing]
	applied   = runtime.Applied[*payload, *thing, *result]
	operation = runtime.Operation[*payload, *thing, *result]
)

// The operations differ in who has to say yes, and how often.
const (
	free     = "set_thing"   // the token is enough, and what is proved to have written nothing may be tried again
	approved = "set_agreed"  // an operator has to say yes, to the apply and to the undo
	limited  = "set_limited" // as free, and only a few at a time
)

// The schemas that all operations have, and that of what they look at.
const (
	payloadSchema = `{
    "type": "object", "required": ["key", "value"],
    "properties": {"key": {"type": "string"}, "value": {"type": "string"}}, "unevaluatedProperties": false
  }`
	resultSchema = `{
    "type": "object", "required": ["version"], "properties": {"version": {"type": "integer"}}, "unevaluatedProperties": false
  }`
	thingSchema = `{
    "type": "object", "required": ["value", "stamp", "version"],
    "properties": {"value": {"type": "string"}, "stamp": {"type": "string"}, "version": {"type": "integer"}},
    "unevaluatedProperties": false
  }`
)

// schemas are those of a spec.
func schemas() []byte {
	all := `{"thing.state": ` + thingSchema
	for _, name := range []string{free, approved, limited} {
		all += fmt.Sprintf(`, "%s.payload": %s, "%s.result": %s`, name, payloadSchema, name, resultSchema)
	}
	return []byte(all + "}")
}

var things = runtime.Spec{Server: "things", Title: "Things", Schemas: schemas()}

// operations are those of a process.
func (p *process) operations() (ops []runtime.AnyOperation) {
	for _, name := range []string{free, approved, limited} {
		op := p.operation(name)
		switch name {
		case free:
			op.Retry = true
		case approved:
			op.Approval, op.UndoApproval = runtime.ByOperator, runtime.ByOperator
		case limited:
			op.Limits = runtime.Limits{Changes: limitOf, Per: limitPer, OfAll: true}
		}
		ops = append(ops, op)
	}
	return ops
}

func (p *process) operation(name string) *operation {
	return &operation{
		Meta: runtime.Meta{
			Name: name, Title: "Change a thing", Description: "Change one thing.", Resource: "thing",
			Volatile: []string{"version"}, Digest: "sha256:digest", UndoDigest: "sha256:undo", UndoWithoutResult: true,
		},
		Observe: func(_ context.Context, of *payload) (*thing, error) { return p.target.read(of.Key), nil },
		ObserveAfter: func(_ context.Context, c *applied) (*thing, error) {
			if p.chance(looksFail) {
				return nil, errors.New("the target did not answer")
			}
			return p.target.read(c.Payload.Key), nil
		},
		Summary: func(c *change) string { return runtime.Textf("Set %v to %v", c.Payload.Key, c.Payload.Value) },
		Diff: func(c *change) []runtime.Row {
			return []runtime.Row{{Label: runtime.Textf("%v", c.Payload.Key), Before: c.State.Value, After: c.Payload.Value}}
		},
		Apply: func(_ context.Context, c *change) (*result, error) {
			p.history.ranPayload(c.ChangeID, hashOf(c.Payload))
			to := thing{Value: c.Payload.Value, Stamp: c.ChangeID, Version: c.State.Version}
			return &result{Version: c.State.Version + 1}, p.carryOut(c.ChangeID, toApply, c.Payload.Key, to)
		},
		Undo: func(_ context.Context, c *applied) error {
			to := thing{Value: c.Before.Value, Stamp: c.Before.Stamp, Version: c.After.Version}
			return p.carryOut(c.ChangeID, toUndo, c.Payload.Key, to)
		},
		Reconcile: func(_ context.Context, c *runtime.Doubtful[*payload, *thing]) (runtime.Verdict, error) {
			if p.chance(looksFail) {
				return runtime.Unsure, errors.New("the target did not answer")
			}
			return p.target.verdict(c.ChangeID, toApply), nil
		},
	}
}

// hashOf is the payload hash that a change of p is told to have.
func hashOf(p *payload) string {
	canonical, err := exact.Encode(p)
	if err != nil {
		return err.Error()
	}
	return exact.Hash(canonical)
}
