package histories_test

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The model is one change as a sequential program would keep it: no processes, no ledger, no lost answers. A history of
// a change is right if its steps, each somewhere between its call and its return, are a run of the model.

const (
	unknown = "?"                     // a token that nobody was told
	pruned  = ledger.Status("pruned") // the change is no longer in the ledger
)

// Who asked for an undo.
const (
	byAgent  = "agent"
	byPerson = "person"
)

// state is where a change stands in the model. Nothing is before its preview.
type state struct {
	status        ledger.Status
	payload       string
	confirm, undo string // the tokens that are good
	approved      bool   // a person said yes to the apply
	undoVerdict   ledger.DecisionVerdict
	request       string // who asks for an undo

	// Of the claim in force:
	call   int
	holder string // its process; "" for an undo that an operator requested, until its body runs
	loose  bool   // it may end without a step of the history
	ran    bool
	body   body
	doubt  bool // everybody knows that nobody knows how it ended
	orphan bool // its process is gone
}

func (s state) open() bool { return s.status == ledger.Applying || s.status == ledger.Undoing }

func (s state) over() bool {
	switch s.status {
	case ledger.Rejected, ledger.Expired, ledger.ApplyFailed, ledger.Undone, ledger.UndoFailed:
		return true
	}
	return false
}

// model is the program that every history of a change is held against.
func model() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{state{}} },
		Step: func(from, input, _ any) (next []any) {
			x := input.(*step)
			for _, s := range from.(state).reach(x) {
				if x.maybe {
					next = append(next, s)
				}
				for _, s := range s.take(x) {
					next = append(next, s)
				}
			}
			return next
		},
		Equal:             func(a, b any) bool { return a.(state) == b.(state) },
		DescribeOperation: func(input, _ any) string { return input.(*step).what },
		DescribeState:     func(s any) string { return fmt.Sprintf("%+v", s) },
	}
	return m.ToModel()
}

// reach is s and every state that it may come to by itself before x.
func (s state) reach(x *step) []state {
	reached := []state{s}
	known := map[state]bool{s: true}
	for i := 0; i < len(reached); i++ {
		for _, next := range reached[i].byItself(x) {
			if !known[next] {
				known[next] = true
				reached = append(reached, next)
			}
		}
	}
	return reached
}

// byItself is what the guards and the time make of a change without being asked by a caller who is told.
func (s state) byItself(x *step) (next []state) {
	if s.over() && x.around.pruned {
		next = append(next, state{status: pruned})
	}
	switch {
	case s.open():
		if s.loose && !s.orphan {
			next = append(next, s.end(unknown)...)
		}
		if s.doubt && s.body.wrote { // a look finds that
			next = append(next, s.done(unknown))
		}
	case s.status == ledger.Pending && x.around.late:
		s.status = ledger.Expired
		next = append(next, s)
	case s.status == ledger.Applied && s.request != "":
		next = append(next, s.requested(x)...)
	}
	return next
}

// requested is what comes of a request for an undo: a guard carries out that of a person, or gives it up; and it ends with
// the time to undo.
func (s state) requested(x *step) (next []state) {
	if s.request == byPerson && s.undoVerdict == ledger.Approved {
		s.request = "" // it is for one claim
		next = append(next, s.claim(ledger.Undoing, &step{loose: true}))
		s.undoVerdict = ""
		return append(next, s)
	}
	if x.around.undoLate {
		s.request = ""
		if s.undoVerdict == ledger.Approved {
			s.undoVerdict = ""
		}
		next = append(next, s)
	}
	return next
}

// take is what x makes of s; nothing if x cannot be there.
func (s state) take(x *step) []state {
	switch x.kind {
	case previewed:
		return s.preview(x)
	case born:
		if s.status == "" {
			fresh := state{status: ledger.Pending, payload: x.payload, confirm: x.fresh}
			approved := fresh
			approved.approved = true // as the change was that it tries again
			return []state{fresh, approved}
		}
	case renewed:
		if s.status == ledger.Pending {
			s.confirm = x.fresh
			return []state{s}
		}
	case claimed:
		return s.claims(x)
	case ran:
		return s.runs(x)
	case settled:
		return s.settles(x)
	case crashed:
		return s.crash(x)
	case seen, decided:
		if x.allows(s) {
			if x.becomes != nil {
				s = x.becomes(s)
			}
			return []state{s}
		}
	}
	return nil
}

