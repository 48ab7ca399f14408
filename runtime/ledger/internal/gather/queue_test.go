package gather_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger/internal/gather"
)

// errOdd is the verdict of a desk on odd items.
var errOdd = errors.New("odd")

// desk runs what a queue gives it, one batch for each permit.
type desk struct {
	permits chan struct{}
	batches [][]int // read while nothing runs
}

// run waits for a permit, and for its leader's patience.
func (d *desk) run(ctx context.Context, take func() []int) (each []error, all error) {
	select {
	case <-d.permits:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	items := take()
	d.batches = append(d.batches, slices.Clone(items))
	for _, item := range items {
		var err error
		if item%2 == 1 {
			err = errOdd
		}
		each = append(each, err)
	}
	return each, nil
}

// newDesk is a desk with the queue before it.
func newDesk(config gather.Config[int]) (*desk, *gather.Queue[int]) {
	d := &desk{permits: make(chan struct{})}
	config.Run = d.run
	return d, gather.New(config)
}

// ask calls Do and gives its answer when there is one. It returns once the item is on its way.
func ask(ctx context.Context, q *gather.Queue[int], item int) <-chan error {
	answer := make(chan error, 1)
	go func() { answer <- q.Do(ctx, item) }()
	synctest.Wait()
	return answer
}

func expectBatches(t *testing.T, d *desk, want ...[]int) {
	t.Helper()
	if got := fmt.Sprint(d.batches); got != fmt.Sprint(want) {
		t.Errorf("batches %s, want %v", got, want)
	}
}

func expectError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestACallerThatFindsASlotRunsAloneInItsOwnGoroutine(t *testing.T) {
	t.Parallel()
	var ranIn string
	q := gather.New(gather.Config[int]{Slots: 1, Most: 8, Run: func(_ context.Context, take func() []int) ([]error, error) {
		ranIn = goroutine()
		return make([]error, len(take())), nil
	}})
	expectError(t, "do", q.Do(t.Context(), 2), nil)
	if ranIn != goroutine() {
		t.Errorf("it ran in goroutine %s, and was called in %s", ranIn, goroutine())
	}
}

// goroutine is the number of the one that calls it.
func goroutine() (number string) {
	stack := make([]byte, 64)
	_, _ = fmt.Sscanf(string(stack[:runtime.Stack(stack, false)]), "goroutine %s", &number)
	return number
}

func TestAllThatWaitGoTogetherAndEachGetsItsOwnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, q := newDesk(gather.Config[int]{Slots: 1, Most: 3})
		var answers []<-chan error
		first := make(chan error, 1)
		go func() {
			done, err := q.Alone(t.Context())
			first <- err
			<-d.permits
			done()
		}()
		expectError(t, "alone", <-first, nil)
		for item := range 5 {
			answers = append(answers, ask(t.Context(), q, item))
		}
		for range 3 {
			d.permits <- struct{}{}
		}
		for item, answer := range answers {
			want := []error{nil, errOdd}[item%2]
			expectError(t, fmt.Sprint(item), <-answer, want)
		}
		expectBatches(t, d, []int{0, 1, 2}, []int{3, 4})
	})
}

func TestWhoComesBeforeTheBatchIsTakenIsInIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, q := newDesk(gather.Config[int]{Slots: 1, Most: 8})
		lead, follower := ask(t.Context(), q, 0), ask(t.Context(), q, 1)
		d.permits <- struct{}{}
		expectError(t, "the leader", <-lead, nil)
		expectError(t, "the follower", <-follower, errOdd)
		expectBatches(t, d, []int{0, 1})
	})
}

func TestWhoLeavesIsNotRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, q := newDesk(gather.Config[int]{Slots: 1, Most: 8})
		ctx, leave := context.WithCancel(t.Context())
		lead := ask(t.Context(), q, 0)
		leaves, stays := ask(ctx, q, 1), ask(t.Context(), q, 2)
		leave()
		err := <-leaves
		expectError(t, "who left", err, gather.ErrLeft)
		expectError(t, "who left", err, context.Canceled)
		d.permits <- struct{}{}
		expectError(t, "the leader", <-lead, nil)
		expectError(t, "who stayed", <-stays, nil)
		expectError(t, "who came too late", q.Do(ctx, 4), gather.ErrLeft)
		expectBatches(t, d, []int{0, 2})
	})
}

