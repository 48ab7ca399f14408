package main

import (
	"testing"
	"time"
)

func TestRatiosAreThoseOfPairs(t *testing.T) {
	t.Parallel()
	took := func(d time.Duration) sample { return sample{build: usage{wall: d}} }
	r := &result{
		ours:   []sample{took(time.Second), took(10 * time.Second)}, // the machine was busy with something else
		theirs: []sample{took(2 * time.Second), took(20 * time.Second)},
	}
	for _, got := range ratios(r, func(s sample) float64 { return s.build.wall.Seconds() }) {
		if got != 0.5 {
			t.Errorf("ratio %v, want 0.5", got)
		}
	}
}

func TestSizesAreNumbersOfOperations(t *testing.T) {
	t.Parallel()
	var sizes sizeList
	if err := sizes.Set("1,10,5"); err != nil || sizes.String() != "1,10,5" || sizes.largest() != 10 {
		t.Errorf("Set() = %v, and the list is %s", err, &sizes)
	}
	for _, wrong := range []string{"", "0", "-1", "1,", "x", "1.5"} {
		if err := sizes.Set(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
