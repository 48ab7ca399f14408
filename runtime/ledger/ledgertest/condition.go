package ledgertest

import (
	"slices"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// differing are changes that differ from the first in what a query may ask for. The n-th has the id n+1 and the status that
// it is given, unless it has another. The time of its last event is when it is made.
func differing(status ledger.Status) (changes []ledger.Record) {
	for n, change := range []func(r *ledger.Record){
		func(*ledger.Record) {},
		func(r *ledger.Record) { r.Status = ledger.ApplyFailed },
		func(r *ledger.Record) { r.Server = "other" },
		func(r *ledger.Record) { r.Operation = "other" },
		func(r *ledger.Record) { r.Operation = "another" },
		func(r *ledger.Record) { r.Scope = "other" },
		func(r *ledger.Record) { r.Caller = "other" },
		func(r *ledger.Record) { r.Scope, r.Caller = "other", "other" },
		func(r *ledger.Record) { r.Scope, r.Caller = "", "" },
		func(r *ledger.Record) { r.RequestID = "the request" },
		func(r *ledger.Record) { r.PayloadHash = "other" },
		func(r *ledger.Record) { r.PayloadHash, r.Status = "other", ledger.Undone },
		func(r *ledger.Record) { r.RetryOf = "the change" },
		func(r *ledger.Record) { r.UpdatedAt = noon.Add(-time.Hour) },
		func(r *ledger.Record) { r.UpdatedAt = asked.Add(-time.Minute) },
		func(r *ledger.Record) { r.ClaimedAt = asked.Add(-time.Minute) },
		func(r *ledger.Record) { r.ExpiresAt = asked.Add(time.Minute) },
		func(r *ledger.Record) { r.Joined = true },
		func(r *ledger.Record) { r.Status = ledger.Applied },
		func(r *ledger.Record) { r.Status, r.UndoRequest = ledger.Applied, ledger.Request{At: noon, By: "root"} },
		func(r *ledger.Record) { r.Status, r.UndoToken = ledger.Applied, []byte("undo token") },
	} {
		r := plain(n + 1)
		r.Status, r.UpdatedAt = status, noon
		change(&r)
		changes = append(changes, r)
	}
	return changes
}

// asked is when differing changes are asked for.
var asked = noon.Add(time.Hour)

// condition is a query, and the numbers of the differing changes that it selects, whatever status they were given.
type condition struct {
	what string
	of   ledger.Query
	want []int
}

// conditions have each field of a query decide, but for those of its pages.
var conditions = []condition{
	{"statuses", ledger.Query{Statuses: []ledger.Status{ledger.ApplyFailed, ledger.Undone}}, []int{2, 12}},
	{"applied", ledger.Query{Statuses: []ledger.Status{ledger.Applied}}, []int{19, 20, 21}},
	{"a server", ledger.Query{Server: "other"}, []int{3}},
	{"an operation", ledger.Query{Operations: []string{"other"}}, []int{4}},
	{"operations", ledger.Query{Operations: []string{"another", "none", "other"}}, []int{4, 5}},
	{"a party", ledger.Query{By: &ledger.Party{Scope: "other", Caller: "other"}}, []int{8}},
	{"nobody in particular", ledger.Query{By: &ledger.Party{}}, []int{9}},
	{"a request", ledger.Query{RequestID: "the request"}, []int{10}},
	{"a payload", ledger.Query{PayloadHash: "other"}, []int{11, 12}},
	{"a payload that was undone", ledger.Query{PayloadHash: "other", Statuses: []ledger.Status{ledger.Undone}}, []int{12}},
	{"a retry", ledger.Query{RetryOf: "the change"}, []int{13}},
	{"before", ledger.Query{UpdatedBefore: noon}, []int{14}},
	{"lately", ledger.Query{UpdatedWithin: time.Hour}, []int{15}},
	{"claimed lately", ledger.Query{ClaimedWithin: time.Hour}, []int{16}},
	{"unexpired", ledger.Query{Unexpired: true}, []int{17}},
	{"joined", ledger.Query{Joined: true}, []int{18}},
	{"undo requested", ledger.Query{UndoRequested: true, Statuses: []ledger.Status{ledger.Applied}}, []int{20}},
	{"applied, and undo is over", ledger.Query{UndoOver: true, Statuses: []ledger.Status{ledger.Applied}}, []int{19, 20}},
	{"these", ledger.Query{IDs: []string{id(4), id(2), "none"}}, []int{2, 4}},
	{"none", ledger.Query{IDs: []string{}}, nil},
	{"all at once", ledger.Query{
		Server: "settings", Operations: []string{"set_setting"}, By: &ledger.Party{Scope: "scope hash", Caller: "caller hash"},
		RequestID: "the request", PayloadHash: "sha256:3",
	}, []int{10}},
}

// prunable are the numbers of those of them that a prune deletes, where all that are not applied are settled: applied ones
// only where their status is named, and undo is over.
func (c condition) prunable() (numbers []int) {
	for n, r := range differing(ledger.Rejected) {
		kept := r.Status == ledger.Applied && (r.UndoToken != nil || !slices.Contains(c.of.Statuses, ledger.Applied))
		if slices.Contains(c.want, n+1) && !kept {
			numbers = append(numbers, n+1)
		}
	}
	return numbers
}

// insertMissing inserts those of the changes that are not there, each at its time, and sets the clock to when they are asked for.
func insertMissing(t *testing.T, s ledger.Store, now *clock, changes []ledger.Record) {
	t.Helper()
	there := listed(t, s, ledger.Query{})
	for _, r := range changes {
		if !slices.Contains(there, r.ID) {
			now.set(r.UpdatedAt)
			insert(t, s, r)
		}
	}
	now.set(asked)
}

func queriesSelectByEveryField(t *testing.T, open Opener) {
	queriesSelectEach(t, open, ledger.Pending)
}

func queriesOfRejectedChangesSelectByEveryField(t *testing.T, open Opener) {
	queriesSelectEach(t, open, ledger.Rejected)
}

// queriesSelectEach asks for differing changes of that status also by their status, for which a store may have other ways.
func queriesSelectEach(t *testing.T, open Opener, status ledger.Status) {
	now := newClock()
	s := open(now.read)
	all := differing(status)
	insertMissing(t, s, now, all)
	for _, c := range conditions {
		selects(t, s, c.what, c.of, c.want...)
		if c.of.Statuses == nil {
			c.of.Statuses = []ledger.Status{status}
			others := func(n int) bool { return all[n-1].Status != status }
			selects(t, s, c.what+", "+string(status), c.of, slices.DeleteFunc(slices.Clone(c.want), others)...)
		}
	}
}

// pruneSelectsByEveryField has what was deleted made again.
func pruneSelectsByEveryField(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	all := differing(ledger.Rejected)
	for _, c := range conditions {
		insertMissing(t, s, now, all)
		deleted := ids(c.prunable()...)
		equal(t, c.what+", pruned", prune(t, s, c.of, len(all)), len(deleted))
		var left []string
		for _, r := range all {
			if !slices.Contains(deleted, r.ID) {
				left = append(left, r.ID)
			}
		}
		equal(t, c.what+", left", listed(t, s, ledger.Query{}), left)
	}
}

// capsCountByEveryField has a change inserted where there is no room for it, and where there is, and deletes it.
func capsCountByEveryField(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	insertMissing(t, s, now, differing(ledger.Pending))
	for _, c := range conditions {
		full := ledger.Cap{Of: c.of, Max: len(c.want)}
		failsWith(t, c.what+", without room", s.Insert(t.Context(), rejected(99), previewed, full), ledger.ErrCap)
		full.Max++
		if err := s.Insert(t.Context(), rejected(99), previewed, full); err != nil {
			t.Errorf("%s, with room: %v", c.what, err)
		}
		prune(t, s, ledger.Query{IDs: ids(99)}, 1)
	}
}
