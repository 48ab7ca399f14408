package gather_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/changesetgen/changesetgen/runtime/ledger/internal/gather"
)

func TestAPanicGoesToTheLeaderAndHangsNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := make(chan struct{})
		q := gather.New(gather.Config[int]{Slots: 1, Most: 2, Run: func(_ context.Context, take func() []int) ([]error, error) {
			<-start
			items := take()
			if items[0] == 0 {
				panic("the driver broke")
			}
			return make([]error, len(items)), nil
		}})
		panicked := make(chan any, 1)
		go func() {
			defer func() { panicked <- recover() }()
			_ = q.Do(t.Context(), 0)
		}()
		synctest.Wait()
		follower, later := ask(t.Context(), q, 2), ask(t.Context(), q, 4)
		close(start)
		if got := <-panicked; got != "the driver broke" {
			t.Errorf("the leader got the panic %v", got)
		}
		expectError(t, "who was in the batch", <-follower, gather.ErrAbandoned)
		expectError(t, "who was not", <-later, nil)
		q.Close()
	})
}

func TestAnItemWithoutAnAnswerIsNoSuccess(t *testing.T) {
	t.Parallel()
	q := gather.New(gather.Config[int]{Slots: 1, Most: 2, Run: func(_ context.Context, take func() []int) ([]error, error) {
		take()
		return nil, nil
	}})
	expectError(t, "do", q.Do(t.Context(), 0), gather.ErrAbandoned)
}

func TestAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, q := newDesk(gather.Config[int]{Slots: 1, Most: 8})
		lead := ask(t.Context(), q, 0)
		alone := make(chan func(), 1)
		go func() {
			done, err := q.Alone(t.Context())
			expectError(t, "alone", err, nil)
			alone <- done
		}()
		synctest.Wait()
		behind := ask(t.Context(), q, 2)
		d.permits <- struct{}{} // its batch has room for those behind who is alone
		expectError(t, "the leader", <-lead, nil)
		expectError(t, "who was behind", <-behind, nil)
		done := <-alone
		after := ask(t.Context(), q, 4)
		select {
		case d.permits <- struct{}{}:
			t.Error("a batch runs beside who is alone")
		default:
		}
		done()
		d.permits <- struct{}{}
		expectError(t, "after it", <-after, nil)
		expectBatches(t, d, []int{0, 2}, []int{4})
	})
}

func TestCloseAwaitsWhatRunsAndRefusesTheRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, q := newDesk(gather.Config[int]{Slots: 2, Most: 8})
		running, alone := ask(t.Context(), q, 0), make(chan func(), 1)
		go func() {
			done, _ := q.Alone(t.Context())
			alone <- done
		}()
		synctest.Wait()
		waiting := ask(t.Context(), q, 2)
		closed := make(chan struct{}, 2)
		for range 2 {
			go func() {
				q.Close()
				closed <- struct{}{}
			}()
		}
		expectError(t, "who waited", <-waiting, gather.ErrClosed)
		synctest.Wait()
		expectError(t, "who comes later", q.Do(t.Context(), 4), gather.ErrClosed)
		_, err := q.Alone(t.Context())
		expectError(t, "who wants to be alone later", err, gather.ErrClosed)
		d.permits <- struct{}{}
		expectError(t, "who ran", <-running, nil)
		synctest.Wait()
		if len(closed) > 0 {
			t.Error("closed although somebody is alone")
		}
		(<-alone)()
		<-closed
		<-closed
	})
}

func TestAConfigThatCannotRunAnythingPanics(t *testing.T) {
	t.Parallel()
	run := func(context.Context, func() []int) ([]error, error) { return nil, nil }
	for name, config := range map[string]gather.Config[int]{
		"no slots": {Most: 1, Run: run},
		"no items": {Slots: 1, Run: run},
		"no Run":   {Slots: 1, Most: 1},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			gather.New(config)
		}()
	}
}
