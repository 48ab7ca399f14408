package plural_test

import (
	"testing"

	"github.com/changesetgen/changesetgen/internal/plural"
)

func TestOneThingIsNoPlural(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 rows", 1: "1 row", 2: "2 rows", -1: "-1 rows"} {
		if got := plural.Of(n, "row"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
