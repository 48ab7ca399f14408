package runtime

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorded is a reporter that keeps what it sends.
func recorded(during func(done float64) error) (*reporter, *[]float64) {
	var sent []float64
	return newReporter(func(s report) error {
		sent = append(sent, s.done)
		return during(s.done)
	}), &sent
}

func sends(float64) error { return nil }

// While a client takes nothing, the body goes on, and only the latest waits.
func TestSlowClientGetsTheLatestProgressOnly(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	r, sent := recorded(func(done float64) error {
		if done == 1 {
			close(begun)
			<-release
		}
		return nil
	})
	r.report(report{done: 1})
	<-begun
	for done := range 1000 {
		r.report(report{done: float64(done + 2)})
	}
	close(release)
	r.end()
	if diff := cmp.Diff([]float64{1, 1001}, *sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}

// A client that takes nothing at all does not keep its call from being answered.
func TestStuckClientDoesNotHoldTheAnswer(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	r, sent := recorded(func(float64) error {
		close(begun)
		<-release
		return nil
	})
	r.report(report{done: 1})
	<-begun
	r.report(report{done: 2})
	r.end()
	close(release)
	<-r.idle
	if diff := cmp.Diff([]float64{1}, *sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}

func TestProgressThatSaysNothingNewIsPassedOver(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]float64{
		"the same": 5, "less": 4, "no number": math.NaN(), "infinite": math.Inf(1), "infinitely little": math.Inf(-1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, sent := recorded(sends)
			r.report(report{done: 5})
			r.report(report{done: next})
			r.end()
			r.report(report{done: 6}) // the client has its answer
			if diff := cmp.Diff([]float64{5}, *sent); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
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
			r, sent := recorded(fate)
			r.report(report{done: 1})
			<-r.gone
			r.report(report{done: 2})
			r.end()
			if diff := cmp.Diff([]float64{1}, *sent); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReportIsSentAsSomethingThatMakesSense(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		given, want report
	}{
		{report{1, 2, "a"}, report{1, 2, "a"}},
		{report{3, 2, ""}, report{3, 0, ""}},
		{report{1, math.NaN(), ""}, report{1, 0, ""}},
		{report{1, math.Inf(1), ""}, report{1, 0, ""}},
		{report{0, 0, "one\ntwo\u202e"}, report{0, 0, `one\ntwo\u202e`}},
	} {
		if got, ok := test.given.sendable(); !ok || got != test.want {
			t.Errorf("%+v is sent as %+v, %t", test.given, got, ok)
		}
	}
}
