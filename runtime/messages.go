package runtime

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/internal/plural"
	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/state"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What agents and operators are told in words is in the files messages*.go, by topic. A message says what was wrong, a
// hint what to do next.

const (
	hintPreviewAgain = "Preview the change again, show the new diff, and apply that one if it is still wanted."
	hintAskStatus    = "Ask get_change_status for this change. Do not preview the same change again: it may have been written."
	hintAskUndone    = "Ask get_change_status for this change. Until that tells, preview neither the same change nor one that takes it back."
	hintNewChange    = "If it has to be taken back, preview a new change that does that, and show its diff."
	hintOwn          = "Nothing was written. Do what the message says; preview again only if that changes something."
	hintOperator     = "Tell the operator of this server; their log has the details."
	// hintSettlesItself is about a joined change that is in doubt.
	hintSettlesItself = "It is settled by itself once the ledger takes that."
	hintRetry         = "Nothing was spent. Try the same call again in a moment."
)

func refuseWritesDisabled(env string) *refusal {
	return &refusal{
		code:    CodeWritesDisabled,
		passes:  true,
		message: "Writes are switched off on this server, so nothing was changed.",
		hint: fmt.Sprintf("Nothing was spent: what could be applied or undone before still can be, until it expires. "+
			"An operator switches writes on by starting the server with %s=%s; then make the same call again.", env, Guarded),
	}
}

func refuseUnknownCaller() *refusal {
	return &refusal{
		code:    CodeUnknownCaller,
		message: "This server has authenticated the caller, but does not know as whom, so nothing was done.",
		hint:    hintOperator,
	}
}

func refuseUnknownChange() *refusal {
	return &refusal{
		code:    CodeUnknownChange,
		message: "There is no such change for this caller and this tool.",
		hint:    "Check change_id: it is chg_ and 20 hexadecimal digits, from the preview of this operation. Otherwise preview the change again.",
	}
}

// What is wrong with a record that no guard can have written.
const (
	damagedStatus  = "it has a status that there is not"
	damagedByClaim = "it was carried out once, yet its status says that it was not"
	damagedExpiry  = "it has no time at which it expires"
	damagedShown   = "what was shown cannot be read"
	damagedDigest  = "what would run, or what is shown of it, is not what was previewed"
)

// refuseDamaged does not repeat what the record says of itself. What waits for the change waits until it is mended.
func refuseDamaged(r *ledger.Record, damage string) *refusal {
	return &refusal{
		code:     CodeLedgerCorrupt,
		passes:   true,
		message:  fmt.Sprintf("The record of this change is damaged: %s. Nothing was done.", damage),
		hint:     "Do not preview the same change again before somebody has looked at the target: it may have been written. " + hintOperator,
		changeID: r.ID,
	}
}

func refuseRejected(r *ledger.Record) *refusal {
	no := &refusal{
		code:    CodeRejected,
		message: "A person rejected this change.",
		hint:    "Do not try again without asking the person who rejected it.",
	}
	if r.Message != "" {
		no.message = "A person rejected this change: " + r.Message
	}
	return no.about(r)
}

func refuseAlreadyUsed(r *ledger.Record, p purpose, now time.Time) *refusal {
	no := &refusal{
		code:    CodeAlreadyUsed,
		message: fmt.Sprintf("The change was claimed before and is now %s; this call changed nothing.", r.Status),
		hint:    nextAfter(r, now),
	}
	if r.Status == ledger.ApplyFailed && r.Message != "" {
		no.message = joined(no.message, "It had failed: "+r.Message)
	}
	if p == forUndo && r.Status == ledger.UndoFailed {
		no.hint = "An undo is tried once. " + no.hint
	}
	return no.about(r)
}

// nextAfter says what to do with a change that was carried out or failed.
func nextAfter(r *ledger.Record, now time.Time) string {
	switch {
	case r.Status == ledger.Applied:
		return nextAfterApplied(r, now)
	case r.Status == ledger.ApplyFailed && r.RetryID != "":
		return nextRetried(r)
	case r.Status == ledger.ApplyFailed && r.Outcome == outcomeNotApplied && r.Code == string(CodeRefused):
		return hintOwn
	case r.Status == ledger.ApplyFailed && r.Outcome == outcomeNotApplied:
		return "Nothing was written. " + hintPreviewAgain
	case settledByWord(r):
		return nextByWord(r)
	case r.Status == ledger.ApplyFailed:
		return "Whether it was written is not known: look at the target before anything else. " + hintOperator
	case r.Status == ledger.UndoFailed:
		return "The change was applied, and whether it was taken back is not known: look at the target before anything else. " + hintOperator
	case r.Status == ledger.Undone:
		return "The change was applied and taken back. " + hintPreviewAgain
	}
	return "The change was applied, and an undo was begun. " + hintOpen(r)
}

