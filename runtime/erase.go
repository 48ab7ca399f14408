package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/schemafile"
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
	"github.com/changesetgen/changesetgen/runtime/internal/state"
)

// AnyOperation is an *Operation of any types.
//
// Its one method is all that an Operation has: what else is done with one are functions. The compiler writes each method
// of a generic type again for each operation of a server, and a function once for all of them.
type AnyOperation interface {
	erase(schemas *schemafile.File) (*erased, error)
}

// erased is an operation whose hooks take and give exact bytes, so that operations of all types are alike. Payloads are
// decoded from the stored bytes and never encoded; states and results are encoded once and checked against their
// schemas.
type erased struct {
	*Meta
	binding                state.Binding
	payload, state, result *payload.Schema // state and result are nil where there is none

	// holds tells whether the Go type of a payload can be it: a float64 cannot be every number.
	holds func(payload []byte) error
	// prepare makes the payload that is stored of the one that was sent; nil changes nothing.
	prepare func(ctx context.Context, payload []byte) ([]byte, error)
	// observe looks before apply, lookAfter after it. Both are nil if nothing is looked at. They give `null` for absent.
	observe   func(ctx context.Context, payload []byte) ([]byte, error)
	lookAfter func(ctx context.Context, call Call, c carried) ([]byte, error)
	show      func(call Call, payload, state []byte) (shown.Change, error)
	apply     func(ctx context.Context, call Call, payload, state []byte) (written, error)
	undo      func(ctx context.Context, call Call, c carried) error // nil: it has none
	doubtHooks
	askingHooks
	// whole tells whether the states and the result that undo would be given are all that their Go types say; nil
	// where there is no undo.
	whole func(c carried) bool
}

// carried is what the ledger holds of a change that was carried out.
type carried struct{ payload, before, after, result []byte }

// written is what an apply body returned. The write is a fact, whatever is wrong with its result.
type written struct {
	result  []byte
	invalid error // why there is no result
}

// behaviour is what approvals of the operation are bound to.
func (e *erased) behaviour() *behaviour {
	return &behaviour{
		digest: e.Digest, undoDigest: e.UndoDigest,
		undoes: e.undo != nil, observes: e.lookAfter != nil, needsResult: e.needsResult(),
		approval: e.Approval, undoApproval: e.UndoApproval, joined: e.Joined, maxItems: e.Limits.MaxItems,
	}
}

// needsResult tells whether undo cannot do without the result of apply.
func (e *erased) needsResult() bool { return e.result != nil && !e.UndoWithoutResult }

// fits tells whether a stored result is one of the operation. Somebody may have edited it.
func (e *erased) fits(result []byte) bool { return e.result != nil && e.result.Validate(result) == nil }

func (o *Operation[P, S, R]) erase(schemas *schemafile.File) (*erased, error) {
	return eraseTypes(schemas, o)
}

func eraseTypes[P, S, R any](schemas *schemafile.File, o *Operation[P, S, R]) (*erased, error) {
	if o == nil || o.Name == "" {
		return nil, errors.New("an operation without a name: set Meta.Name")
	}
	e := &erased{Meta: &o.Meta}
	if err := checkHooks(o); err != nil {
		return nil, fmt.Errorf("operation %s: %w", o.Name, err)
	}
	if err := e.compile(schemas, o.Observe != nil || o.ObserveAfter != nil); err != nil {
		return nil, fmt.Errorf("operation %s: %w", o.Name, err)
	}
	eraseLooks(e, o)
	erasePrepare(e, o)
	eraseBodies(e, o)
	eraseUndo(e, o)
	eraseDoubt(e, o)
	eraseAsking(e, o)
	e.hideHooks()
	return e, nil
}

// accept is the canonical form of a payload that the schema and the Go type of the operation hold.
func (e *erased) accept(raw []byte) ([]byte, error) {
	accepted, err := e.payload.Accept(raw, exact.DefaultLimits)
	if err != nil {
		return nil, err
	}
	err = e.holds(accepted)
	var fault *exact.Error
	if errors.As(err, &fault) {
		fault.Offset = -1 // nobody has seen the canonical form
	}
	return accepted, err
}

func eraseBodies[P, S, R any](e *erased, o *Operation[P, S, R]) {
	e.holds = func(payload []byte) error {
		var p P
		return exact.Decode(payload, &p)
	}
	e.show = func(call Call, payload, state []byte) (shown.Change, error) {
		c, err := changeOf[P, S](call, payload, state)
		if err != nil {
			return shown.Change{}, err
		}
		return shownOf(saidBy(o, c), rowsOf(o, c), state)
	}
	e.apply = func(ctx context.Context, call Call, payload, state []byte) (written, error) {
		c, err := changeOf[P, S](call, payload, state)
		if err != nil {
			return written{}, NotApplied(err)
		}
		result, err := o.Apply(ctx, c)
		if err != nil {
			return written{}, err
		}
		return encodeResult(e.result, result), nil
	}
}

func erasePrepare[P, S, R any](e *erased, o *Operation[P, S, R]) {
	if o.Prepare == nil {
		return
	}
	e.prepare = func(ctx context.Context, payload []byte) ([]byte, error) {
		var p P
		if err := exact.Decode(payload, &p); err != nil {
			return nil, err
		}
		prepared, err := o.Prepare(ctx, p)
		if err != nil {
			return nil, err
		}
		return encodePrepared(e.payload, prepared)
	}
}

