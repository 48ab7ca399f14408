package histories_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// checkPatience bounds the check of the history of one change, which takes a moment on a machine that is free.
const checkPatience = 5 * time.Minute

// checkChange checks that the history of a change, with where it is at the end, is a run of the model.
func (h *history) checkChange(id string, records map[string]*ledger.Record) {
	steps := h.complete(id, records)
	switch verdict, longest := check(steps); verdict {
	case porcupine.Ok:
	case porcupine.Unknown:
		h.fault("%s: the check of its %d steps did not end", id, len(steps))
	default:
		h.fault("%s: no order of its steps is right; the longest that is has those with a number:\n%s", id, told(steps, longest))
	}
}

// check holds steps against the model. Of steps that are in no order right it gives the most that are, in that order.
func check(steps []*step) (porcupine.CheckResult, []int) {
	var history []porcupine.Operation
	for _, x := range steps {
		history = append(history, porcupine.Operation{Input: x, Call: x.called, Return: x.returned})
	}
	m := model()
	verdict := porcupine.CheckOperationsTimeout(m, history, checkPatience)
	var longest []int
	if verdict == porcupine.Illegal {
		_, info := porcupine.CheckOperationsVerbose(m, history, checkPatience)
		for _, order := range info.PartialLinearizations()[0] {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	return verdict, longest
}

// complete is the history of one change with what was not its own: lost previews, ends of processes, and the end.
func (h *history) complete(id string, records map[string]*ledger.Record) []*step {
	steps, k, r := slices.Clone(h.steps[id]), h.byID[id], records[id]
	steps = append(steps, h.renewedUnseen(id, records)...)
	if k != nil && k.request != "" {
		for _, x := range h.lost {
			if x.token == k.request {
				lost := *x
				steps = append(steps, &lost)
			}
		}
	}
	steps = append(steps, h.gravesOf(steps)...)
	if !slices.ContainsFunc(steps, func(x *step) bool { return x.kind == previewed || x.kind == born }) {
		steps = append(steps, &step{kind: born, what: "born unseen", fresh: unknown, returned: h.now()})
	}
	steps = append(steps, h.last(r))
	facts := h.factsOf(k, r)
	for _, x := range steps {
		h.complement(x, k, facts)
	}
	slices.SortFunc(steps, func(a, b *step) int { return int(a.called - b.called) })
	return steps
}

// renewedUnseen are the new tokens of a change that tries another one again, which lost answers to an apply of that one
// may have had.
func (h *history) renewedUnseen(id string, records map[string]*ledger.Record) (steps []*step) {
	for id = h.retriedBy(id, records); id != ""; id = h.retriedBy(id, records) {
		for _, x := range h.steps[id] {
			if x.kind == claimed && x.purpose == toApply && x.maybe {
				steps = append(steps, &step{
					kind: renewed, what: x.what + ", and a new token of its retry", fresh: unknown, maybe: true,
					called: x.called, returned: x.returned, by: x.by,
				})
			}
		}
	}
	return steps
}

// retriedBy is the change that another one tries again; "" if it is none.
func (h *history) retriedBy(id string, records map[string]*ledger.Record) string {
	if r := records[id]; r != nil {
		return r.RetryOf
	}
	if k := h.byID[id]; k != nil {
		return k.retryOf
	}
	return ""
}

// gravesOf are the ends of the processes that may have had a claim: by a step, or because a person had requested an undo,
// which any of them may have begun. Other ends make no difference, and every step makes a check longer.
func (h *history) gravesOf(steps []*step) (graves []*step) {
	asked := int64(math.MaxInt64) // when an undo was requested first
	claims := map[string]bool{}   // by process
	for _, x := range steps {
		switch {
		case x.kind == decided && strings.Contains(x.what, requestUndo.name):
			asked = min(asked, x.called)
		case x.kind == claimed, x.kind == ran:
			claims[x.process] = true
		}
	}
	for _, x := range h.graves {
		if x.returned > asked || claims[x.process] {
			grave := *x
			graves = append(graves, &grave)
		}
	}
	return graves
}

// last is what the ledger says of a change when nobody moves it any more. What is open then is in doubt.
func (h *history) last(r *ledger.Record) *step {
	x := &step{kind: seen, what: "at the end: pruned", called: h.now(), allows: gone}
	if r != nil {
		x.what = fmt.Sprintf("at the end: %s %s", r.Status, r.DoubtReason)
		x.allows = func(s state) bool { return s.status == r.Status && (!s.open() || s.doubt) }
	}
	h.returned(x)
	return x
}

func (h *history) factsOf(k *known, r *ledger.Record) *facts {
	f := &facts{unrecorded: r == nil}
	operation := ""
	switch {
	case r != nil:
		f.needsYes, operation = r.Approval == "operator", r.Operation
	case k != nil:
		f.needsYes, operation = k.needsYes, k.operation
	}
	f.needsUndoYes, f.limited = operation == approved, operation == limited
	return f
}

// complement tells a step what was so at its return.
func (h *history) complement(x *step, k *known, f *facts) {
	x.about = f
	x.around.pruned = h.prunedAt > 0 && h.prunedAt < x.returned
	x.around.late, x.around.undoLate = true, true
	if k == nil {
		x.around.rejected = true
		return
	}
	x.around.late = !x.by.Before(k.bornAt.Add(ttl))
	x.around.undoLate = !x.by.Before(k.bornAt.Add(undoTTL))
	for _, no := range h.rejects[k.sameAs()] {
		x.around.rejected = x.around.rejected || no.called < x.returned
		x.around.barred = x.around.barred || no.kind == decided && !no.maybe && no.returned < x.called
	}
}

// told is a history for people.
func told(steps []*step, order []int) string {
	var b strings.Builder
	for n, x := range steps {
		place, maybe := "-", ""
		if at := slices.Index(order, n); at >= 0 {
			place = fmt.Sprint(at + 1)
		}
		if x.maybe {
			maybe = " (maybe)"
		}
		fmt.Fprintf(&b, "  %3s %6d–%-6d %s%s; given %q, told %q\n", place, x.called, x.returned, x.what, maybe, x.token, x.fresh)
	}
	return b.String()
}
