package histories_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// wrongOrder is what a history says that no program without crashes could have.
const wrongOrder = "no order of its steps is right"

// A ledger that breaks its promises is found out: what is checked here can fail.
func TestHistoriesTellOfALedgerThatLies(t *testing.T) {
	t.Parallel()
	for name, lie := range map[string]func() func(*ledger.Record, func() error) error{
		"forgets what it took": func() func(*ledger.Record, func() error) error {
			var writes atomic.Int64
			return func(_ *ledger.Record, write func() error) error {
				if writes.Add(1)%forgotten == 0 {
					return nil
				}
				return write()
			}
		},
		"lets two claim": func() func(*ledger.Record, func() error) error {
			return func(next *ledger.Record, write func() error) error {
				if err := write(); !errors.Is(err, ledger.ErrConflict) || next.Status != ledger.Applying || !next.DoubtAt.IsZero() {
					return err
				}
				return nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(liesTold) {
				h, err := play(inFile(t), seed, requestsOfLies, &troubles{lie: lie()})
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(strings.Join(h.problems, "\n"), wrongOrder) {
					return
				}
			}
			t.Errorf("%d episodes, and nobody noticed", liesTold)
		})
	}
}

const (
	forgotten      = 30 // every so manyeth transition
	liesTold       = 20 // episodes in which a lie has to be noticed; it is in the first, nearly always
	requestsOfLies = 500
)

// Histories that must not be, each one step from one that may be.
func TestModelRefusesWrongHistories(t *testing.T) {
	t.Parallel()
	preview := step{kind: previewed, payload: "p", fresh: "confirm"}
	claim := step{kind: claimed, call: 2, process: "a", purpose: toApply, token: "confirm"}
	run := step{kind: ran, process: "a", purpose: toApply, body: body{fine, true}}
	end := step{kind: settled, call: 2, status: ledger.Applied, fresh: "undo"}
	undo := step{kind: claimed, call: 3, process: "b", purpose: toUndo, token: "undo"}
	takeBack := step{kind: ran, process: "b", purpose: toUndo, body: body{fine, true}}
	undoEnd := step{kind: settled, call: 3, status: ledger.Undone}
	asked := step{kind: decided, allows: func(state) bool { return true }, becomes: requestUndo.becomes}
	rejected := step{kind: decided, allows: func(state) bool { return true }, becomes: rejectApply.becomes}
	is := func(status ledger.Status) step {
		return step{kind: seen, allows: func(s state) bool { return s.status == status }}
	}
	with := func(x step, change func(*step)) step {
		change(&x)
		return x
	}
	for name, test := range map[string]struct {
		steps []step
		right bool
	}{
		"applied and undone":               {[]step{preview, claim, run, end, undo, takeBack, undoEnd, is(ledger.Undone)}, true},
		"an acknowledged apply is lost":    {[]step{preview, claim, run, end, is(ledger.Pending)}, false},
		"an acknowledged undo is lost":     {[]step{preview, claim, run, end, undo, takeBack, undoEnd, is(ledger.Applied)}, false},
		"applied twice":                    {[]step{preview, claim, run, end, with(claim, func(x *step) { x.call = 4 })}, false},
		"a body that runs twice":           {[]step{preview, claim, run, run, end}, false},
		"a body without a claim":           {[]step{preview, run}, false},
		"a body of another process":        {[]step{preview, claim, with(run, func(x *step) { x.process = "b" }), end}, false},
		"a body of the dead":               {[]step{preview, claim, {kind: crashed, process: "a"}, run}, false},
		"applied, and nothing ran":         {[]step{preview, claim, end}, false},
		"applied, and nothing was written": {[]step{preview, claim, with(run, func(x *step) { x.body.wrote = false }), end}, false},
		"a spent token":                    {[]step{preview, with(preview, func(x *step) { x.kind, x.fresh = renewed, "another" }), claim}, false},
		"a wrong token":                    {[]step{preview, with(claim, func(x *step) { x.token = "undo" })}, false},
		"no yes":                           {[]step{preview, with(claim, func(x *step) { x.about = &facts{needsYes: true} })}, false},
		"the same was rejected":            {[]step{preview, with(claim, func(x *step) { x.around.barred = true })}, false},
		"an undo that a person requested":  {[]step{preview, claim, run, end, asked, takeBack, is(ledger.Undone)}, true},
		"an undo that nobody requested":    {[]step{preview, claim, run, end, takeBack}, false},
		"undone twice": {[]step{
			preview, claim, run, end, undo, takeBack, undoEnd, with(undo, func(x *step) { x.call = 4 }),
		}, false},
		"done by a look, and nothing was written": {[]step{preview, claim, {kind: crashed, process: "a"}, is(ledger.Applied)}, false},
		"done by a look": {[]step{
			preview, with(claim, func(x *step) { x.maybe, x.loose = true, true }), run, {kind: crashed, process: "a"}, is(ledger.Applied),
		}, true},
		"a claim that nobody was told of": {[]step{preview, with(claim, func(x *step) { x.maybe, x.loose = true, true }), is(ledger.Pending)}, true},
		"rejected, and claimed after":     {[]step{preview, rejected, claim}, false},
		"it comes back after its end":     {[]step{preview, rejected, is(ledger.Rejected), is(ledger.Pending)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if verdict, _ := check(inTurn(test.steps)); (verdict == porcupine.Ok) != test.right {
				t.Errorf("it is %s", verdict)
			}
		})
	}
}

// inTurn has steps follow each other.
func inTurn(steps []step) (history []*step) {
	for n, x := range steps {
		x.called, x.returned = int64(2*n), int64(2*n+1)
		if x.about == nil {
			x.about = &facts{}
		}
		history = append(history, &x)
	}
	return history
}
