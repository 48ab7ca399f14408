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
	given, wrong := readArguments([]byte(`{"change_id":"chg_1","confirmation_token":"`+secret+`"}`), nil, argChange, argToken)
	if diff := cmp.Diff(want, given); diff != "" || wrong != nil {
		t.Fatalf("%s %v", diff, wrong)
	}
	for name, test := range map[string]struct{ raw, at, says string }{
		"nothing":              {``, "/change_id", "nothing"},
		"null":                 {`null`, "", "an object"},
		"a list":               {`["` + secret + `"]`, "", "an object"},
		"no token":             {`{"change_id":"chg_1"}`, "/confirmation_token", "nothing"},
		"empty token":          {`{"change_id":"chg_1","confirmation_token":""}`, "/confirmation_token", "an empty string"},
		"number as id":         {`{"change_id":7,"confirmation_token":"` + secret + `"}`, "/change_id", "a number"},
		"one too many":         {`{"change_id":"chg_1","confirmation_token":"` + secret + `","payload":{}}`, "/payload", "no argument but change_id and confirmation_token"},
		"other case":           {`{"change_id":"chg_1","Confirmation_token":"` + secret + `"}`, "/Confirmation_token", `"Confirmation_token"`},
		"twice":                {`{"change_id":"chg_1","change_id":"chg_2","confirmation_token":"` + secret + `"}`, "/change_id", "every name once"},
		"a token twice":        {`{"` + secret + `":1,"` + secret + `":2}`, "", "every name once"},
		"a token twice inside": {`{"change_id":{"` + secret + `":1,"` + secret + `":2}}`, "/change_id", "every name once"},
		"a token for a name":   {`{"` + secret + `":1}`, "", "long name"},
		"not JSON":             {`{"confirmation_token":"` + secret, "/confirmation_token", "not JSON"},
		"invalid text":         {"{\"change_id\":\"" + secret + "\xff\"}", "/change_id", "UTF-8"},
		"invalid name":         {"{\"change\xff\":\"" + secret + "\"}", "", "UTF-8"},
		"a lone surrogate":     {`{"change_id":"\ud800","confirmation_token":"` + secret + `"}`, "/change_id", "surrogate"},
		"more than is read":    {`{"change_id":"` + strings.Repeat("x", 5000) + `"}`, "", "at most 4096 bytes"},
		"absurdly deep":        {strings.Repeat("[", 500), "/0/0/0/0", "at most 4 objects"},
		"an absurd number":     {`{"change_id":1e999}`, "/change_id", "a string"},
		"an object for a text": {`{"change_id":{"` + secret + `":1},"confirmation_token":"x"}`, "/change_id", "an object"},
	} {
		given, wrong := readArguments([]byte(test.raw), nil, argChange, argToken)
		if len(wrong) == 0 || given != nil {
			t.Errorf("%s was accepted: %v", name, given)
			continue
		}
		no := refuseArguments(wrong)
		if wrong[0].Pointer != test.at || !strings.Contains(no.text(), test.says) || strings.Contains(no.text(), secret) {
			t.Errorf("%s should be placed at %q, say %q and no token:\n%s", name, test.at, test.says, no.text())
		}
	}
}

// Everything that is wrong is named, not only the first.
func TestReadArgumentsNamesEveryFault(t *testing.T) {
	t.Parallel()
	_, wrong := readArguments([]byte(`{"id":"chg_1","token":"x"}`), nil, argChange, argToken)
	var at []string
	for _, v := range wrong {
		at = append(at, v.Pointer)
	}
	if diff := cmp.Diff([]string{"/id", "/token", "/change_id", "/confirmation_token"}, at); diff != "" {
		t.Error(diff)
	}
}

func FuzzReadArguments(f *testing.F) {
	f.Add([]byte(`{"change_id":"chg_0123456789abcdef0123","confirmation_token":"confirm_x"}`))
	f.Add([]byte(`{"change_id":"\ud800"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		given, wrong := readArguments(raw, nil, argChange, argToken)
		if (wrong == nil) != (len(given) == 2) {
			t.Errorf("%q: %v and %v", raw, given, wrong)
		}
		for _, v := range wrong {
			if len(v.Pointer) > maxQuoted*argumentLimits.Depth {
				t.Errorf("%q: a pointer of %d bytes", raw, len(v.Pointer))
			}
		}
	})
}