func (s state) preview(x *step) []state {
	switch {
	case s.status == "":
		return []state{{status: ledger.Pending, payload: x.payload, confirm: x.fresh}}
	case s.status == ledger.Pending && s.payload == x.payload && x.token != "": // the token is the request id
		s.confirm = x.fresh
		return []state{s}
	}
	return nil
}

func (s state) claims(x *step) []state {
	switch {
	case x.purpose == toApply && s.status == ledger.Pending && s.confirm == x.token &&
		(s.approved || !x.about.needsYes && !x.around.barred):
		return []state{s.claim(ledger.Applying, x)}
	case x.purpose == toUndo && s.status == ledger.Applied && s.undo == x.token &&
		(s.undoVerdict == ledger.Approved || s.undoVerdict == "" && !x.about.needsUndoYes): // a no binds whoever has the token
		return []state{s.claim(ledger.Undoing, x)}
	}
	return nil
}

func (s state) claim(to ledger.Status, x *step) state {
	s.status, s.call, s.holder, s.loose = to, x.call, x.process, x.loose
	s.ran, s.body, s.doubt, s.orphan = false, body{}, false, false
	return s
}

// runs lets a claim run one body, once, and only its own process.
func (s state) runs(x *step) []state {
	if s.ran || s.doubt || !s.open() || (s.status == ledger.Applying) != (x.purpose == toApply) {
		return nil
	}
	if s.holder != x.process && (s.holder != "" || s.status != ledger.Undoing) {
		return nil
	}
	s.holder, s.ran, s.body = x.process, true, x.body
	return []state{s}
}

func (s state) settles(x *step) (next []state) {
	if !s.open() || s.call != x.call {
		return nil
	}
	for _, end := range s.end(x.fresh) {
		if end.status == x.status {
			next = append(next, end)
		}
	}
	return next
}

// end is how a claim ends that its process settles: as its body says.
func (s state) end(undoToken string) []state {
	switch {
	case !s.ran, s.body.ending == proved:
		return []state{s.failed(true)}
	case s.body.ending == fine && s.body.wrote:
		return []state{s.done(undoToken)}
	case s.body.ending == failed:
		return []state{s.failed(false)}
	case s.body.ending == unsure && !s.doubt:
		s.doubt = true
		return []state{s}
	}
	return nil
}

// done is a claim whose body wrote, and may say so.
func (s state) done(undoToken string) state {
	if s.status == ledger.Undoing {
		s.status = ledger.Undone
	} else {
		s.status, s.undo = ledger.Applied, undoToken
	}
	return s.unclaimed()
}

func (s state) failed(proof bool) state {
	switch {
	case s.status == ledger.Applying:
		s.status = ledger.ApplyFailed
	case proof:
		s.status = ledger.Applied
		if s.request == "" { // a yes is over with the request that it came with
			s.undoVerdict = ""
		}
	default:
		s.status = ledger.UndoFailed
	}
	return s.unclaimed()
}

// unclaimed forgets the claim, so that states that differ by it alone are one.
func (s state) unclaimed() state {
	s.call, s.holder, s.loose, s.ran, s.body, s.doubt, s.orphan = 0, "", false, false, body{}, false, false
	return s
}

// crash leaves the claim of a process in doubt.
func (s state) crash(x *step) []state {
	orphaned := s
	orphaned.doubt, orphaned.orphan = true, true
	switch {
	case s.open() && s.holder == x.process:
		return []state{orphaned}
	case s.open() && s.holder == "":
		orphaned.holder = x.process
		return []state{s, orphaned}
	}
	return []state{s}
}
