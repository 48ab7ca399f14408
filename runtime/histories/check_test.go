package histories_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// checkPatience bounds the check of the history of one change, which takes a moment.
const checkPatience = time.Minute

// read ends a history with what the ledger and the target have at the end, and checks all of it.
func (h *history) read(ctx context.Context, store *sqlite.Store) error {
	faults, err := store.Check(ctx)
	if err != nil {
		return err
	}
	h.problems = append(h.problems, faults...)
	records := map[string]*ledger.Record{}
	for q := (ledger.Query{}); ; {
		page, err := store.List(ctx, q)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		for i := range page {
			records[page[i].ID] = &page[i]
			if err := h.readEvents(ctx, store, &page[i]); err != nil {
				return err
			}
		}
		q.After = page[len(page)-1].ID
	}
	h.checkLimit(records)
	h.checkPayloads(records)
	if err := h.checkWrites(ctx, records); err != nil {
		return err
	}
	for id := range h.steps {
		h.checkChange(id, records)
	}
	return nil
}

// successors are the transitions that there are.
var successors = map[ledger.Status][]ledger.Status{
	"":              {ledger.Pending},
	ledger.Pending:  {ledger.Pending, ledger.Rejected, ledger.Expired, ledger.Applying},
	ledger.Applying: {ledger.Applying, ledger.Applied, ledger.ApplyFailed},
	ledger.Applied:  {ledger.Applied, ledger.Undoing},
	ledger.Undoing:  {ledger.Undoing, ledger.Applied, ledger.Undone, ledger.UndoFailed},
}

// readEvents checks that the events of a change are a path to where it is, and that its claims were in time.
func (h *history) readEvents(ctx context.Context, store *sqlite.Store, r *ledger.Record) error {
	events, err := store.Events(ctx, r.ID)
	if err != nil {
		return err
	}
	var at ledger.Status
	for n, e := range events {
		if e.Seq != int64(n+1) || e.From != at || !slices.Contains(successors[at], e.To) {
			h.fault("%s: event %d is from %q to %q, and the change was %q", r.ID, e.Seq, e.From, e.To, at)
		}
		if e.To == ledger.Applying && at == ledger.Pending && !e.At.Before(r.ExpiresAt) {
			h.fault("%s: claimed at %v, and expired at %v", r.ID, e.At, r.ExpiresAt)
		}
		if e.To == ledger.Undoing && at == ledger.Applied && !r.UndoExpiresAt.IsZero() && !e.At.Before(r.UndoExpiresAt) {
			h.fault("%s: its undo was claimed at %v, and its time was over at %v", r.ID, e.At, r.UndoExpiresAt)
		}
		at = e.To
	}
	if at != r.Status || int64(len(events)) != r.Revision {
		h.fault("%s is %s at revision %d, and its %d events end at %q", r.ID, r.Status, r.Revision, len(events), at)
	}
	return nil
}

// checkLimit checks that the claims of the limited operation never were too many for the time they came in. A claim is
// counted when it is made, and has the time of the reading before: the clock may have been set in between.
func (h *history) checkLimit(records map[string]*ledger.Record) {
	var claims []time.Time
	for _, r := range records {
		if r.Operation == limited && !r.ClaimedAt.IsZero() {
			claims = append(claims, r.ClaimedAt)
		}
	}
	slices.SortFunc(claims, time.Time.Compare)
	for n := limitOf; n < len(claims); n++ {
		if first := claims[n-limitOf]; claims[n].Sub(first) < limitPer-mostAhead {
			h.fault("%d changes of %s were claimed from %v to %v", limitOf+1, limited, first, claims[n])
		}
	}
}

// checkPayloads checks that what ran is what was previewed.
func (h *history) checkPayloads(records map[string]*ledger.Record) {
	for id, hash := range h.payloads {
		if r := records[id]; r != nil && r.PayloadHash != hash {
			h.fault("%s ran with the payload %s, and %s was kept", id, hash, r.PayloadHash)
		}
		if k := h.byID[id]; k != nil && k.hash != "" && k.hash != hash {
			h.fault("%s ran with the payload %s, and %s was shown", id, hash, k.hash)
		}
	}
}

// checkWrites checks, in the target itself, that no body wrote twice, and that what says that it was done was.
func (h *history) checkWrites(ctx context.Context, records map[string]*ledger.Record) error {
	rows, err := h.target.QueryContext(ctx, `SELECT change, body, count(*) FROM writes GROUP BY change, body`)
	if err != nil {
		return err
	}
	defer rows.Close()
	wrote := map[string]bool{}
	for rows.Next() {
		var change, body string
		var n int
		if err := rows.Scan(&change, &body, &n); err != nil {
			return err
		}
		if wrote[change+body] = true; n > 1 {
			h.fault("the %s of %s wrote %d times", body, change, n)
		}
	}
	for id, r := range records {
		isApplied := r.Status == ledger.Applied || r.Status == ledger.Undoing || r.Status == ledger.Undone || r.Status == ledger.UndoFailed
		switch {
		case isApplied && !wrote[id+string(toApply)]:
			h.fault("%s is %s, and its apply never wrote", id, r.Status)
		case r.Status == ledger.Undone && !wrote[id+string(toUndo)]:
			h.fault("%s is undone, and its undo never wrote", id)
		case (r.Status == ledger.Pending || r.Status == ledger.Rejected || r.Status == ledger.Expired) && wrote[id+string(toApply)]:
			h.fault("%s is %s, and its apply wrote", id, r.Status)
		}
	}
	return rows.Err()
}

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

// gravesOf are the ends of the processes that had a part in steps; any may have carried out what a person requested.
func (h *history) gravesOf(steps []*step) (graves []*step) {
	errands := slices.ContainsFunc(steps, func(x *step) bool { return x.kind == decided && strings.Contains(x.what, requestUndo.name) })
	for _, x := range h.graves {
		if errands || slices.ContainsFunc(steps, func(y *step) bool { return y.process == x.process }) {
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
	x.pruned = h.prunedAt > 0 && h.prunedAt < x.returned
	x.late, x.undoLate = true, true
	if k == nil {
		x.rejected = true
		return
	}
	x.late = !x.by.Before(k.bornAt.Add(ttl))
	x.undoLate = !x.by.Before(k.bornAt.Add(undoTTL))
	x.rejected = slices.ContainsFunc(h.rejects[k.sameAs()], func(no *step) bool { return no.called < x.returned })
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
