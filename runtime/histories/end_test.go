package histories_test

import (
	"context"
	"slices"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// read ends a history with what the ledger and the target have at the end, and checks all of it.
func (h *history) read(ctx context.Context, store book) error {
	faults, err := store.Check(ctx)
	if err != nil {
		return err
	}
	h.problems = append(h.problems, faults...)
	records := map[string]*ledger.Record{}
	for r, err := range ledger.All(ctx, store, ledger.Query{}) {
		if err != nil {
			return err
		}
		records[r.ID] = &r
		if err := h.readEvents(ctx, store, &r); err != nil {
			return err
		}
	}
	h.checkLimit(records)
	h.checkRequests(records)
	h.checkPayloads(records)
	h.checkWrites(records)
	for id := range h.steps {
		h.checkChange(id, records)
	}
	return nil
}

// checkRequests checks that every change is one that was asked for, and that there is one for each request.
func (h *history) checkRequests(records map[string]*ledger.Record) {
	unasked, made := 0, map[string]string{}
	for id, r := range records {
		if h.byID[id] == nil && r.RetryOf == "" {
			unasked++
		}
		if r.RequestID == "" {
			continue
		}
		request := r.Operation + " " + r.RequestID
		if other, ok := made[request]; ok {
			h.fault("the request %q has made %s and %s", request, other, id)
		}
		made[request] = id
	}
	if unasked > h.previewsLost {
		h.fault("%d changes are there that nobody was told of, after %d previews whose answers were lost", unasked, h.previewsLost)
	}
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
func (h *history) readEvents(ctx context.Context, store book, r *ledger.Record) error {
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
func (h *history) checkWrites(records map[string]*ledger.Record) {
	wrote := h.target.written()
	for w, n := range wrote {
		if n > 1 {
			h.fault("the %s of %s wrote %d times", w.body, w.change, n)
		}
	}
	for id, r := range records {
		isApplied := r.Status == ledger.Applied || r.Status == ledger.Undoing || r.Status == ledger.Undone || r.Status == ledger.UndoFailed
		switch {
		case isApplied && wrote[write{id, toApply}] == 0:
			h.fault("%s is %s, and its apply never wrote", id, r.Status)
		case r.Status == ledger.Undone && wrote[write{id, toUndo}] == 0:
			h.fault("%s is undone, and its undo never wrote", id)
		case (r.Status == ledger.Pending || r.Status == ledger.Rejected || r.Status == ledger.Expired) && wrote[write{id, toApply}] > 0:
			h.fault("%s is %s, and its apply wrote", id, r.Status)
		}
	}
}
