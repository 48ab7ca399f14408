package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/secret"
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
)

// hiddenError is an error of an author's hook, without what is sensitive in its text. What it says about the write stays.
type hiddenError struct {
	cause   error
	text    string
	secrets *secret.Values
}

// Error is the text of the author, scrubbed, or what is left of it.
func (h *hiddenError) Error() string { return h.text }

// Unwrap gives the error as it was: for what it is, and not for what it says.
func (h *hiddenError) Unwrap() error { return h.cause }

// scrubbed is a text out of an author's error, without what is sensitive.
func scrubbed(err error, text string) string {
	var h *hiddenError
	if errors.As(err, &h) {
		return h.secrets.Scrub(text)
	}
	return text
}

// withoutValues are the violations of a document that an author's hook made. One of a change with sensitive values may have
// them where nothing is marked.
func withoutValues(err error, violations []payload.Violation) []payload.Violation {
	var h *hiddenError
	if !errors.As(err, &h) {
		return violations
	}
	told := slices.Clone(violations)
	for i, v := range told {
		told[i] = v.WithoutValue()
	}
	return told
}

// hiddenPanic is the value of an author's panic, without what is sensitive in its text.
type hiddenPanic struct{ kind, text string }

func (h hiddenPanic) String() string { return h.text }

// kindOfPanic names the type of what a hook panicked with.
func kindOfPanic(value any) string {
	if h, ok := value.(hiddenPanic); ok {
		return h.kind
	}
	return fmt.Sprintf("%T", value)
}

// hidingKey is where a hook's context keeps what no text of it may say.
type hidingKey struct{}

// silentKey is where a look's context says that its texts may repeat what nobody knows to be sensitive yet.
type silentKey struct{}

// scrubFor takes out of a text what is sensitive in the change that a hook's context belongs to.
func scrubFor(ctx context.Context, text string) string {
	if ctx.Value(silentKey{}) != nil {
		return ""
	}
	s, _ := ctx.Value(hidingKey{}).(*secret.Values)
	return s.Scrub(text)
}

// hiding calls a hook of a change with sensitive values, which documents tell, that of the payload first. Its errors and
// panics go through here at their source, so that nothing behind it, no answer, record, event or log, has to know what is
// sensitive.
func hiding[T any](ctx context.Context, documents []secret.Document, call func(context.Context) (T, error)) (T, error) {
	var none T
	s, err := secret.Gather(documents[0], documents[1:]...)
	if err != nil {
		return none, NotApplied(err)
	}
	if s == nil {
		return call(ctx)
	}
	defer func() {
		if p := recover(); p != nil {
			panic(hiddenPanic{kind: kindOfPanic(p), text: s.Scrub(fmt.Sprint(p))}) // the stack below stays
		}
	}()
	value, err := call(context.WithValue(ctx, hidingKey{}, s))
	if err != nil {
		return value, &hiddenError{cause: err, text: s.Scrub(err.Error()), secrets: s}
	}
	return value, nil
}

// hidingLook is hiding for a hook that looks at a state which may be sensitive. Nobody knows yet what it saw, so an error
// or a panic that may repeat some of it says only what it is, and the texts of its progress are left out.
func hidingLook[T any](ctx context.Context, e *erased, documents []secret.Document, call func(context.Context) (T, error)) (T, error) {
	if e.state == nil || !e.state.IsSensitive() {
		return hiding(ctx, documents, call)
	}
	defer func() {
		if p := recover(); p != nil {
			panic(hiddenPanic{kind: kindOfPanic(p), text: secret.Hidden})
		}
	}()
	value, err := hiding(context.WithValue(ctx, silentKey{}, true), documents, call)
	var own *Refusal
	if err == nil || errors.As(err, &own) {
		return value, err
	}
	return value, withoutValue(err)
}

// withoutValue is an error that may repeat what nobody has looked for, which says only what it is.
func withoutValue(err error) error {
	var telling interface{ WithoutValue() string }
	text := reduced(err)
	if errors.As(err, &telling) {
		text = telling.WithoutValue()
	}
	return &hiddenError{cause: err, text: text}
}

