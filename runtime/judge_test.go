package runtime

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
)

func TestJudgeOfABody(t *testing.T) {
	t.Parallel()
	plain := errors.New("plain")
	for _, test := range []struct {
		name string
		err  error
		late bool
		want ending
	}{
		{"success", nil, false, succeeded},
		{"success, late", nil, true, succeeded},
		{"plain", plain, false, effectUnknown},
		{"plain, late", plain, true, inDoubt},
		{"own refusal", Refuse("no"), false, effectUnknown},
		{"proof", NotApplied(plain), false, nothingWritten},
		{"proof, late", NotApplied(plain), true, nothingWritten},
		{"proof of a refusal", NotApplied(Refuse("no")), false, nothingWritten},
		{"conflict", Conflict("moved"), false, nothingWritten},
		{"wrapped proof", fmt.Errorf("write: %w", NotApplied(plain)), false, nothingWritten},
		{"proof joined with another error", errors.Join(NotApplied(plain), plain), false, effectUnknown},
		{"proof beside another error", fmt.Errorf("%w, %w", NotApplied(plain), plain), false, effectUnknown},
		{"doubt", InDoubt(plain), false, inDoubt},
		{"doubt within proof", NotApplied(InDoubt(plain)), false, inDoubt},
		{"proof within doubt", InDoubt(NotApplied(plain)), false, inDoubt},
		{"doubt joined", errors.Join(plain, InDoubt(plain)), false, inDoubt},
		{"panic", &attempt.Panic{Value: 1}, false, inDoubt},
		{"goroutine ended", attempt.ErrGoexit, false, inDoubt},
	} {
		if got := judge(test.err, test.late); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestAgentIsToldOnlyRefusals(t *testing.T) {
	t.Parallel()
	secret := errors.New("password hunter2")
	for _, test := range []struct {
		name string
		err  error
		code Code
		text string
	}{
		{"plain", secret, CodeApplyFailed, "*errors.errorString"},
		{"wrapped", fmt.Errorf("open: %w", &fs.PathError{Op: "open", Err: secret}), CodeApplyFailed, "*fs.PathError"},
		{"joined", errors.Join(&fs.PathError{Op: "open", Err: secret}), CodeApplyFailed, "*fs.PathError"},
		{"proof", NotApplied(&fs.PathError{Op: "open", Err: secret}), CodeApplyFailed, "*fs.PathError"},
		{"refusal", Refuse("%s is locked", "theme"), CodeRefused, "theme is locked"},
		{"refusal in proof", NotApplied(Refuse("locked")), CodeRefused, "locked"},
		{"wrapped refusal", fmt.Errorf("password: %w", Refuse("locked")), CodeRefused, "locked"},
		{"conflict", Conflict("row %d moved", 7), CodeStateChanged, "row 7 moved"},
		{"panic", &attempt.Panic{Value: "hunter2"}, CodeApplyFailed, "panic (string)"},
		{"goroutine ended", attempt.ErrGoexit, CodeApplyFailed, attempt.ErrGoexit.Error()},
		{"no answer", attempt.ErrTimeout, CodeApplyFailed, attempt.ErrTimeout.Error()},
	} {
		if code, text := told(test.err, CodeApplyFailed); code != test.code || text != test.text {
			t.Errorf("%s: %s %q, want %s %q", test.name, code, text, test.code, test.text)
		}
	}
}

func TestVerdictsKeepTheirCause(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	for name, err := range map[string]error{
		"not applied": NotApplied(cause), "in doubt": InDoubt(cause), "refusal": Refuse("no: %w", cause), "conflict": Conflict("no: %w", cause),
	} {
		if !errors.Is(err, cause) {
			t.Errorf("%s lost its cause", name)
		}
	}
	if NotApplied(nil) != nil || InDoubt(nil) != nil {
		t.Error("no error became one")
	}
}
