package runtime

import (
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

func jsonText(t *testing.T, s string) []byte {
	t.Helper()
	text, err := exact.FromTree(s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestOnlyTextsAreShownByTheirLines(t *testing.T) {
	t.Parallel()
	was := jsonText(t, "a\nb")
	for now, want := range map[string]bool{`"a\nc"`: true, `["a\nb"]`: false, ``: false, `null`: false} {
		if got := lineDiff(was, []byte(now)); (got != nil) != want {
			t.Errorf("%s: %q", now, got)
		}
	}
}
