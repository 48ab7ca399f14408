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
// a nil json.RawMessage; a nil pointer and an Optional that is null are null. Two texts of which one has several lines are
// shown by the lines that differ.
type Row struct {
	Label           string // made by Textf where a value is in it, so that no two look the same
	Before, After   any
	Context         bool // shown for orientation, does not change
	KnownAfterApply bool // After is made by the target
	SkipAbsent      bool // there is no row when After is absent: nothing was asked for
	Sensitive       bool // shown as changed or unchanged, and never as what it is
	// Hidden is where the values have parts that are shown as changed or unchanged alone: JSON Pointers (RFC 6901) below them,
	// in which a * is every member of an object or item of an array. It shows the row by its parts, as Parts does. Nothing
	// else is hidden: a value that is sensitive elsewhere is shown wherever a row, a label or a text repeats it.
	Hidden []string
	// Parts shows objects by their members, and arrays of one length by their items, where they differ: one row for each,
	// named by Label and the JSON Pointer below it. SkipAbsent is about the whole row.
	Parts bool
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
	// Digest is of the behaviour that an approval is bound to, and UndoDigest of what an undo depends on. Both are needed, are
	// any text, and are generated. Whoever writes an Operation by hand changes them with what it does: what was previewed, or
	// applied, under another one is refused as operation_changed.
	Digest     string
	UndoDigest string

	TTL     time.Duration // of a preview; 0 means Options.TTL
	UndoTTL time.Duration // of the undo token; 0 means Options.UndoTTL, Never that it does not expire
	Timeout time.Duration // of a body; 0 means Options.Timeout

	Aliases      []string // what the operation was called before: changes of these names are its own
	Approval     Approval // who says yes to an apply
	UndoApproval Approval // who says yes to an undo
	Retry        bool     // an apply that is proved to have written nothing may be tried again, as a new change
	// AllowNoChange makes a preview whose rows change nothing one like any other, as one with a sensitive row always is. It
	// is refused as no_change otherwise.
	AllowNoChange bool
	// UndoWithoutResult lets undo run where the result was not kept; its Result is nil then.
	UndoWithoutResult bool
	Limits            Limits
	// Joined tells that Apply and Undo write nothing but to the database of the ledger, in the transaction that records the
	// change, which their context carries; the package of the store has Tx for it. Either both are kept or neither, so that
	// nobody has to look at the target: an error, a panic, a Timeout, and a process that dies all prove that nothing was
	// written. The looks around a body have the same transaction. Options.Store must be a ledger.Joiner, whose JoinLimit
	// bounds Timeout. DoneWhen and Reconcile have nothing to find out.
	Joined      bool
	ClosedWorld bool // the bodies reach nothing outside this server's own system: the open-world hint is false
	ToolNames   ToolNames
}

// Approval is who says yes.
type Approval int

// Those who may say yes, the stricter later.
const (
	ByToken    Approval = iota // whoever presents the token of the preview: it is intent, not consent
	ByOperator                 // a person, in a channel that the agent cannot reach
)

// Limits bound what an operation may do. Zero fields bound nothing.
type Limits struct {
	Changes  int           // how many changes may be claimed in any time of length Per
	Per      time.Duration // with Changes
	OfAll    bool          // Changes counts those of all callers of the Spec.Server together, not of each
	MaxItems int           // how many things one change may affect, by Operation.Items
}

// ToolNames are the names of the tools of an operation, where they differ from what its name makes of them. They are
// taken as they are, without Spec.Prefix.
type ToolNames struct{ Preview, Apply, Undo string }

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
	// ApprovalWhen tells whether a change needs the yes of Meta.Approval; nil: every one does. Where it tells not, the
	// token is enough.
	ApprovalWhen func(c *Change[P, S]) bool
	// Items counts what a change affects, for Limits.MaxItems; nil counts one.
	Items func(payload P) int
	// DoneWhen tells from a fresh look, in c.State, whether an apply in doubt was done; the state is nil where nothing was
	// found. It needs Observe. The look is that of ObserveAfter where there is one, which then has no result to go by.
	// Where it held for the state before the apply, too, it tells nothing. Nil asks Reconcile.
	DoneWhen func(c *Change[P, S]) bool
	// Reconcile finds out whether an apply in doubt was done. It writes nothing. Nil, without DoneWhen, leaves every such
	// change to an operator.
	Reconcile func(ctx context.Context, c *Doubtful[P, S]) (Verdict, error)
}

// Doubtful is an apply whose outcome nobody knows, as Reconcile sees it. P and S are pointers.
type Doubtful[P, S any] struct {
	Call
	Payload P
	Before  S // as observed at the claim, or at the preview if the process died before that; nil when absent
	Now     S // as it is now; nil when absent
}

// Verdict is what a look found out about a body in doubt.
type Verdict int

// The verdicts. Only Done settles a change by itself; NotDone is shown to the operator, unless there is proof.
const (
	Unsure  Verdict = iota // nothing tells
	Done                   // the body wrote
	NotDone                // it did not, as far as can be seen
)

// String is how operators read it and write it.
func (v Verdict) String() string {
	switch v {
	case Done:
		return "done"
	case NotDone:
		return "not_done"
	}
	return "unknown"
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
