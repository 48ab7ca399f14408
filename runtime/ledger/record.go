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
	ShownDigest string // over payload, state and shown: what a person's decision is about
	CreatedAt   time.Time

	RequestID   string // what the caller calls the request; "" for none
	RequestHash string // of the payload as the caller sent it
	RetryOf     string // id of the change that this one tries again; "" for none
	Rejected    string // id of a rejected change of the same payload, which raised Approval; "" for none

	Approval     string        // who says yes to the apply: token or operator
	UndoApproval string        // who says yes to the undo
	TTL          time.Duration // of the approval, from a person's decision
	UndoTTL      time.Duration // of the undo, from apply; negative: it does not expire, 0: there is none
	Items        int64         // how many things the change affects, as the operation counts them
	Sensitive    []byte        // canonical JSON: the JSON Pointers of sensitive values in payload and state; nil for none
}

// Mutable is the part of a Record that Swap writes.
type Mutable struct {
	// WriteID is random, of the write that left the record as it is. Whoever lost the answer of that write knows it by it.
	WriteID string

	Status    Status
	UpdatedAt time.Time // of the last event; the store sets it
	ExpiresAt time.Time // of the approval, or of the wait for a person; at this instant it is expired

	ApplyToken []byte // hash of the confirmation token
	UndoToken  []byte // hash of the undo token; nil before apply

	Decision     Decision // on the apply
	UndoDecision Decision // on the undo
	UndoRequest  Request  // that the change be undone, by an operator or by an agent who waits for one

	ClaimID   string    // random, of the claim in force; "" before the first
	Holder    string    // name of the Hold that made it
	ClaimedAt time.Time // of the claim of apply; zero before, and once that is proved to have written nothing
	// Joined tells that whoever made the claim in force writes to the ledger's own database, with Joiner.Join: the record
	// says what came of it in the same transaction. While it does not, nothing was written.
	Joined bool

	DoubtAt     time.Time // when the outcome became unsure; zero if it is not, or if the process died first and nobody has looked
	DoubtReason string    // as whoever carried it out left it
	Finding     Finding   // of the latest look at what the claim in force left

	Code    string // of the failure, or why a pending change waits for a person beyond its Approval; or ""
	Message string // what the agent was told of that
	Error   string // the whole error, for operators only
	Outcome string // not_applied, or unknown; "" unless failed
	RetryID string // id of the change that tries this one again; "" for none

	Before        []byte    // state at the claim of apply; as Fixed.State
	After         []byte    // state after apply; `null` when absent, nil when not known
	Result        []byte    // canonical JSON of apply's result; nil when there is none
	ResultFlaw    string    // "", result_omitted, result_invalid or result_lost
	SensitiveNow  []byte    // as Fixed.Sensitive, of before, after and result
	AppliedAt     time.Time // zero before
	UndoExpiresAt time.Time // zero: never, or not applied
}

// Decision is a person's yes or no to one transition of a change. The zero Decision is none.
type Decision struct {
	Verdict DecisionVerdict `json:"verdict"`
	At      time.Time       `json:"at"`
	By      string          `json:"by"`      // who, as the channel knows them
	Channel string          `json:"channel"` // changesetctl
	Reason  string          `json:"reason,omitempty"`
	Digest  string          `json:"digest"` // over its purpose, the change, and ShownDigest
}

// DecisionVerdict is yes or no.
type DecisionVerdict string

// The verdicts of a person.
const (
	Approved DecisionVerdict = "approved"
	Refused  DecisionVerdict = "refused"
)

// Finding is what somebody found who looked at the target of a claim in doubt. The zero Finding is none.
type Finding struct {
	Verdict string    `json:"verdict"` // done, not_done or unknown
	At      time.Time `json:"at"`
	By      string    `json:"by,omitempty"`      // who, as the channel knows them; "" for a look by a program
	Channel string    `json:"channel,omitempty"` // changesetctl; "" for a look by a program
	Saw     string    `json:"saw"`               // as operators read it
}

// Request is somebody's wish for a transition that another process has to make. The zero Request is none.
type Request struct {
	At      time.Time `json:"at"`
	By      string    `json:"by"`      // who, as the channel knows them
	Channel string    `json:"channel"` // changesetctl, or agent
	Reason  string    `json:"reason,omitempty"`
}

// Equal tells whether both are the same wish. Its times are moments: a ledger gives them back in another zone.
func (r Request) Equal(other Request) bool {
	at := r.At.Equal(other.At)
	r.At, other.At = time.Time{}, time.Time{}
	return at && r == other
}
