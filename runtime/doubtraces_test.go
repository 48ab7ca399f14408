package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// doubtRaces is how often everybody races for the end of a change in doubt, for each way that its body may end.
const doubtRaces = 6

// A body runs on although its time is up. It comes back while two servers look, an operator gives their word, and agents
// apply and undo. One of them ends the doubt, what they say later changes nothing, and no body runs twice.
func TestEverybodyRacesForTheEndOfADoubt(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]error{
		"success": nil, "proof": runtime.NotApplied(errors.New("refused")), "doubt": errCut, "no proof": errors.New("failed"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(doubtRaces) {
				newDoubtRace(t, end).run(t, rand.New(rand.NewPCG(seed, 0)))
			}
		})
	}
}

// doubtRace is one change in doubt whose body is still to come back.
type doubtRace struct {
	*world
	other   *world
	ana     *runtime.Operator
	change  reply
	release chan struct{}
	wrote   bool // the body has written
}

func newDoubtRace(t *testing.T, end error) *doubtRace {
	t.Helper()
	r := &doubtRace{release: make(chan struct{}), wrote: end == nil || errors.Is(end, runtime.ErrInDoubt)}
	wrote := make(chan struct{})
	r.world = newWorld(t, func(w *world) {
		w.operation.Timeout, w.operation.DoneWhen, w.operation.UndoWithoutResult = shortTimeout, asAsked, true
		apply := w.operation.Apply
		w.operation.Apply = func(ctx context.Context, c *setChange) (result *setResult, err error) {
			if r.wrote {
				result, err = apply(context.WithoutCancel(ctx), c)
			}
			close(wrote)
			<-r.release
			return result, errors.Join(err, end)
		}
		undo := w.operation.Undo
		w.operation.Undo = func(ctx context.Context, c *setApplied) error { return undo(context.WithoutCancel(ctx), c) }
	})
	r.other = newWorld(t, func(w *world) {
		w.options.Store, w.store, w.target, w.operation = r.store, r.store, r.target, r.operation
	})
	var err error
	if r.ana, err = runtime.NewOperator(r.store, runtime.Decider{Name: "ana", Channel: "test"}); err != nil {
		t.Fatal(err)
	}
	r.change = r.doubted(t, "theme", "dark")
	wait(t, wrote, "the body")
	return r
}

// run lets everybody go at once, in an order of chance.
func (r *doubtRace) run(t *testing.T, random *rand.Rand) {
	t.Helper()
	id, token := r.change.ChangeID, r.change.ConfirmationToken
	word := []runtime.Verdict{runtime.Done, runtime.NotDone}[random.IntN(2)]
	racers := []func(){
		func() { close(r.release) },
		func() { _, _ = r.guard.Reconcile(context.Background(), id) },
		func() { _, _ = r.other.guard.Reconcile(context.Background(), id) },
		func() { _, _ = settle(context.Background(), r.ana, id, word, "looked") },
		func() { r.applyAndUndo(r.world.client, id, token) },
		func() { r.applyAndUndo(r.other.client, id, token) },
	}
	random.Shuffle(len(racers), func(i, j int) { racers[i], racers[j] = racers[j], racers[i] })
	var racing sync.WaitGroup
	for _, race := range racers {
		racing.Go(race)
	}
	racing.Wait()
	for _, w := range []*world{r.world, r.other} {
		w.closes(t)
	}
	r.check(t, id)
}

// applyAndUndo repeats an apply, and undoes with the token that it is given.
func (r *doubtRace) applyAndUndo(c *client, id, token string) {
	a, err := c.try(context.Background(), "apply_set_setting", map[string]string{"change_id": id, "confirmation_token": token})
	if err == nil && a.UndoToken != "" {
		_, _ = c.try(context.Background(), "undo_set_setting", map[string]string{"change_id": id, "undo_token": a.UndoToken})
	}
}

// check holds the events of the change and the writes against where it stands.
func (r *doubtRace) check(t *testing.T, id string) {
	t.Helper()
	events, err := r.store.Events(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	ends, undos := tally{}, 0
	for _, e := range events {
		if e.From == ledger.Applying && e.To != ledger.Applying {
			ends[fmt.Sprint("applying to ", e.To)]++
		}
		if e.To == ledger.Undoing && e.From != ledger.Undoing {
			undos++
		}
	}
	applied, undone := r.ran(t, id, "apply"), r.ran(t, id, "undo")
	now := r.record(t, id)
	if ends.sum() > 1 || ends.sum() == 0 && now.Status != ledger.Applying {
		t.Errorf("the doubt ended %v, and it is %s: %+v", ends, now.Status, events)
	}
	if applied > 1 || undone > 1 || undone > undos || (applied == 1) != r.wrote {
		t.Errorf("%d applies and %d undos ran: %+v", applied, undone, events)
	}
	if now.Status == ledger.Undone && r.value(t, "theme") != "light" {
		t.Errorf("it is undone, and the theme is %s", r.value(t, "theme"))
	}
}

// ran counts the bodies of a change that ran.
func (w *world) ran(t *testing.T, id, body string) (n int) {
	t.Helper()
	if err := w.target.QueryRow(`SELECT count(*) FROM writes WHERE change = '` + id + `' AND body = '` + body + `'`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Bodies that fail, with proof and without, and that leave a doubt, before the write and after it.
func failingAtRandom(seed uint64) func(*world) {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 99))
	ends := func() (before, after error) {
		mu.Lock()
		defer mu.Unlock()
		switch random.IntN(10) {
		case 0, 1:
			return runtime.NotApplied(errLost), nil
		case 2:
			return errCut, nil
		case 3, 4:
			return nil, errCut
		case 5:
			return nil, errLost
		}
		return nil, nil
	}
	return func(w *world) {
		w.operation.DoneWhen, w.operation.Retry, w.operation.UndoWithoutResult = asAsked, true, true
		apply, undo := w.operation.Apply, w.operation.Undo
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			before, after := ends()
			if before != nil {
				return nil, before
			}
			result, err := apply(ctx, c)
			return result, errors.Join(err, after)
		}
		w.operation.Undo = func(ctx context.Context, c *setApplied) error {
			before, after := ends()
			if before != nil {
				return before
			}
			return errors.Join(undo(ctx, c), after)
		}
	}
}

// The same as with bodies that work: a look, a retry and an undo without a result run nothing twice.
func TestRandomHistoriesOfFailingBodiesRunNoBodyTwice(t *testing.T) {
	t.Parallel()
	for seed := range uint64(histories) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, seed, failingAtRandom(seed))
			h.calls *= 3 // few of them end well
			h.play(t)
		})
	}
}
