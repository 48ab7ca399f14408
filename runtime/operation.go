package runtime

import (
	"context"
	"time"
)

// Call is one run of a body.
type Call struct {
	_ [0]func() // rules out ==, for which every operation of a server would get code

	// ChangeID is the id of the change that the body carries out.
	ChangeID string
	// IdempotencyKey is a key to send along with a write, so that a target that knows such keys writes once. It is the
	// same wherever the body of one attempt asks for it. The apply and the undo of a change have keys of their own, and
	// so has every other change.
	IdempotencyKey string
}

// Change is one previewed change, as its apply body sees it. P and S are pointers.
type Change[P, S any] struct {
	Call
	Payload P
	State   S // what observe read; nil when the object is absent
}

// Applied is one applied change, as its undo body and a look after apply see it. P, S and R are pointers.
type Applied[P, S, R any] struct {
	Call
	Payload P
	Before  S // as observed at the claim of apply; nil when absent
	// After is the state that an undo takes back: what apply left in all that is compared, and what is there now in
	// volatile fields, to write on. Nil when absent, and in ObserveAfter.
	After  S
	Result R // nil when the operation has none
}

// None is the state of an operation that observes nothing, and the result of one that declares none.
type None struct{}

// Row is one row of the diff that a person reads. A nil value is one that is absent, and so are an Optional that is and
// a nil json.RawMessage; a nil pointer and an Optional that is null are null.
type Row struct {
	Label           string
	Before, After   any
	Context         bool // shown for orientation, does not change
	KnownAfterApply bool // After is made by the target
	SkipAbsent      bool // there is no row when After is absent: nothing was asked for
}

// Meta is everything about an operation that does not depend on its Go types.
type Meta struct {
	Name        string // set_setting
	Title       string
	Description string
	Resource    string
	Absent      Absence
	Bind        []string // field paths in the state, dotted; none means all but Volatile
	Volatile    []string // field paths in the state that are kept and never compared
	Inverse     Inverse
	// AssertFormats checks the formats of strings in payload, state and result, which are annotations otherwise.
	AssertFormats bool
	Digest        string // of the behaviour that an approval is bound to
	UndoDigest    string // of what an undo depends on

	TTL     time.Duration // of a preview; 0 means Options.TTL
	UndoTTL time.Duration // of the undo token; 0 means Options.UndoTTL, Never that it does not expire
	Timeout time.Duration // of a body; 0 means Options.Timeout
}

// Never is an UndoTTL without an end.
const Never time.Duration = -1

// Absence says what finding nothing, or something, means at preview and at the claim.
type Absence int

// The meanings of finding nothing or something.
const (
	AbsentRefused Absence = iota // there must be something to change
	AbsentAllowed                // both are fine
	ExistsRefused                // there must be nothing yet: a create
)

// Inverse says how far an undo can be trusted.
type Inverse int

// The kinds of inverses.
const (
	Exact        Inverse = iota // undo restores what was observed
	Compensating                // undo does what comes closest
)

// Operation is one kind of change, with the hooks that carry it out. P, S and R are pointers to the types of its
// payload, state and result. Its hooks must be safe for concurrent use.
type Operation[P, S, R any] struct {
	Meta
	// Prepare makes of a payload that fits its schema the one that is looked by, shown, stored and run, as in finding the
	// id of a name. It runs once, at preview, and writes nothing. What it returns must fit the schema again. An error
	// ends the preview; one of Refuse is told to the agent. Nil changes nothing.
	Prepare func(ctx context.Context, payload P) (P, error)
	// Observe looks at what would be changed; a nil S means that it is absent. A nil Observe looks at nothing.
	Observe func(ctx context.Context, payload P) (S, error)
	// ObserveAfter looks after apply, and for undo; nil means as Observe does.
	ObserveAfter func(ctx context.Context, c *Applied[P, S, R]) (S, error)
	Summary      func(c *Change[P, S]) string
	Diff         func(c *Change[P, S]) []Row
	// Loses says what undo cannot bring back, for the preview; nil says nothing.
	Loses func(c *Change[P, S]) string
	Apply func(ctx context.Context, c *Change[P, S]) (R, error)
	// Undo takes the change back; nil means that it cannot be.
	Undo func(ctx context.Context, c *Applied[P, S, R]) error
}

// NoResult adapts the apply body of an operation without a result.
func NoResult[P, S any](apply func(context.Context, *Change[P, S]) error) func(context.Context, *Change[P, S]) (*None, error) {
	return func(ctx context.Context, c *Change[P, S]) (*None, error) { return nil, apply(ctx, c) }
}

// Of is the value of a row that looks into a state that may be absent.
func Of[S any](state *S, value func(*S) any) any {
	if state == nil {
		return nil
	}
	return value(state)
}

// Present is the value of a row whose property is optional: absent when it is nil.
func Present[T any](value *T) any {
	if value == nil {
		return nil
	}
	return *value
}

// PresentList is Present for an optional list.
func PresentList[S ~[]T, T any](value S) any {
	if value == nil {
		return nil
	}
	return value
}

// PresentMap is Present for an optional map.
func PresentMap[M ~map[string]T, T any](value M) any {
	if value == nil {
		return nil
	}
	return value
}