// hideHooks makes every hook that an author wrote one that tells nothing sensitive.
func (e *erased) hideHooks() {
	if !e.isSensitive() {
		return
	}
	e.hideLooks()
	e.hideBodies()
	e.hideAnswers()
}

func (e *erased) hideLooks() {
	if prepare := e.prepare; prepare != nil {
		e.prepare = func(ctx context.Context, payload []byte) ([]byte, error) {
			prepared, err := hiding(ctx, e.in(carried{payload: payload}), func(ctx context.Context) ([]byte, error) { return prepare(ctx, payload) })
			if errors.Is(err, errPrepared) {
				err = withoutValue(err) // what prepare made was not looked through
			}
			return prepared, err
		}
	}
	if observe := e.observe; observe != nil {
		e.observe = func(ctx context.Context, payload []byte) ([]byte, error) {
			return hidingLook(ctx, e, e.in(carried{payload: payload}), func(ctx context.Context) ([]byte, error) { return observe(ctx, payload) })
		}
	}
	if look := e.lookAfter; look != nil {
		e.lookAfter = func(ctx context.Context, call Call, c carried) ([]byte, error) {
			return hidingLook(ctx, e, e.in(c), func(ctx context.Context) ([]byte, error) { return look(ctx, call, c) })
		}
	}
}

func (e *erased) hideBodies() {
	apply := e.apply
	e.apply = func(ctx context.Context, call Call, payload, state []byte) (written, error) {
		w, err := hiding(ctx, e.in(carried{payload: payload, before: state}), func(ctx context.Context) (written, error) {
			return apply(ctx, call, payload, state)
		})
		if w.invalid != nil {
			w.invalid = withoutValue(w.invalid)
		}
		return w, err
	}
	if undo := e.undo; undo != nil {
		e.undo = func(ctx context.Context, call Call, c carried) error {
			_, err := hiding(ctx, e.in(c), func(ctx context.Context) (None, error) { return None{}, undo(ctx, call, c) })
			return err
		}
	}
	if reconcile := e.reconcile; reconcile != nil {
		e.reconcile = func(ctx context.Context, call Call, payload, before, now []byte) (Verdict, error) {
			return hiding(ctx, e.in(carried{payload: payload, before: before, after: now}), func(ctx context.Context) (Verdict, error) {
				return reconcile(ctx, call, payload, before, now)
			})
		}
	}
}

// hideAnswers is about the hooks that only compute, which fail by panicking.
func (e *erased) hideAnswers() {
	ctx := context.Background()
	show := e.show
	e.show = func(call Call, payload, state []byte) (shown.Change, error) {
		return hiding(ctx, e.in(carried{payload: payload, before: state}), func(context.Context) (shown.Change, error) { return show(call, payload, state) })
	}
	if done := e.doneIn; done != nil {
		e.doneIn = func(call Call, payload, state []byte) (bool, error) {
			return hiding(ctx, e.in(carried{payload: payload, after: state}), func(context.Context) (bool, error) { return done(call, payload, state) })
		}
	}
	if asks := e.asks; asks != nil {
		e.asks = func(payload, state []byte) (bool, error) {
			return hiding(ctx, e.in(carried{payload: payload, before: state}), func(context.Context) (bool, error) { return asks(payload, state) })
		}
	}
	if items := e.items; items != nil {
		e.items = func(payload []byte) (int, error) {
			return hiding(ctx, e.in(carried{payload: payload}), func(context.Context) (int, error) { return items(payload) })
		}
	}
}

// untelling is an error about the text of a payload that repeats nothing of it, where anything in it may be sensitive.
func (e *erased) untelling(fault *exact.Error) *exact.Error {
	if !e.payload.IsSensitive() {
		return fault
	}
	return &exact.Error{Path: fault.Path, Offset: fault.Offset, Cause: fault.Cause}
}

// in finds what is sensitive in all that a hook is given, in the payload first.
func (e *erased) in(c carried) []secret.Document {
	return []secret.Document{
		secret.Find(e.payload, c.payload), secret.Find(e.state, c.before), secret.Find(e.state, c.after), secret.Find(e.result, c.result),
	}
}
