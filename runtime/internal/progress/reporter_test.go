package progress_test

import (
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/internal/progress"
)

// ages is longer than a reporter waits for anything. No test waits for it: time passes when nobody does anything.
const ages = time.Hour

// sentTo is what a client was sent.
type sentTo struct {
	mu   sync.Mutex
	done []float64
}

func (s *sentTo) add(done float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = append(s.done, done)
}

// want expects what was sent by now, when all that goes on waits for something.
func (s *sentTo) want(t *testing.T, want ...float64) {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(want, s.done); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}

// recorded is a reporter that keeps what it sends. During each sending, fate is called.
func recorded(fate func(done float64) error) (*progress.Reporter, *sentTo) {
	sent := &sentTo{}
	return progress.New(func(s progress.Report) error {
		sent.add(s.Done)
		return fate(s.Done)
	}), sent
}

func sends(float64) error { return nil }

func TestProgressIsToldNoFasterThanClientsShouldBe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, sent := recorded(sends)
		r.Report(progress.Report{Done: 1})
		sent.want(t, 1)
		r.Report(progress.Report{Done: 2})
		r.Report(progress.Report{Done: 3})
		sent.want(t, 1)
		time.Sleep(ages)
		sent.want(t, 1, 3)
		r.Report(progress.Report{Done: 4}) // nobody was sending any more
		sent.want(t, 1, 3, 4)
		r.End()
	})
}

// While a client takes nothing, the body goes on, and only the latest waits.
func TestSlowClientGetsTheLatestProgressOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r, sent := recorded(func(done float64) error {
			if done == 1 {
				<-release
			}
			return nil
		})
		r.Report(progress.Report{Done: 1})
		synctest.Wait()
		for done := range 1000 {
			r.Report(progress.Report{Done: float64(done + 2)})
		}
		close(release)
		r.End()
		sent.want(t, 1, 1001)
	})
}

// A client that takes nothing at all does not keep its call from being answered.
func TestStuckClientDoesNotHoldTheAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r, sent := recorded(func(float64) error {
			<-release
			return nil
		})
		r.Report(progress.Report{Done: 1})
		synctest.Wait()
		r.Report(progress.Report{Done: 2})
		r.End()
		close(release)
		sent.want(t, 1)
	})
}

// The last report is on its way before the call is answered, without a pause.
func TestEndWaitsForTheLastReport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, sent := recorded(sends)
		for done := range 3 {
			r.Report(progress.Report{Done: float64(done + 1)})
			synctest.Wait()
		}
		began := time.Now()
		r.End()
		if waited := time.Since(began); waited != 0 {
			t.Errorf("it waited for %s", waited)
		}
		sent.want(t, 1, 3)
	})
}

func TestProgressThatSaysNothingNewIsPassedOver(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]float64{
		"the same": 5, "less": 4, "no number": math.NaN(), "infinite": math.Inf(1), "infinitely little": math.Inf(-1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, sent := recorded(sends)
				r.Report(progress.Report{Done: 5})
				r.Report(progress.Report{Done: next})
				r.End()
				r.Report(progress.Report{Done: 6}) // the client has its answer
				sent.want(t, 5)
			})
		})
	}
}

func TestProgressEndsWithItsClient(t *testing.T) {
	t.Parallel()
	for name, fate := range map[string]func(float64) error{
		"is gone": func(float64) error { return errors.New("gone") },
		"panics":  func(float64) error { panic("in the SDK") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, sent := recorded(fate)
				r.Report(progress.Report{Done: 1})
				synctest.Wait()
				r.Report(progress.Report{Done: 2})
				r.End()
				sent.want(t, 1)
			})
		})
	}
}

func TestNothingIsSentAfterALeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, sent := recorded(sends)
		r.Report(progress.Report{Done: 1})
		synctest.Wait()
		r.Report(progress.Report{Done: 2})
		r.Leave()
		r.Report(progress.Report{Done: 3})
		r.End()
		sent.want(t, 1)
	})
}

func TestReportIsSentAsSomethingThatMakesSense(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		given, want progress.Report
	}{
		{progress.Report{Done: 1, Total: 2, Text: "a"}, progress.Report{Done: 1, Total: 2, Text: "a"}},
		{progress.Report{Done: 3, Total: 2}, progress.Report{Done: 3}},
		{progress.Report{Done: 1, Total: math.NaN()}, progress.Report{Done: 1}},
		{progress.Report{Done: 1, Total: math.Inf(1)}, progress.Report{Done: 1}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var sent []progress.Report
			r := progress.New(func(s progress.Report) error {
				sent = append(sent, s)
				return nil
			})
			r.Report(test.given)
			r.End()
			if diff := cmp.Diff([]progress.Report{test.want}, sent); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", test.given, diff)
			}
		})
	}
}
