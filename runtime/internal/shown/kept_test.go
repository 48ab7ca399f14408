package shown_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
)

// What is kept is hashed, and read again: it has to be canonical, and all of the change.
func FuzzWhatIsKeptIsCanonicalAndWhole(f *testing.F) {
	f.Add("Change <b> & \u2028", "", "price", "1.50", `{"b":[1e3],"a":"\u00e9"}`, true)
	f.Add("", "the history", "\u202e", "null", "[]", false)
	f.Fuzz(func(t *testing.T, summary, loses, field, before, after string, is bool) {
		was, err := exact.Canonical([]byte(before), exact.Limits{Depth: 10})
		if err != nil {
			return
		}
		now, err := exact.Canonical([]byte(after), exact.Limits{Depth: 10})
		if err != nil {
			return
		}
		change := shown.Change{Summary: summary, Loses: loses, Compensates: is, NeedsResult: !is, Rows: []shown.Line{
			{Field: field, Before: was, After: now, Context: is, KnownAfterApply: !is, Asked: is},
			{Field: field, After: json.RawMessage(now), Asked: !is},
			{Field: field, Sensitive: shown.SensitiveChanged},
		}}
		kept, err := change.Encode()
		if err != nil {
			if _, textErr := exact.Encode([]string{summary, loses, field}); textErr == nil {
				t.Fatal(err)
			}
			return
		}
		again, err := exact.Canonical(kept, exact.Limits{Bytes: 1 << 30})
		if err != nil || string(again) != string(kept) {
			t.Errorf("%s is not canonical, but %s, %v", kept, again, err)
		}
		back, err := shown.Read(kept)
		if diff := cmp.Diff(change, back); diff != "" || err != nil {
			t.Errorf("%s reads as (-want +got): %v\n%s", kept, err, diff)
		}
	})
}

func TestNoRowsAreKeptAsNone(t *testing.T) {
	t.Parallel()
	if kept, err := (shown.Change{Summary: "x"}).Encode(); err != nil || string(kept) != `{"rows":[],"summary":"x"}` {
		t.Errorf("%s, %v", kept, err)
	}
}
