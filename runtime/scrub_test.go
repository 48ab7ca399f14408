package runtime

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

func secretsIn(t *testing.T, document string, pointers ...string) *secrets {
	t.Helper()
	s, err := secretsOf(sensitiveIn{canonical: canonical(t, document), pointers: pointers})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScrubbedTextHasNoSensitiveValue(t *testing.T) {
	t.Parallel()
	s := secretsIn(t, `{"a":"hunter2","b":{"k3yname":"with \"quotes\" <é>\n"},"n":12345,"short":"abc","longer":"hunter22"}`, "/a", "/b", "/n", "/short", "/longer")
	for _, test := range []struct{ name, text, want string }{
		{"as it is", "password hunter2!", "password (sensitive)!"},
		{"one that begins alike", "hunter22", "(sensitive)"},
		{"number", "pin 12345.", "pin (sensitive)."},
		{"raw", "with \"quotes\" <é>\n", "(sensitive)"},
		{"quoted by Go", fmt.Sprintf("%q", "with \"quotes\" <é>\n"), `"(sensitive)"`},
		{"quoted by Go in ASCII", fmt.Sprintf("%+q", "hunter2"), `"(sensitive)"`},
		{"JSON", `{"x":"with \"quotes\" <é>\n"}`, `{"x":"(sensitive)"}`},
		{"JSON with escapes", `with \"quotes\" \u003cé\u003e\n`, "(sensitive)"},
		{"made visible", visible("with \"quotes\" <é>\n"), "(sensitive)"},
		{"a key", "k3yname", "(sensitive)"},
		{"what is too short to tell", "abcd", "abcd"},
		{"nothing", "", ""},
	} {
		if got := s.scrub(test.text); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if got := (*secrets)(nil).scrub("hunter2"); got != "hunter2" {
		t.Errorf("without secrets: %q", got)
	}
}

func TestRowsThatRepeatWhatIsSensitiveAreRedacted(t *testing.T) {
	t.Parallel()
	s := secretsIn(t, `{"c":{"pin":7,"user":"ann","on":true},"list":["hunter2"]}`, "/c/pin", "/c/on", "/list/0")
	for _, test := range []struct {
		name, before, after string
		parts               bool
		want                string
	}{
		{"nothing", `"ann"`, `"bob"`, false, `x: "ann" -> "bob"`},
		{"a value that many have", `true`, `false`, false, `x: true -> false`},
		{"a short value", `7`, `8`, false, `x: changed`},
		{"a short value as a text", `"7"`, `"8"`, false, `x: changed`},
		{"a short value within another", `"77"`, `17`, false, `x: "77" -> 17`},
		{"a value that tells", `"hunter2"`, ``, false, `x: changed`},
		{"within a text", `"is hunter2"`, `"is hunter2"`, false, `x: unchanged`},
		{"what holds one", `{"pin":7,"user":"ann","on":true}`, ``, false, `x: changed`},
		{"a member of that name", ``, `{"pin":8}`, false, `x: changed`},
		{"parts", `{"pin":7,"user":"ann","on":true}`, `{"pin":9,"user":"bob","on":false}`, true, `x/on: changed; x/pin: changed; x/user: "ann" -> "bob"`},
		{"parts of the list", `["hunter2"]`, `["other"]`, true, `x/0: changed`},
		{"parts further up", `{"c":{"pin":7,"user":"ann","on":true}}`, `{"c":{"pin":1,"user":"ann","on":true}}`, true, `x/c/pin: changed`},
	} {
		lines, err := linesOf(Row{Label: "x", Before: raw(t, test.before), After: raw(t, test.after), Parts: test.parts}, s)
		if got := describeRows(lines); err != nil || got != test.want {
			t.Errorf("%s: %s, %v; want %s", test.name, got, err, test.want)
		}
	}
}

// A payload may be all secrets: what takes time by the square of them would not end here.
func TestManySensitiveValuesAreHidden(t *testing.T) {
	t.Parallel()
	const many = 20_000
	var items, pointers []string
	for i := range many {
		items, pointers = append(items, fmt.Sprintf(`{"s":"secret-%d"}`, i)), append(pointers, fmt.Sprintf("/%d/s", i))
	}
	list := "[" + strings.Join(items, ",") + "]"
	s := secretsIn(t, list, pointers...)
	whole, err := linesOf(Row{Label: "x", Before: json.RawMessage("[]"), After: raw(t, list), Parts: true}, s)
	if got := describeRows(whole); err != nil || got != "x: changed" {
		t.Errorf("%.200s, %v", got, err)
	}
	parts, err := linesOf(Row{Label: "x", Before: raw(t, strings.ReplaceAll(list, "secret", "s3cret")), After: raw(t, list), Parts: true}, s)
	if err != nil || len(parts) != many || parts[many-1].Sensitive != sensitiveChanged {
		t.Errorf("%d rows, %v", len(parts), err)
	}
}

func FuzzScrub(f *testing.F) {
	f.Add("hunter2", "the password is ", " ok")
	f.Add("\u202e\"\\\n<é>", "", "")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		document, err := exact.FromTree(secret)
		if err != nil || !isTelling(secret) || strings.Contains(hiddenValue, secret) {
			t.Skip()
		}
		s, err := secretsOf(sensitiveIn{canonical: document, pointers: []string{""}})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{before + secret + after, fmt.Sprintf("%s%q%s", before, secret, after), Textf(before+"%v"+after, secret)} {
			if got := s.scrub(text); strings.Contains(got, secret) && !strings.Contains(before+after+hiddenValue, secret[:1]) {
				t.Errorf("%q became %q, which has %q", text, got, secret)
			}
		}
	})
}
