package field_test

import (
	"fmt"
	"strings"
	"testing"
)

// checkNothingLost holds the schema that is handed out against the one that was read: whatever that says is still said,
// in the same place. That is true of every enum value, every bound and every name.
// Extensions are for the generator and are said to nobody else.
func (s *subject) checkNothingLost(t *testing.T) {
	t.Helper()
	checkSaid(t, s.from, "", decode(t, encode(s.payload)), s.schema)
}

func checkSaid(t *testing.T, from, place string, written, handed any) {
	t.Helper()
	switch written := written.(type) {
	case map[string]any:
		object, ok := handed.(map[string]any)
		if !ok {
			t.Errorf("%s: %s is handed out as %v", from, place, handed)
			return
		}
		for key, value := range written {
			if strings.HasPrefix(key, "x-go-") {
				continue
			}
			if _, ok := object[key]; !ok {
				t.Errorf("%s: %s/%s is lost", from, place, key)
				continue
			}
			checkSaid(t, from, place+"/"+key, value, object[key])
		}
	case []any:
		list, ok := handed.([]any)
		if !ok || len(list) != len(written) {
			t.Errorf("%s: %s is handed out as %v", from, place, handed)
			return
		}
		for i, value := range written {
			checkSaid(t, from, fmt.Sprintf("%s/%d", place, i), value, list[i])
		}
	default:
		if written != handed {
			t.Errorf("%s: %s is %v, and handed out as %v", from, place, written, handed)
		}
	}
}
