package runtime

import (
	"errors"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// askingHooks are the hooks of an operation that tell how much a change asks for.
type askingHooks struct {
	// asks tells whether the change needs the yes of Meta.Approval; nil: every one does.
	asks func(payload, state []byte) (bool, error)
	// items counts what the change affects; nil: one.
	items func(payload []byte) (int, error)
}

func eraseAsking[P, S, R any](e *erased, o *Operation[P, S, R]) {
	if o.ApprovalWhen != nil {
		e.asks = func(payload, state []byte) (bool, error) {
			c, err := changeOf[P, S](Call{}, payload, state)
			if err != nil {
				return false, err
			}
			return o.ApprovalWhen(c), nil
		}
	}
	if o.Items != nil {
		e.items = func(payload []byte) (int, error) {
			var p P
			if err := exact.Decode(payload, &p); err != nil {
				return 0, err
			}
			return o.Items(p), nil
		}
	}
}

// checkAsking finds what would make an operation ask for something else than it says.
func checkAsking(m *Meta) error {
	switch {
	case m.Approval != ByToken && m.Approval != ByOperator:
		return fmt.Errorf("its Approval is %d: give ByToken or ByOperator", m.Approval)
	case m.UndoApproval != ByToken && m.UndoApproval != ByOperator:
		return fmt.Errorf("its UndoApproval is %d: give ByToken or ByOperator", m.UndoApproval)
	case m.Limits.Changes < 0 || m.Limits.MaxItems < 0 || m.Limits.Per < 0:
		return errors.New("its Limits have a negative number: give positive ones, or 0 for no limit")
	case (m.Limits.Changes > 0) != (m.Limits.Per > 0):
		return errors.New("its Limits have one of Changes and Per: give both, or none")
	}
	return nil
}
