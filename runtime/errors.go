package runtime

import (
	"errors"
	"fmt"
)

// Code names the cause of a refusal. Codes are stable: clients may decide on them.
type Code string

// The codes of refusals.
const (
	CodeWritesDisabled    Code = "writes_disabled"    // the operator has not switched writes on
	CodeUnknownChange     Code = "unknown_change"     // no such change for this caller and this tool
	CodeRejected          Code = "rejected"           // a person said no
	CodeAlreadyUsed       Code = "already_used"       // the token was spent by an earlier call
	CodeInFlight          Code = "in_flight"          // the change is being carried out now
	CodeInDoubt           Code = "in_doubt"           // what became of it is not known, or not recorded yet
	CodeExpired           Code = "expired"            // the approval, or the chance to undo, is over
	CodeClockSkew         Code = "clock_skew"         // the clock of the ledger runs behind
	CodeInvalidToken      Code = "invalid_token"      // not the token of this change
	CodeOperationUnknown  Code = "operation_unknown"  // this server no longer has the operation
	CodeOperationChanged  Code = "operation_changed"  // the operation behaves differently now
	CodeStateChanged      Code = "state_changed"      // what was looked at is no longer so
	CodeInvalidPayload    Code = "invalid_payload"    // the payload breaks its schema
	CodeInvalidArguments  Code = "invalid_arguments"  // the arguments of apply, undo or status are wrong, or a request_id
	CodeCancelled         Code = "cancelled"          // the caller left before anything was claimed
	CodeShuttingDown      Code = "shutting_down"      // the server takes nothing new
	CodeInternal          Code = "internal"           // a fault of the server
	CodeRefused           Code = "refused"            // the operation's own refusal
	CodeObserveFailed     Code = "observe_failed"     // the current state could not be read
	CodeApplyFailed       Code = "apply_failed"       // the body of apply failed
	CodeUndoFailed        Code = "undo_failed"        // the body of undo failed
	CodeNotUndoable       Code = "not_undoable"       // there is nothing to undo, or no way to
	CodePrepareFailed     Code = "prepare_failed"     // the payload could not be prepared
	CodeTooLarge          Code = "too_large"          // payload and diff exceed the limit
	CodeTooComplex        Code = "too_complex"        // checking the payload would take too long
	CodeLedgerBusy        Code = "ledger_busy"        // the ledger did not get its turn
	CodeLedgerCorrupt     Code = "ledger_corrupt"     // the ledger is damaged
	CodeLedgerUnsupported Code = "ledger_unsupported" // the ledger is of another version or place
	CodeLedgerUnavailable Code = "ledger_unavailable" // the disk of the ledger is full, fails, or is read-only
	CodeNotFound          Code = "not_found"          // there is nothing to change
	CodeAlreadyExists     Code = "already_exists"     // what would be created is there
	CodeNotUnique         Code = "not_unique"         // the look found more than one
	CodeNoChange          Code = "no_change"          // everything is as the change would make it
	CodeRequestIDReused   Code = "request_id_reused"  // the request id stands for another payload
	CodePayloadMismatch   Code = "payload_mismatch"   // the change is not of the payload that the caller expects
	CodeAwaitingApproval  Code = "awaiting_approval"  // a person has to say yes first
	CodeLimitExceeded     Code = "limit_exceeded"     // the operation allows no more of this
	CodeTooManyPending    Code = "too_many_pending"   // too many previews wait to be applied
	CodeUnknownCaller     Code = "unknown_caller"     // the caller is authenticated, and nobody says as whom
)

// What an author's error says about the write; match with errors.Is.
var (
	ErrNotApplied = errors.New("nothing was written")
	ErrConflict   = errors.New("the state has changed")
	ErrInDoubt    = errors.New("the outcome is not known")
	ErrNotUnique  = errors.New("more than one was found") // of a look; refused as not_unique
)

// Refusal is an error whose text is meant for the agent. Any other error of a hook reaches the agent only as the name
// of its Go type.
type Refusal struct{ cause error }

// Refuse is the operation's own refusal: the agent is told the text. From a body it proves nothing about the write;
// wrap it in NotApplied if nothing was written. The format is that of fmt.Errorf.
func Refuse(format string, a ...any) error { return &Refusal{cause: fmt.Errorf(format, a...)} }

// Error is the text for the agent.
func (r *Refusal) Error() string { return r.cause.Error() }

// Unwrap gives what the format wrapped with %w, if anything.
func (r *Refusal) Unwrap() error { return errors.Unwrap(r.cause) }

// NotApplied marks err as proof that the body wrote nothing and that nothing of it can still land. It holds as proof
// while it is wrapped alone; joined with other errors it is none.
func NotApplied(err error) error {
	if err == nil {
		return nil
	}
	return &verdict{cause: err, says: []error{ErrNotApplied}}
}

// Conflict says that nothing was written because the state is no longer what was observed: a conditional write that
// matched no row, a precondition that failed. The agent is told the text.
func Conflict(format string, a ...any) error {
	return &verdict{cause: Refuse(format, a...), says: []error{ErrNotApplied, ErrConflict}}
}

// InDoubt marks err as one after which the write may have landed or may still land. Without it, an error says that
// nothing more will be sent. A change in doubt is never run again.
func InDoubt(err error) error {
	if err == nil {
		return nil
	}
	return &verdict{cause: err, says: []error{ErrInDoubt}}
}

// verdict is an author's error with what it says about the write.
type verdict struct {
	cause error
	says  []error
}

func (v *verdict) Error() string { return v.cause.Error() }

func (v *verdict) Unwrap() error { return v.cause }

func (v *verdict) Is(target error) bool {
	for _, s := range v.says {
		if s == target {
			return true
		}
	}
	return false
}

// MissingConfig is what the generated Register returns for a field of its Config that is not set.
func MissingConfig(field string) error {
	return fmt.Errorf("config: %s is missing: set it before Register", field)
}
