package runtime

import (
	"fmt"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/internal/place"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

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
			r.changed = append(r.changed, difference{at: place.Path{fmt.Sprint("field", i)}, was: jsonText(t, "was"+text), now: jsonText(t, "now"+text)})
		}
		structured, err := visible.Marshal(r.structure())
		if err != nil {
			t.Fatal(err)
		}
		told := r.text()
		listed := strings.Count(told, ": was ")
		largest := sizeOf(r.changed[0].view(), r.changed[0].view().text())
		if limit := maxChangedBytes + largest + 1<<10; len(structured) > limit || len(told) > limit {
			t.Errorf("%s: %d and %d bytes, the limit is %d", name, len(structured), len(told), limit)
		}
		if listed == 0 || !strings.Contains(told, fmt.Sprintf("… and %d more", 60-listed)) || strings.Count(string(structured), `"was":`) != listed ||
			!strings.Contains(string(structured), fmt.Sprintf(`"omitted":%d`, 60-listed)) {
			t.Errorf("%s: %d differences are listed: %.300s … %s", name, listed, told, told[len(told)-300:])
		}
	}
}
