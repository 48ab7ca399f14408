package runtime_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
)

func TestSameNumberComparesAllDigits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b json.Number
		want bool
	}{
		{"1", "1.0", true},
		{"1", "10e-1", true},
		{"-0", "0", true},
		{"9007199254740993", "9007199254740992", false},
		{"9007199254740993", "9007199254740993.0", true},
		{"0.1", "0.10000000000000000555", false},
		{"", "", false},
		{"", "0", false},
		{"one", "one", false},
	} {
		if got := runtime.SameNumber(test.a, test.b); got != test.want {
			t.Errorf("SameNumber(%q, %q) = %v", test.a, test.b, got)
		}
	}
	if !runtime.SameNumber(int64(9007199254740993), json.Number("9007199254740993")) || runtime.SameNumber(9007199254740992.0, json.Number("9007199254740993")) {
		t.Error("an int64 or a float64 is not the number it holds")
	}
	if runtime.SameNumber(math.NaN(), math.NaN()) || runtime.SameNumber(math.Inf(1), math.Inf(1)) {
		t.Error("what is no number equals something")
	}
}

func TestCountOfWhatCountsNothingIsBeyondEveryLimit(t *testing.T) {
	t.Parallel()
	for number, want := range map[int64]int{0: 0, 7: 7, -1: math.MaxInt, math.MinInt64: math.MaxInt} {
		if got := runtime.Count(number); got != want {
			t.Errorf("Count(%d) = %d, want %d", number, got, want)
		}
	}
}
