package runtime

import "errors"

// Why an Operator did not do what it was asked to; match with errors.Is. The text of the error says what to do. When an
// error is one of these, nothing was written.
var (
	ErrNoSuchChange = errors.New("there is no such change in this ledger")
	ErrNotWaiting   = errors.New("the change does not wait for this decision")
	ErrDecided      = errors.New("a person has decided already")
	ErrTooLate      = errors.New("the time to decide is over")
	ErrNotUndoable  = errors.New("the change cannot be undone")
	ErrNotInDoubt   = errors.New("the change is not in doubt")
	ErrMoved        = errors.New("the change has moved on since it was shown")
	ErrInFlight     = errors.New("the change is being carried out now")
	ErrNotDone      = errors.New("the change is proved not to be carried out")
	ErrReason       = errors.New("a reason is missing, or cannot be kept")
	ErrClockBehind  = errors.New("the clock runs behind")
)

// decline is why a person's request was not carried out.
type decline struct {
	cause error // one of the errors above, or of the ledger's
	text  string
}

func (d *decline) Error() string { return d.text }

func (d *decline) Unwrap() error { return d.cause }
