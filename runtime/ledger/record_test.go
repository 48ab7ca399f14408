package ledger_test

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

func TestRequestsAreEqualWhateverTheZoneOfTheirTimes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	one := ledger.Request{At: at, By: "ana", Channel: "changesetctl", Reason: "a mistake"}
	elsewhere, later, other := one, one, one
	elsewhere.At, later.At, other.By = at.In(time.FixedZone("elsewhere", 3600)), at.Add(1), "bob"
	for name, test := range map[string]struct {
		with ledger.Request
		want bool
	}{
		"itself": {one, true}, "in another zone": {elsewhere, true}, "later": {later, false}, "of another": {other, false}, "none": {ledger.Request{}, false},
	} {
		if one.Equal(test.with) != test.want {
			t.Errorf("%s: %v", name, !test.want)
		}
	}
}
