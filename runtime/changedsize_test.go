package runtime

import (
	"fmt"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
	"github.com/changesetgen/changesetgen/runtime/internal/state"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

func jsonText(t *testing.T, s string) []byte {
	t.Helper()
	text, err := exact.FromTree(s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What a refusal lists of a state that changed in many places takes no more than the rows of a diff do, escapes and all,
// and the rest is counted.
func TestManyLongDifferencesLeaveRoomForFewer(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"letters": strings.Repeat("a", 3000), "escapes": strings.Repeat("\u202e", 3000), "long escapes": strings.Repeat("\U000e0041", 3000),
		"spaces": strings.Repeat("b  ", 1000),
	} {
		r := &refusal{code: CodeStateChanged}
		for i := range 60 {
			r.changed = append(r.changed, state.Difference{At: place.Path{fmt.Sprint("field", i)}, Was: jsonText(t, "was"+text), Now: jsonText(t, "now"+text)})
		}
		structured, err := visible.Marshal(r.structure())
		if err != nil {
			t.Fatal(err)
		}
		told := r.text()
		listed := strings.Count(told, ": was ")
		largest := shown.Size(newChange(r.changed[0]), newChange(r.changed[0]).text())
		if limit := maxChangedBytes + largest + 1<<10; len(structured) > limit || len(told) > limit {
			t.Errorf("%s: %d and %d bytes, the limit is %d", name, len(structured), len(told), limit)
		}
		if listed == 0 || !strings.Contains(told, fmt.Sprintf("… and %d more", 60-listed)) || strings.Count(string(structured), `"was":`) != listed ||
			!strings.Contains(string(structured), fmt.Sprintf(`"omitted":%d`, 60-listed)) {
			t.Errorf("%s: %d differences are listed: %.300s … %s", name, listed, told, told[len(told)-300:])
		}
	}
}

// A key of a map may be as long as a state, and be on the way to each of its differences.
func TestListOfFieldsIsShort(t *testing.T) {
	t.Parallel()
	const longest = 256 << 10
	key := strings.Repeat("k", 500_000)
	changed := make([]state.Difference, 9000)
	for i := range changed {
		changed[i].At = place.Path{key, fmt.Sprint(i)}
	}
	if text := fieldList(changed); len(text) > longest || !strings.HasSuffix(text, "and 8950 more") {
		t.Errorf("the list of fields has %d bytes and ends %q", len(text), text[len(text)-50:])
	}
}