func eraseUndo[P, S, R any](e *erased, o *Operation[P, S, R]) {
	if o.Undo == nil {
		return
	}
	e.undo = func(ctx context.Context, call Call, stored carried) error {
		c, err := appliedOf[P, S, R](call, stored)
		if err != nil {
			return NotApplied(err)
		}
		return o.Undo(ctx, c)
	}
	e.whole = func(stored carried) bool {
		c, err := appliedOf[P, S, R](Call{}, stored)
		return err == nil && isWhole(stored.before, c.Before) && isWhole(stored.after, c.After) && isWhole(stored.result, c.Result)
	}
}

// checkHooks finds hooks that are missing and times that make no sense.
func checkHooks[P, S, R any](o *Operation[P, S, R]) error {
	switch {
	case o.Apply == nil:
		return errors.New("has no Apply: set it to the body that writes")
	case o.Digest == "", o.UndoDigest == "":
		return errors.New("has no Digest or no UndoDigest: generate its code again, or give both")
	case o.DoneWhen != nil && o.Reconcile != nil:
		return errors.New("has both DoneWhen and Reconcile: keep the one that tells more")
	case o.DoneWhen != nil && o.Observe == nil:
		return errors.New("has a DoneWhen and no Observe: there is no state for it to judge")
	case o.Timeout < 0:
		return fmt.Errorf("its Timeout is %s: give a positive duration, or 0 for the guard's", o.Timeout)
	}
	if err := checkAsking(&o.Meta); err != nil {
		return err
	}
	if o.TTL != 0 {
		if err := checkTTL("its TTL", o.TTL); err != nil {
			return err
		}
	}
	if o.UndoTTL != 0 {
		return checkUndoTTL("its UndoTTL", o.UndoTTL)
	}
	return nil
}

func (e *erased) compile(schemas *schemafile.File, looks bool) (err error) {
	options := payload.Options{AssertFormats: e.AssertFormats}
	if e.payload, err = schemas.Required(e.Name+".payload", options); err != nil {
		return err
	}
	if looks {
		if e.state, err = schemas.Required(e.Resource+".state", options); err != nil {
			return err
		}
	}
	e.binding = state.Bind(e.Bind, e.Volatile, e.state)
	e.result, err = schemas.Optional(e.Name+".result", options)
	return err
}

func eraseLooks[P, S, R any](e *erased, o *Operation[P, S, R]) {
	if o.Observe != nil {
		e.observe = func(ctx context.Context, payload []byte) ([]byte, error) {
			var p P
			if err := exact.Decode(payload, &p); err != nil {
				return nil, err
			}
			state, err := o.Observe(ctx, p)
			if err != nil {
				return nil, err
			}
			return encodeState(e.state, state)
		}
		e.lookAfter = func(ctx context.Context, _ Call, c carried) ([]byte, error) { return e.observe(ctx, c.payload) }
	}
	if o.ObserveAfter != nil {
		e.lookAfter = func(ctx context.Context, call Call, stored carried) ([]byte, error) {
			stored.after = nil
			c, err := appliedOf[P, S, R](call, stored)
			if err != nil {
				return nil, err
			}
			state, err := o.ObserveAfter(ctx, c)
			if err != nil {
				return nil, err
			}
			return encodeState(e.state, state)
		}
	}
}

func changeOf[P, S any](call Call, payload, state []byte) (*Change[P, S], error) {
	c := &Change[P, S]{Call: call}
	return c, errors.Join(decode(payload, &c.Payload), decode(state, &c.State))
}

func appliedOf[P, S, R any](call Call, stored carried) (*Applied[P, S, R], error) {
	c := &Applied[P, S, R]{Call: call}
	return c, errors.Join(decode(stored.payload, &c.Payload), decode(stored.before, &c.Before),
		decode(stored.after, &c.After), decode(stored.result, &c.Result))
}

// saidBy is what an operation says of a change in texts.
func saidBy[P, S, R any](o *Operation[P, S, R], c *Change[P, S]) shown.Change {
	s := shown.Change{Summary: o.Title, Compensates: o.Undo != nil && o.Inverse == Compensating}
	if o.Summary != nil {
		s.Summary = o.Summary(c)
	}
	if o.Loses != nil {
		s.Loses = o.Loses(c)
	}
	return s
}

func rowsOf[P, S, R any](o *Operation[P, S, R], c *Change[P, S]) []Row {
	if o.Diff == nil {
		return nil
	}
	return o.Diff(c)
}

// decode leaves v as it is where nothing is stored.
func decode(canonical []byte, v any) error {
	if canonical == nil {
		return nil
	}
	return exact.Decode(canonical, v)
}

// jsonNull is the state of what is absent.
const jsonNull = "null"

// encodeState gives the canonical bytes of a state, `null` for a nil one.
func encodeState(schema *payload.Schema, state any) ([]byte, error) {
	encoded, tree, err := exact.EncodeTree(state)
	if err != nil || tree == nil {
		return encoded, err
	}
	return encoded, schema.ValidateTree(tree)
}

// encodeResult never fails: apply has written, and what its result is like cannot undo that.
func encodeResult(schema *payload.Schema, result any) (w written) {
	if schema == nil {
		return written{}
	}
	defer func() {
		if p := recover(); p != nil {
			w = written{invalid: &attempt.Panic{Value: p}}
		}
	}()
	encoded, tree, err := exact.EncodeTree(result)
	if err == nil {
		err = schema.ValidateTree(tree)
	}
	if err != nil {
		return written{invalid: err}
	}
	return written{result: encoded}
}