func TestALeaderThatLeavesBeforeItsBatchIsTakenIsFollowedByTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, q := newDesk(gather.Config[int]{Slots: 1, Most: 8})
		ctx, leave := context.WithCancel(t.Context())
		lead, next := ask(ctx, q, 0), ask(t.Context(), q, 2)
		leave()
		expectError(t, "the leader", <-lead, context.Canceled)
		d.permits <- struct{}{}
		expectError(t, "the next", <-next, nil)
		expectBatches(t, d, []int{2})
	})
}

func TestOnceTakenALeaverGetsItsVerdict(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		taken, finish := make(chan struct{}), make(chan struct{})
		q := gather.New(gather.Config[int]{Slots: 1, Most: 8, Run: func(_ context.Context, take func() []int) ([]error, error) {
			<-taken
			items := take()
			<-finish
			return make([]error, len(items)), nil
		}})
		ctx, leave := context.WithCancel(t.Context())
		lead, follower := ask(ctx, q, 0), ask(ctx, q, 2)
		close(taken)
		synctest.Wait()
		leave()
		synctest.Wait()
		select {
		case err := <-follower:
			t.Fatalf("the follower did not await its verdict: %v", err)
		default:
		}
		close(finish)
		expectError(t, "the leader", <-lead, nil)
		expectError(t, "the follower", <-follower, nil)
	})
}

func TestAnErrorForAllReachesAllThatWereTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failed := errors.New("the disk is gone")
		start := make(chan struct{})
		q := gather.New(gather.Config[int]{Slots: 1, Most: 2, Run: func(_ context.Context, take func() []int) ([]error, error) {
			<-start
			if items := take(); items[0] != 0 {
				return make([]error, len(items)), nil
			}
			return nil, failed
		}})
		answers := []<-chan error{ask(t.Context(), q, 0), ask(t.Context(), q, 1), ask(t.Context(), q, 2)}
		close(start)
		for item, want := range []error{failed, failed, nil} {
			expectError(t, fmt.Sprint(item), <-answers[item], want)
		}
	})
}

func TestItemsThatShareAKeyGoOneAfterTheOther(t *testing.T) {
	t.Parallel()
	keysOf := map[int][]string{0: {"a"}, 2: {"a", "b"}, 4: {"b"}, 6: {"c", "c"}, 8: {"a"}}
	synctest.Test(t, func(t *testing.T) {
		d, q := newDesk(gather.Config[int]{Slots: 1, Most: 8, Keys: func(item int) []string { return keysOf[item] }})
		var answers []<-chan error
		for item := range 5 {
			answers = append(answers, ask(t.Context(), q, 2*item))
		}
		for range 3 {
			d.permits <- struct{}{}
		}
		for item, answer := range answers {
			expectError(t, fmt.Sprint(item), <-answer, nil)
		}
		expectBatches(t, d, []int{0, 6}, []int{2}, []int{4, 8})
	})
}

func TestABatchRunsBesideAnotherOnlyWhereEnoughWait(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		others []int
		want   [][]int
	}{
		{"too few", []int{2}, [][]int{{0, 2}}},
		{"enough", []int{2, 4}, [][]int{{0, 4}, {2}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d, q := newDesk(gather.Config[int]{Slots: 2, Most: 8, Worth: 2})
				answers := []<-chan error{ask(t.Context(), q, 0)}
				for _, item := range c.others {
					answers = append(answers, ask(t.Context(), q, item))
				}
				for range c.want {
					d.permits <- struct{}{}
					synctest.Wait()
				}
				for _, answer := range answers {
					expectError(t, "an item", <-answer, nil)
				}
				expectBatches(t, d, c.want...)
			})
		})
	}
}

