package runtime

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadArgumentsTakesExactlyWhatItNames(t *testing.T) {
	t.Parallel()
	const secret = "confirm_0123456789abcdef0123456789abcdef"
	want := map[string]string{"change_id": "chg_1", "confirmation_token": secret}
	given, problem := readArguments([]byte(`{"change_id":"chg_1","confirmation_token":"`+secret+`"}`), argChange, argToken)
	if diff := cmp.Diff(want, given); diff != "" || problem != "" {
		t.Fatalf("%s %s", diff, problem)
	}
	for name, test := range map[string]struct{ raw, names string }{
		"nothing":              {``, "change_id"},
		"null":                 {`null`, ""},
		"a list":               {`["` + secret + `"]`, ""},
		"no token":             {`{"change_id":"chg_1"}`, "confirmation_token"},
		"empty token":          {`{"change_id":"chg_1","confirmation_token":""}`, "confirmation_token"},
		"number as id":         {`{"change_id":7,"confirmation_token":"` + secret + `"}`, "change_id"},
		"one too many":         {`{"change_id":"chg_1","confirmation_token":"` + secret + `","payload":{}}`, `"payload"`},
		"other case":           {`{"change_id":"chg_1","Confirmation_token":"` + secret + `"}`, `"Confirmation_token"`},
		"twice":                {`{"change_id":"chg_1","change_id":"chg_2","confirmation_token":"` + secret + `"}`, "duplicate"},
		"a token for a name":   {`{"` + secret + `":1}`, "long name"},
		"not JSON":             {`{"confirmation_token":"` + secret, ""},
		"invalid text":         {"{\"change_id\":\"" + secret + "\xff\"}", "invalid text"},
		"a lone surrogate":     {`{"change_id":"\ud800","confirmation_token":"` + secret + `"}`, "invalid text"},
		"more than is read":    {`{"change_id":"` + strings.Repeat("x", 5000) + `"}`, "too large"},
		"absurdly deep":        {strings.Repeat("[", 500), ""},
		"an object for a text": {`{"change_id":{"` + secret + `":1},"confirmation_token":"x"}`, "change_id"},
	} {
		given, problem := readArguments([]byte(test.raw), argChange, argToken)
		if problem == "" || given != nil {
			t.Errorf("%s was accepted: %v", name, given)
		}
		if !strings.Contains(problem, test.names) || strings.Contains(problem, secret) {
			t.Errorf("%s: %q, which should say %q and no token", name, problem, test.names)
		}
	}
}

func FuzzReadArguments(f *testing.F) {
	f.Add([]byte(`{"change_id":"chg_0123456789abcdef0123","confirmation_token":"confirm_x"}`))
	f.Add([]byte(`{"change_id":"\ud800"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		given, problem := readArguments(raw, argChange, argToken)
		if (problem == "") != (len(given) == 2) {
			t.Errorf("%q: %v and %q", raw, given, problem)
		}
	})
}
