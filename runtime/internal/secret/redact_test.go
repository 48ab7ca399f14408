package secret_test

import (
	"testing"

	"github.com/changesetgen/changesetgen/runtime/internal/secret"
)

func TestDocumentIsRedactedByPlace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		document string
		pointers []string
		want     string
	}{
		{`{"a":1,"b":{"c":2}}`, []string{"/b/c"}, `{"a":1,"b":{"c":"(sensitive)"}}`},
		{`{"a":1}`, []string{"/b", "/a/x"}, `{"a":1}`},
		{`[1,2]`, []string{"/1"}, `[1,"(sensitive)"]`},
		{`[1]`, []string{""}, `"(sensitive)"`},
		{`[1]`, nil, `[1]`},
	} {
		if got := secret.In([]byte(test.document), test.pointers).Redacted(); string(got) != test.want {
			t.Errorf("%s at %q: %s, want %s", test.document, test.pointers, got, test.want)
		}
	}
	if got := secret.In([]byte("{"), []string{"/a"}).Redacted(); string(got) != `"(sensitive)"` {
		t.Errorf("what cannot be read: %s", got)
	}
	if got := secret.In(nil, []string{"/a"}).Redacted(); got != nil {
		t.Errorf("nothing became %s", got)
	}
}

// What repeats a sensitive value is told without it, and what is short only where it stands alone.
func TestDocumentThatRepeatsSensitiveValuesIsRedacted(t *testing.T) {
	t.Parallel()
	s := gather(t, `{"password":"hunter2","pin":12,"word":"abc"}`, "/password", "/pin", "/word")
	for _, test := range []struct{ document, want string }{
		{`{"said":"it is hunter2"}`, `{"said":"it is (sensitive)"}`},
		{`{"said":"abcd","n":[12,123]}`, `{"n":["(sensitive)",123],"said":"abcd"}`},
		{`{"is":"abc"}`, `{"is":"(sensitive)"}`},
		{`{"in":{"hunter2":1}}`, `{"in":"(sensitive)"}`},
		{`{"else":true}`, `{"else":true}`},
	} {
		if got := s.Redact(canonical(t, test.document)); string(got) != test.want {
			t.Errorf("%s: %s, want %s", test.document, got, test.want)
		}
		if got := s.IsIn(canonical(t, test.document)); got == (string(canonical(t, test.document)) == test.want) {
			t.Errorf("%s repeats one: %t", test.document, got)
		}
	}
	var none *secret.Values
	if none.IsIn([]byte(`"hunter2"`)) || string(none.Redact([]byte(`"hunter2"`))) != `"hunter2"` {
		t.Error("no secrets were found in a text")
	}
}

func TestNothingSensitiveIsNoSecret(t *testing.T) {
	t.Parallel()
	if s, err := secret.Gather(secret.In([]byte(`{"a":1}`), nil)); s != nil || err != nil {
		t.Errorf("%v, %v", s, err)
	}
	if s, err := secret.Gather(secret.In([]byte(`{`), []string{"/a"})); err == nil {
		t.Errorf("what cannot be read: %v", s)
	}
}