func TestTheLastBatchUnderWayIsFollowedByThoseThatWereTooFewForAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, q := newDesk(gather.Config[int]{Slots: 2, Most: 1, Worth: 2})
		var answers []<-chan error
		for item := range 4 { // two of them lead, and two wait
			answers = append(answers, ask(t.Context(), q, 2*item))
		}
		for range answers {
			d.permits <- struct{}{}
			synctest.Wait()
		}
		for _, answer := range answers {
			expectError(t, "an item", <-answer, nil)
		}
		expectBatches(t, d, []int{0}, []int{2}, []int{4}, []int{6})
	})
}

// TestALateBatchKeepsNobodyWaitingWhileASlotIsFree has one batch that does not end, and fewer callers than are worth another.
func TestALateBatchKeepsNobodyWaitingWhileASlotIsFree(t *testing.T) {
	t.Parallel()
	const late = 100 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		d, q := newDesk(gather.Config[int]{Slots: 2, Most: 8, Worth: 9, Late: late})
		stuck, end := make(chan struct{}), make(chan struct{})
		go func() {
			done, _ := q.Alone(t.Context())
			close(stuck)
			<-end
			done()
		}()
		<-stuck
		time.Sleep(late / 2)
		early := []<-chan error{ask(t.Context(), q, 0), ask(t.Context(), q, 2)}
		time.Sleep(late/2 - time.Nanosecond)
		synctest.Wait()
		select {
		case d.permits <- struct{}{}:
			t.Error("a batch runs beside one that is not late")
		default:
		}
		time.Sleep(time.Nanosecond)
		d.permits <- struct{}{}
		for _, answer := range early {
			expectError(t, "who waited for it to be late", <-answer, nil)
		}
		lead := ask(t.Context(), q, 4) // at once
		behind := ask(t.Context(), q, 6)
		d.permits <- struct{}{}
		for _, answer := range []<-chan error{lead, behind} {
			expectError(t, "who came later", <-answer, nil)
		}
		close(end)
		expectBatches(t, d, []int{0, 2}, []int{4, 6})
	})
}

// TestBatchesBesideALateOneComeOneAfterTheOther has callers gather behind the batch beside one that does not end.
func TestBatchesBesideALateOneComeOneAfterTheOther(t *testing.T) {
	t.Parallel()
	const late = 100 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		d, q := newDesk(gather.Config[int]{Slots: 3, Most: 8, Worth: 9, Late: late})
		done, err := q.Alone(t.Context())
		expectError(t, "alone", err, nil)
		time.Sleep(late)
		lead, behind := ask(t.Context(), q, 0), ask(t.Context(), q, 2)
		time.Sleep(late - time.Nanosecond)
		d.permits <- struct{}{}
		for _, answer := range []<-chan error{lead, behind} {
			expectError(t, "an item", <-answer, nil)
		}
		done()
		expectBatches(t, d, []int{0, 2})
	})
}

// TestABatchIsLateInTimeThoughALaterOneHasEnded has one that does not end, and another that begins after it and ends before it is
// late.
func TestABatchIsLateInTimeThoughALaterOneHasEnded(t *testing.T) {
	t.Parallel()
	const late = 100 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		d, q := newDesk(gather.Config[int]{Slots: 3, Most: 1, Worth: 2, Late: late})
		done, err := q.Alone(t.Context())
		expectError(t, "alone", err, nil)
		time.Sleep(late / 2)
		later, waits := ask(t.Context(), q, 0), ask(t.Context(), q, 2) // two are enough for one more batch, of the first
		d.permits <- struct{}{}
		expectError(t, "the later batch", <-later, nil)
		time.Sleep(late / 2)
		synctest.Wait()
		select {
		case d.permits <- struct{}{}:
			expectError(t, "who waited", <-waits, nil)
		default:
			t.Error("the first is late, and nobody has looked")
			d.permits <- struct{}{}
		}
		done()
	})
}
