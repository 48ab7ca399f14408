package sqlite

import (
	"context"
	"runtime"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger/internal/gather"
)

const (
	// crowdPatience is how long a batch waits for callers that are about to come: a part of what a commit takes.
	crowdPatience = 100 * time.Microsecond
	// crowdLooks is how often it looks for them at most: a clock may stand still, as in a test.
	crowdLooks = 10_000
)

// newQueue is where the writes of a process wait for their turn, and what brings those together that wait.
func (s *Store) newQueue() *gather.Queue[*write] {
	return gather.New(gather.Config[*write]{Slots: 1, Most: s.batch, Run: s.runBatch})
}

// do has a write done in a transaction, with others that wait at the same time, and gives the verdict on it.
func (s *Store) do(ctx context.Context, w *write) error {
	wait := s.patience(ctx)
	defer wait.end()
	return s.unserved(wait, s.queue.Do(wait, w))
}

// runBatch does all writes that wait in one transaction. Nothing can come between a look at what is there and the write that
// follows from it: what is refused is refused before anything of it is written.
func (s *Store) runBatch(wait context.Context, take func() []*write) (verdicts []error, all error) {
	if err := s.takeTurn(wait); err != nil {
		return nil, err
	}
	defer s.turn.leave()
	var writes []*write
	var failed error
	all = s.inTransaction(wait, func(ctx context.Context) error {
		writes, verdicts, failed = s.performComers(ctx, take)
		return failed
	})
	if failed != nil && len(writes) > 1 {
		return s.runEach(wait, writes), nil
	}
	return verdicts, all
}

// performComers performs the writes that wait, and those that come meanwhile. It gives all that it took, even when it failed.
func (s *Store) performComers(ctx context.Context, take func() []*write) (writes []*write, verdicts []error, failed error) {
	for failed == nil {
		comers := s.comers(take, len(writes))
		if len(comers) == 0 {
			s.crowd = len(writes)
			break
		}
		var each []error
		each, failed = s.performAll(ctx, comers)
		writes, verdicts = append(writes, comers...), append(verdicts, each...)
	}
	return writes, verdicts, failed
}

// comers are those who wait. Callers whose writes were answered together come back together, just behind the first of them:
// a commit without them would have them wait for a whole one. Who came alone before waits for nobody.
func (s *Store) comers(take func() []*write, taken int) []*write {
	comers, began := take(), time.Now()
	for look := 0; len(comers) == 0 && taken < s.crowd && look < crowdLooks && time.Since(began) < crowdPatience; look++ {
		runtime.Gosched()
		comers = take()
	}
	return comers
}

// performAll gives a verdict on each write, up to the first that fails for another reason than that it is refused. Nobody
// knows what that has left in the transaction, or whether the engine has ended it.
func (s *Store) performAll(ctx context.Context, writes []*write) (verdicts []error, failed error) {
	for _, w := range writes {
		refused, failed := s.perform(ctx, w)
		if failed != nil {
			return nil, failed
		}
		verdicts = append(verdicts, refused)
	}
	return verdicts, nil
}

// runEach does each write in a transaction of its own, so that what fails in one does not fail the others. Their callers
// await the verdict whatever happens, so the wait for other programs is nobody's but that of each transaction.
func (s *Store) runEach(wait context.Context, writes []*write) (verdicts []error) {
	for _, w := range writes {
		verdicts = append(verdicts, s.runOne(context.WithoutCancel(wait), w))
	}
	return verdicts
}

func (s *Store) runOne(ctx context.Context, w *write) error {
	wait := s.patience(ctx)
	defer wait.end()
	var refused error
	err := s.inTransaction(wait, func(ctx context.Context) (failed error) {
		refused, failed = s.perform(ctx, w)
		return failed
	})
	if err != nil {
		return err
	}
	return refused
}