// hintRenewed is what to do with an applied change whose undo token was replaced.
func hintRenewed(r *ledger.Record) string {
	return fmt.Sprintf("The change was applied. It can be undone %s, with the undo_token of this answer, which replaces the earlier one.", undoWindow(r))
}

// nextAfterApplied says whether an applied change can be undone, and by whom: the undo token was in one answer, which
// may have been lost.
func nextAfterApplied(r *ledger.Record, now time.Time) string {
	switch {
	case undoOver(r, now):
		return fmt.Sprintf("The change was applied, and could be undone until %s. %s", stamp(r.UndoExpiresAt), hintNewChange)
	case !hasUndo(r):
		return "The change was applied, and it cannot be undone."
	case undoRejected(r):
		return fmt.Sprintf(nextUndoRejected, reasonTold(r.UndoDecision.Reason))
	case asksForUndo(r) && r.UndoDecision.Verdict == "":
		return fmt.Sprintf(nextUndoWaiting, r.ID, undoWindow(r))
	}
	return fmt.Sprintf("The change was applied. It can be undone %s, with the undo_token of the answer that applied it. %s Without either token, preview a new change that takes it back.",
		undoWindow(r), undoTokenAnew)
}

// whyNoResult says what became of a result that an answer does not have; "" if nothing is wrong.
func whyNoResult(flaw string) string {
	switch flaw {
	case flawOmitted:
		return "There is no result: it was larger than this server keeps (result_omitted)."
	case flawInvalid:
		return "There is no result: it does not fit its schema (result_invalid)."
	case flawLost:
		return "There is no result: the answer of the apply was lost, and a look at the target found that it had written (result_lost)."
	}
	return ""
}

