package spec_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// marked is the golden spec with sensitive values.
func marked(t *testing.T) string {
	t.Helper()
	return string(load(t, filepath.Join("..", "testdata", "golden", "sensitive", specFile)))
}

func TestDigestsDoNotDependOnWhatIsSensitive(t *testing.T) {
	t.Parallel()
	src := marked(t)
	unmarked := strings.ReplaceAll(src, ", x-sensitive: true", "")
	if src == unmarked {
		t.Fatal("nothing is sensitive")
	}
	with, without := accept(t, src), accept(t, unmarked)
	for i, op := range with.Operations {
		if other := without.Operations[i]; op.Digest != other.Digest || op.UndoDigest != other.UndoDigest {
			t.Errorf("%s: the digests differ", op.Name)
		}
	}
}

// A row hides what is sensitive on either side of it.
func TestRowsHideWhatIsSensitive(t *testing.T) {
	t.Parallel()
	want := []string{
		"token: payload.token -> payload.token, context, sensitive",
		"login: state.login -> payload.login, parts, hides [/password]",
		"pin: state.pin -> payload.pin, skips, sensitive",
		"keys: state.keys -> payload.keys, skips, sensitive",
		"login of ${item.user}: none -> item, parts, hides [/password]",
		"password of ${item.user}: none -> item.password, sensitive",
		"extra: none -> payload.extra, skips, parts, hides [/*]",
		"others: none -> payload.others, skips, parts, hides [/*/a~1b/password]",
		"raw: none -> payload.raw, skips, sensitive",
	}
	if diff := cmp.Diff(want, rowsOf(accept(t, marked(t)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is within something sensitive is sensitive, whatever path leads there.
func TestPathsIntoWhatIsSensitiveAreSensitive(t *testing.T) {
	t.Parallel()
	s := accept(t, `
version: 1
package: p
server: {name: s}
operations:
  set_thing:
    payload:
      type: object
      required: [login, list]
      properties:
        login: {type: object, x-sensitive: true, required: [user], properties: {user: {type: string}}}
        list: {type: array, x-sensitive: true, items: {type: object, required: [user], properties: {user: {type: string}}}}
    observe: none
    summary: Change it
    diff:
      - {label: user, after: payload.login.user}
      - {each: payload.list, label: user, after: item.user}
    apply: go
    undo: none
`)
	want := []string{"user: none -> payload.login.user, sensitive", "user: none -> item.user, sensitive"}
	if diff := cmp.Diff(want, rowsOf(s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
