package secret_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/secret"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

func canonical(t *testing.T, text string) []byte {
	t.Helper()
	c, err := exact.Canonical([]byte(text), exact.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func gather(t *testing.T, document string, pointers ...string) *secret.Values {
	t.Helper()
	s, err := secret.Gather(secret.In(canonical(t, document), pointers))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScrubbedTextHasNoSensitiveValue(t *testing.T) {
	t.Parallel()
	s := gather(t, `{"a":"hunter2","b":{"k3yname":"with \"quotes\" <é>\n"},"n":12345,"short":"abc","longer":"hunter22"}`, "/a", "/b", "/n", "/short", "/longer")
	for _, test := range []struct{ name, text, want string }{
		{"as it is", "password hunter2!", "password (sensitive)!"},
		{"one that begins alike", "hunter22", "(sensitive)"},
		{"number", "pin 12345.", "pin (sensitive)."},
		{"raw", "with \"quotes\" <é>\n", "(sensitive)"},
		{"quoted by Go", fmt.Sprintf("%q", "with \"quotes\" <é>\n"), `"(sensitive)"`},
		{"quoted by Go in ASCII", fmt.Sprintf("%+q", "hunter2"), `"(sensitive)"`},
		{"in an address", url.QueryEscape("with \"quotes\" <é>\n"), "(sensitive)"},
		{"in a path", url.PathEscape("with \"quotes\" <é>\n"), "(sensitive)"},
		{"quoted by Go in ASCII, with escapes", fmt.Sprintf("%+q", "with \"quotes\" <é>\n"), `"(sensitive)"`},
		{"as bytes", fmt.Sprintf("%x %X", "hunter2", "hunter2"), "(sensitive) (sensitive)"},
		{"in Base64", base64.StdEncoding.EncodeToString([]byte("hunter2")), "(sensitive)=="},
		{"JSON", `{"x":"with \"quotes\" <é>\n"}`, `{"x":"(sensitive)"}`},
		{"JSON with escapes", `with \"quotes\" \u003cé\u003e\n`, "(sensitive)"},
		{"made visible", visible.Value("with \"quotes\" <é>\n"), "(sensitive)"},
		{"a key", "k3yname", "(sensitive)"},
		{"what is too short to tell", "abcd", "abcd"},
		{"nothing", "", ""},
	} {
		if got := s.Scrub(test.text); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if got := (*secret.Values)(nil).Scrub("hunter2"); got != "hunter2" {
		t.Errorf("without secrets: %q", got)
	}
}

// A caller who guesses what is in the state is not told that the guess is right.
func TestWhatThePayloadHasInTheClearIsNotLookedFor(t *testing.T) {
	t.Parallel()
	payload := secret.In(canonical(t, `{"guess":"is it 4321?","names":{"k3yname":1},"password":"hunter2"}`), []string{"/password"})
	state := secret.In(canonical(t, `{"pin":4321,"key":"k3yname","code":"s3cret","was":"hunter2"}`), []string{"/pin", "/key", "/code", "/was"})
	s, err := secret.Gather(payload, state)
	if err != nil {
		t.Fatal(err)
	}
	const want = "4321, k3yname, (sensitive) and (sensitive)"
	if got := s.Scrub("4321, k3yname, s3cret and hunter2"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A payload may be all secrets: what takes time by the square of them would not end here.
func TestManySensitiveValuesAreScrubbed(t *testing.T) {
	t.Parallel()
	const many = 20_000
	var items, pointers []string
	for i := range many {
		items, pointers = append(items, fmt.Sprintf(`{"s":"secret-%d"}`, i)), append(pointers, fmt.Sprintf("/%d/s", i))
	}
	list := "[" + strings.Join(items, ",") + "]"
	s := gather(t, list, pointers...)
	if got := s.Scrub("is it secret-19999?"); got != "is it (sensitive)?" {
		t.Errorf("%s", got)
	}
}

func FuzzScrub(f *testing.F) {
	f.Add("hunter2", "the password is ", " ok")
	f.Add("\u202e\"\\\n<é>", "", "")
	f.Fuzz(func(t *testing.T, value, before, after string) {
		document, err := exact.FromTree(value)
		if err != nil || utf8.RuneCountInString(value) < 4 || strings.Contains(secret.Hidden, value) {
			return
		}
		s, err := secret.Gather(secret.In(document, []string{""}))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{before + value + after, fmt.Sprintf("%s%q%s", before, value, after), before + visible.Value(value) + after} {
			if got := s.Scrub(text); strings.Contains(got, value) && !strings.Contains(before+after+secret.Hidden, value[:1]) {
				t.Errorf("%q became %q, which has %q", text, got, value)
			}
		}
	})
}