// joined joins sentences; "" is none.
func joined(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// refuseClaimed answers for a change that somebody carries out, or did when they went away.
func refuseClaimed(r *ledger.Record, claim claimState) *refusal {
	switch {
	case claim.known != "":
		return refuseUnrecorded(r, claim.known)
	case r.DoubtAt.IsZero() && claim.live:
		return (&refusal{
			code:    CodeInFlight,
			passes:  true,
			message: fmt.Sprintf("The change is being carried out right now (%s).", r.Status),
			hint:    hintOpen(r),
		}).about(r)
	}
	return (&refusal{
		code:    CodeInDoubt,
		message: doubtOf(r) + " It will not be run again.",
		hint:    hintOpen(r) + " " + whoSettles(r),
	}).about(r)
}

// whoSettles says to whom a change in doubt is left.
func whoSettles(r *ledger.Record) string {
	if r.Joined {
		return hintSettlesItself
	}
	return "An operator has to look at the target and settle it."
}

// hintOpen is what to do about a change that is claimed. One that is being taken back was applied.
func hintOpen(r *ledger.Record) string {
	if r.Status == ledger.Undoing {
		return hintAskUndone
	}
	return hintAskStatus
}

func refuseExpired(r *ledger.Record) *refusal {
	no := (&refusal{
		code:    CodeExpired,
		message: fmt.Sprintf("The preview expired at %s; nothing was changed.", stamp(r.ExpiresAt)),
		hint:    hintPreviewAgain,
	}).about(r)
	no.status = ledger.Expired
	return no
}

// refuseLate answers for a claim that waited for its turn until the time was over.
func refuseLate(r *ledger.Record, p purpose) *refusal {
	no := refuseExpired(r)
	if p == forUndo {
		no = refuseUndoExpired(r)
		no.status = ledger.Applied
	}
	no.message = "This call did not get its turn in time. " + no.message
	return no
}

func refuseUndoExpired(r *ledger.Record) *refusal {
	return (&refusal{
		code:    CodeExpired,
		message: fmt.Sprintf("The change could be undone until %s; it stays applied.", stamp(r.UndoExpiresAt)),
		hint:    hintNewChange,
	}).about(r)
}

func refuseClockSkew(at moment, p policy) *refusal {
	return &refusal{
		code:   CodeClockSkew,
		passes: true,
		message: fmt.Sprintf("The ledger's clock shows %s, which is %s behind the newest time that is known (%s), so it is not safe to say what has expired. "+
			"Nothing was changed.", stamp(at.now.Add(-at.behind)), at.behind.Round(time.Second), stamp(at.now)),
		hint: fmt.Sprintf("Previews, applies and undos are refused until that clock shows %s. If it is wrong, an operator has to set it right. "+
			"If it is right, it was ahead before: wait for that time, or restart the server if it is over.", stamp(at.now.Add(-p.maxSkew))),
	}
}

func refuseInvalidToken(r *ledger.Record, p purpose) *refusal {
	no := &refusal{
		code:    CodeInvalidToken,
		message: "The token is not the one of this change; nothing was changed and nothing was spent.",
		hint:    "Use confirmation_token from the preview of this very change_id.",
	}
	if p == forUndo {
		no.hint = "Use undo_token from the answer that applied this very change_id, or from a later one that replaced it."
	}
	return no.about(r)
}

func refuseOperationUnknown(r *ledger.Record) *refusal {
	return (&refusal{
		code:    CodeOperationUnknown,
		passes:  true,
		message: fmt.Sprintf("This server no longer has the operation %s.", r.Operation),
		hint:    "List the tools again, and preview the change with an operation that exists.",
	}).about(r)
}

func refuseOperationChanged(r *ledger.Record, p purpose) *refusal {
	no := &refusal{
		code:    CodeOperationChanged,
		passes:  true,
		message: fmt.Sprintf("The operation %s behaves differently since this change was previewed; nothing was changed.", r.Operation),
		hint:    hintPreviewAgain,
	}
	if p == forUndo {
		no.hint = hintNewChange
	}
	return no.about(r)
}

func refuseNothingToUndo(r *ledger.Record) *refusal {
	no := (&refusal{
		code:    CodeNotUndoable,
		message: fmt.Sprintf("Only an applied change can be undone; this one is %s.", r.Status),
		hint:    "There is nothing to take back. Ask get_change_status if that is a surprise.",
	}).about(r)
	if r.Status == ledger.Pending {
		no.hint = "There is nothing to take back: it was not applied. Apply it with the token from its preview, or let it expire."
	}
	return no
}

// refuseNoUndo needs the operation as it is now; nil if it is no longer there.
func refuseNoUndo(r *ledger.Record, op *behaviour) *refusal {
	why := "it has no undo token."
	switch {
	case op != nil && !op.undoes:
		why = "its operation has no undo."
	case r.ResultFlaw != "":
		why = "its undo needs the result. " + whyNoResult(r.ResultFlaw)
	case op != nil && op.needsResult && r.Result == nil:
		why = "its undo needs a result, and it has none."
	}
	return (&refusal{
		code:    CodeNotUndoable,
		message: "This change cannot be undone: " + why,
		hint:    hintNewChange,
	}).about(r)
}

func refuseAfterUnknown(r *ledger.Record) *refusal {
	return (&refusal{
		lookNeeded: true,
		code:       CodeNotUndoable,
		message:    "What the change left was not known, and so neither what an undo would overwrite. It has been looked at and kept now; nothing was changed.",
		hint:       "Show the person what is there now (changed, from before apply to now). If that is what the change made, call undo again with the same token.",
	}).about(r)
}

func refuseStateChanged(r *ledger.Record, changed []state.Difference) *refusal {
	no := (&refusal{
		code:    CodeStateChanged,
		message: "The state is no longer what the preview showed, so nothing was written.",
		hint:    hintPreviewAgain,
		changed: changed,
	}).about(r)
	if r.Status == ledger.Applied {
		no.message = "The state is no longer what the change left, so nothing was undone: a later edit would be lost."
		no.hint = hintLaterEdit(r)
	}
	if len(changed) > 0 {
		no.message = joined(no.message, changed[0].Side())
	}
	return no
}

func refuseCancelled() *refusal {
	return &refusal{
		code:    CodeCancelled,
		passes:  true,
		message: "The call was cancelled before anything was done.",
		hint:    "Nothing was spent. Make the same call again if it is still wanted.",
	}
}

// refuseLeft answers a caller who cancelled after the claim.
func refuseLeft(r *ledger.Record) *refusal {
	return (&refusal{
		code:    CodeInFlight,
		message: fmt.Sprintf("The call was cancelled, but the change had been claimed (%s): that is carried out to its end.", r.Status),
		hint:    hintOpen(r),
	}).about(r)
}

// notRecorded follows what is known of a claim.
const notRecorded = "The ledger could not record that yet; this server keeps trying."

// refuseUnrecorded answers for a claim whose end is known, and not recorded yet. That is in_doubt and not in_flight:
// nothing runs any more, and if this server ends now, nobody will know.
func refuseUnrecorded(r *ledger.Record, known string) *refusal {
	return (&refusal{
		code:    CodeInDoubt,
		message: known + " " + notRecorded,
		hint:    nextUnrecorded(r),
	}).about(r)
}

// nextUnrecorded is what to do until it is recorded how a claim ended.
func nextUnrecorded(r *ledger.Record) string {
	next := "Ask get_change_status for this change in a while, and do not preview the same change again until that tells how it ended."
	if r.Status == ledger.Undoing {
		next = hintAskUndone
	}
	return next + " If it stays so: " + hintOperator
}

// hintLaterEdit is what to do about an undo that would overwrite what somebody wrote since.
func hintLaterEdit(r *ledger.Record) string {
	return fmt.Sprintf("Nothing was undone, and the change stays applied. Show the person the later edit. "+
		"If the state comes back, the same undo works %s; otherwise preview a new change.", undoWindow(r))
}

// undoWindow says until when an applied change can be undone.
func undoWindow(r *ledger.Record) string {
	if r.UndoExpiresAt.IsZero() {
		return "at any time"
	}
	return "until " + stamp(r.UndoExpiresAt)
}

func refuseFailed(r *ledger.Record, f failure) *refusal {
	no := &refusal{code: f.code, message: f.message, hint: nextAfter(r, noTime)}
	switch {
	case r.Status == ledger.Applied && f.code == CodeStateChanged:
		no.hint = hintLaterEdit(r)
	case r.Status == ledger.Applied:
		no.hint = fmt.Sprintf("Nothing was undone, and the change stays applied. "+
			"Once what the message says is dealt with, call undo again with the same token: it works %s.", undoWindow(r))
	}
	return no.about(r)
}

func refuseShuttingDown() *refusal {
	return &refusal{
		code:    CodeShuttingDown,
		passes:  true,
		message: "The server is shutting down and starts nothing new.",
		hint:    "Nothing was spent. Make the same call again when the server is back.",
	}
}

func refuseInternal() *refusal {
	return &refusal{
		code:    CodeInternal,
		passes:  true,
		message: "The server failed inside; what this call asked for may not have been done.",
		hint:    "If the call named a change, ask get_change_status before anything else. " + hintOperator,
	}
}

// refusePreviewFailed answers for a fault of the server before there is a change that the caller could ask for.
func refusePreviewFailed() *refusal {
	return &refusal{
		code:    CodeInternal,
		message: "The server failed inside, so there is no preview. Nothing was written.",
		hint:    "Preview again in a moment. If it stays so: " + hintOperator,
	}
}

func refuseArguments(wrong []payload.Violation) *refusal {
	return &refusal{
		code:       CodeInvalidArguments,
		message:    fmt.Sprintf("The arguments were not accepted (%s).", plural.Of(len(wrong), "problem")),
		hint:       "Correct what the violations name, as the tool's input schema says. Nothing was spent.",
		violations: wrong,
	}
}

// unreadable is what the strict reader found, in a payload.
func unreadable(fault *exact.Error) payload.Violation {
	found := fault.Cause.Error()
	if fault.Detail != "" {
		found += ": " + fault.Detail
	}
	if fault.Offset >= 0 {
		found += fmt.Sprintf(" (byte %d)", fault.Offset)
	}
	return violated(fault.Path, "JSON that can be kept exactly", found)
}

// violated is a violation that says all of itself in its message. What is long is cut, as in those of payloads.
func violated(pointer, expected, found string) payload.Violation {
	pointer = payload.CutPointer(pointer)
	return payload.Violation{
		Pointer: pointer, Expected: payload.CutText(expected), Found: payload.CutText(found),
		Message: payload.CutText(fmt.Sprintf("%s: expected %s, found %s", pointerText(pointer), expected, found)),
	}
}

const expectedText = "a string that is not empty"

func onlyArguments(names []string) string { return "no argument but " + strings.Join(names, " and ") }

// expectedOf says what arguments must be like that the strict reader refused.
func expectedOf(cause error) string {
	switch cause {
	case exact.ErrTooLarge:
		return fmt.Sprintf("at most %d bytes of arguments", argumentLimits.Bytes)
	case exact.ErrDepth:
		return fmt.Sprintf("at most %d objects and arrays inside one another", argumentLimits.Depth)
	case exact.ErrNumber:
		return expectedText
	case exact.ErrDuplicateName:
		return "every name once"
	case exact.ErrInvalidText:
		return "text in UTF-8, without half a surrogate pair"
	}
	return "a JSON object"
}

// kindOf says what an argument is instead of a text.
func kindOf(members map[string]any, name string) string {
	argument, given := members[name]
	if !given {
		return "nothing"
	}
	switch argument.(type) {
	case string:
		return "an empty string"
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case bool:
		return "a boolean"
	case nil:
		return "null"
	}
	return "a number"
}

func refusePayload(violations []payload.Violation) *refusal {
	return &refusal{
		code:       CodeInvalidPayload,
		message:    fmt.Sprintf("The payload was not accepted (%s).", plural.Of(len(violations), "problem")),
		hint:       "Correct what the violations name and preview again.",
		violations: violations,
	}
}

// refuseTooComplex is for a payload of a size that is read and a shape that takes too long to check.
func refuseTooComplex(pointer string) *refusal {
	return &refusal{
		code:    CodeTooComplex,
		message: fmt.Sprintf("Checking the payload against its schema would take too long; it was given up at %s. Nothing was written.", pointerText(pointer)),
		hint:    "Send less at once, or nest it less deeply.",
	}
}

// refuseUnreadLarge is for a payload that is larger than is read.
func refuseUnreadLarge() *refusal {
	return &refusal{
		code:    CodeTooLarge,
		message: fmt.Sprintf("The payload has more than %d bytes, which is the most that is read, with its numbers written out. Nothing was written.", exact.DefaultLimits.Bytes),
		hint:    "Split the change into smaller ones and preview each.",
	}
}

func refusePrepare(problem string) *refusal {
	return &refusal{
		code:    CodePrepareFailed,
		message: "The payload could not be prepared: " + problem + ".",
		hint:    "Nothing was written. Try again; if it stays so: " + hintOperator,
	}
}

// refusePrepared is for a payload of which prepare made one that breaks the schema, as of a name that is only spaces.
func refusePrepared(violations []payload.Violation) *refusal {
	return &refusal{
		code:       CodePrepareFailed,
		message:    "What this server made of the payload does not fit the schema; nothing was written.",
		hint:       "Correct what led to it and preview again. If the payload was right: " + hintOperator,
		violations: violations,
	}
}

func refuseTooLarge(size, limit int) *refusal {
	return &refusal{
		code:    CodeTooLarge,
		message: fmt.Sprintf("Payload, summary and diff take %d bytes; the limit is %d.", size, limit),
		hint:    "Split the change into smaller ones and preview each.",
	}
}

// ofItsOwn tells whether an operation looks at something that has no name but that of the operation. As a method it would
// be compiled again for each operation, which embeds its Meta.
func ofItsOwn(m *Meta) bool { return m.Resource == m.Name }

func refuseAbsent(m *Meta) *refusal {
	no := &refusal{code: CodeNotFound, hint: "Check the arguments that name it."}
	no.message = fmt.Sprintf("There is no such %s to change.", m.Resource)
	if ofItsOwn(m) {
		no.message = fmt.Sprintf("There is nothing with these arguments for %s to change.", m.Name)
	}
	return no
}

func refuseExists(m *Meta) *refusal {
	no := &refusal{code: CodeAlreadyExists, hint: "Choose another name, or use an operation that changes what exists."}
	no.message = fmt.Sprintf("The %s exists already.", m.Resource)
	if ofItsOwn(m) {
		no.message = fmt.Sprintf("What %s would make exists already.", m.Name)
	}
	return no
}

func refuseNotUnique(m *Meta) *refusal {
	no := &refusal{code: CodeNotUnique, hint: "Make the arguments name exactly one."}
	no.message = fmt.Sprintf("The arguments match more than one %s.", m.Resource)
	if ofItsOwn(m) {
		no.message = fmt.Sprintf("The arguments match more than one thing for %s to change.", m.Name)
	}
	return no
}

func refuseObserve(problem string) *refusal {
	return &refusal{
		code:    CodeObserveFailed,
		passes:  true,
		message: "The current state could not be read: " + problem,
		hint:    "Nothing was written. Try again; if it stays so: " + hintOperator,
	}
}

func refuseOwn(message string) *refusal {
	return &refusal{code: CodeRefused, message: message, hint: hintOwn}
}

// refuseKey is for a change with sensitive values. Other changes need no key.
func refuseKey() *refusal {
	return &refusal{
		code:    CodeLedgerUnsupported,
		passes:  true,
		message: "The ledger's key for sensitive values is missing, or is that of another ledger, so a change that has such values cannot be told from an altered one. Nothing was done.",
		hint:    hintOperator,
	}
}

func refuseLedger(code Code) *refusal {
	switch code {
	case CodeLedgerBusy:
		return &refusal{code: code, passes: true, message: "The ledger did not get its turn in time.", hint: hintRetry}
	case CodeLedgerCorrupt:
		return &refusal{code: code, passes: true, message: "The ledger is damaged, so nothing was done.", hint: hintOperator}
	case CodeLedgerUnsupported:
		return &refusal{code: code, passes: true, message: "The ledger cannot be used: it is of another version, or was removed or replaced. Nothing was done.", hint: hintOperator}
	case CodeLedgerUnavailable:
		return &refusal{
			code:    code,
			passes:  true,
			message: "The ledger cannot be read or written: its disk is full, fails, or is read-only, or its database cannot be reached. Nothing was written to the target by this call.",
			hint:    hintOperator + " Once that is mended, try the same call again; whether its token was spent, the answer says.",
		}
	}
	return &refusal{
		code:    CodeInternal,
		passes:  true,
		message: "The ledger did not answer; nothing was written to the target by this call.",
		hint:    "Ask get_change_status before anything else. " + hintOperator,
	}
}

// What to do after a call that succeeded.
const (
	nextPreviewed       = "Show the summary and the diff to the person. Only after they agree, call %s with change_id and confirmation_token."
	nextPreviewedOff    = " Writes are switched off on this server; until an operator switches them on, applying is refused and nothing is spent."
	nextWritesOff       = " Writes are switched off on this server; until an operator switches them on, apply and undo are refused and nothing is spent."
	nextApplied         = "Tell the person that the change was made."
	nextAppliedUndo     = " To take it back, call %s with change_id and undo_token."
	nextAppliedUnlooked = " The state could not be read after the change; the first undo will read it and show it before anything is undone."
	nextAppliedNoUndo   = " It cannot be undone."
	nextAppliedNoResult = " It cannot be undone, because that needs the result."
	nextUndoneAlready   = "The state was as before the change already; nothing was written. "
	nextUndone          = "Tell the person that the change was taken back. An undo cannot be undone; preview a new change instead."
	nextPending         = "Nothing has been written. Apply it with the token from the preview, or let it expire."
	nextExpired         = "Nothing was written, and nothing can be any more. Preview again if it is still wanted."
	nextRejected        = "A person said no. Do not try again without asking them."
	nextInFlight        = "It is being carried out right now. "
	nextInDoubt         = "It is never run again, and an operator has to look at the target. "
	nextInDoubtJoined   = "It is never run again. " + hintSettlesItself + " "
	nextStatusUndone    = "The change was applied and taken back. There is nothing to do."
)

// The first lines of the tools' descriptions: the contract, whatever the operation is.
const (
	aboutPreview = "Step 1 of 2: shows exactly what %s would change and writes nothing. Show it to the person; after they agree, call %s."
	// aboutPreviewOnly is aboutPreview where writes are off and no tool applies.
	aboutPreviewOnly = "Shows exactly what %s would change and writes nothing. Writes are switched off on this server, which has no tool to apply it with."
	aboutApply       = "Step 2 of 2: carries out a change exactly as its preview showed it, at most once, with change_id and confirmation_token of that preview."
	aboutUndo        = "Takes an applied change back, unless somebody changed the state since, with change_id and undo_token of the answer that applied it."
	aboutStatus      = "Tells where a previewed change stands, and writes nothing. Ask it, and do not preview again, when an apply or undo gave no clear answer."
)

// aboutResource describes the resource of a change.
const aboutResource = "A previewed change, whole: what get_change_status tells, with every row of the diff and nothing cut. It has no token. The second content is the same for people."

// The descriptions of arguments and answers.
const (
	aboutChangeID = "The change_id from the preview."
	aboutToken    = "The confirmation_token from the preview of this change."
	aboutUndoArg  = "The undo_token from the answer that applied this change."
)

// stamp writes a time for people and programs alike.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
