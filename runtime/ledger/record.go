package ledger

import "time"

// Status is where a change stands.
type Status string

// The statuses. Nothing ever returns to Pending.
const (
	Pending     Status = "pending"
	Rejected    Status = "rejected"
	Expired     Status = "expired"
	Applying    Status = "applying"
	Applied     Status = "applied"
	ApplyFailed Status = "apply_failed"
	Undoing     Status = "undoing"
	Undone      Status = "undone"
	UndoFailed  Status = "undo_failed"
)

// Record is one change. Times are UTC and kept to the millisecond; a zero time is stored as none.
type Record struct {
	Fixed
	Revision int64 // of the record as read; raised by every Swap
	Mutable
}

// Fixed is the part of a Record that never changes after Insert.
type Fixed struct {
	ID          string
	Server      string // name of the server it was made by
	Operation   string
	Scope       string // hash of the scope; "" for none
	Caller      string // hash of the authenticated caller; "" for none
	Digest      string // of the operation's behaviour at preview
	UndoDigest  string // of what its undo depends on
	PayloadHash string
	Payload     []byte // canonical JSON, as approved
	State       []byte // canonical JSON of what was observed at preview; `null` when absent, nil when nothing is observed
	Shown       []byte // canonical JSON of the summary and rows that were shown
	CreatedAt   time.Time
	ExpiresAt   time.Time // of the approval; at this instant it is expired
}

// Mutable is the part of a Record that Swap writes.
type Mutable struct {
	Status    Status
	UpdatedAt time.Time // of the last event; the store sets it

	ApplyToken []byte // hash of the confirmation token
	UndoToken  []byte // hash of the undo token; nil before apply

	ClaimID string // random, of the claim in force; "" before the first
	Holder  string // name of the Hold that made it

	DoubtAt     time.Time // when the outcome became unsure; zero if it is not, or if the process died first
	DoubtReason string

	Code    string // of the failure, or ""
	Message string // what the agent was told of it
	Error   string // the whole error, for operators only
	Outcome string // not_applied, or unknown; "" unless failed

	Before        []byte    // state at the claim of apply; as Fixed.State
	After         []byte    // state after apply; `null` when absent, nil when not known
	Result        []byte    // canonical JSON of apply's result; nil when there is none
	ResultFlaw    string    // "" , result_omitted or result_invalid
	AppliedAt     time.Time // zero before
	UndoExpiresAt time.Time // zero: never, or not applied
}
