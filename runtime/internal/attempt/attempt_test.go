package attempt_test

import (
	"context"
	"errors"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
)

// ages is a time that no test waits for.
const ages = time.Hour

type hook = func(context.Context) (int, error)

var errHook = errors.New("no")

func panics(context.Context) (int, error) { panic("boom") }

func endsItself(context.Context) (int, error) {
	goruntime.Goexit()
	return 0, nil
}

func TestWhateverAHookDoesIsAnErrorOfItsAttempt(t *testing.T) {
	t.Parallel()
	var p *attempt.Panic
	for name, test := range map[string]struct {
		hook  hook
		value int
		is    func(error) bool
	}{
		"a value":            {func(context.Context) (int, error) { return 7, nil }, 7, func(err error) bool { return err == nil }},
		"an error":           {func(context.Context) (int, error) { return 7, errHook }, 7, func(err error) bool { return err == errHook }},
		"a panic":            {panics, 0, func(err error) bool { return errors.As(err, &p) && p.Value == "boom" }},
		"its goroutine ends": {endsItself, 0, func(err error) bool { return err == attempt.ErrGoexit }},
	} {
		started := attempt.Start(t.Context(), ages, test.hook)
		if !started.Finished() || started.Value != test.value || !test.is(started.Err) || started.Late {
			t.Errorf("Start: %s: %d, %v, late %t", name, started.Value, started.Err, started.Late)
		}
		if value, err := attempt.Do(t.Context(), ages, test.hook); value != test.value || !test.is(err) {
			t.Errorf("Do: %s: %d, %v", name, value, err)
		}
		err := attempt.Contain(func() error {
			_, err := test.hook(t.Context())
			return err
		})
		if !test.is(err) {
			t.Errorf("Contain: %s: %v", name, err)
		}
	}
}

// The stack is for the log, and in no text that others read.
func TestPanicKeepsWhereItHappened(t *testing.T) {
	t.Parallel()
	var p *attempt.Panic
	_, err := attempt.Do(t.Context(), ages, panics)
	if !errors.As(err, &p) || !strings.Contains(string(p.Stack), "attempt_test.panics") || err.Error() != "panic: boom" {
		t.Errorf("%v, with the stack %s", err, p.Stack)
	}
}

func TestHookThatDoesNotReturnIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx     context.Context
		timeout time.Duration
		want    error
	}{
		"its time is up":    {t.Context(), time.Nanosecond, attempt.ErrTimeout},
		"its caller is off": {cancelled, ages, context.Canceled},
	} {
		release := make(chan struct{})
		stuck := func(context.Context) (int, error) {
			<-release
			return 7, nil
		}
		if value, err := attempt.Do(test.ctx, test.timeout, stuck); value != 0 || !errors.Is(err, test.want) {
			t.Errorf("%s: %d, %v", name, value, err)
		}
		started := attempt.Start(test.ctx, test.timeout, stuck)
		if started.Finished() {
			t.Errorf("%s: it is said to have finished", name)
		}
		close(release)
		<-started.Done()
		if started.Value != 7 || started.Err != nil || !started.Late || !started.Finished() {
			t.Errorf("%s: what came late is %d, %v, late %t", name, started.Value, started.Err, started.Late)
		}
	}
}

func TestContextOfAHookEndsWithItsAttempt(t *testing.T) {
	t.Parallel()
	var given context.Context
	if _, err := attempt.Do(t.Context(), ages, func(ctx context.Context) (int, error) {
		given = ctx
		return 0, ctx.Err()
	}); err != nil {
		t.Errorf("it had ended before: %v", err)
	}
	<-given.Done()
}
