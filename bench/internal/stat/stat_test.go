package stat_test

import (
	"math"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/bench/internal/stat"
)

func TestMedianIsTheValueInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 9, 2}, 3},
	} {
		if got := stat.Median(test.values); got != test.want {
			t.Errorf("Median(%v) = %v, want %v", test.values, got, test.want)
		}
	}
	if got := stat.Median(nil); !math.IsNaN(got) {
		t.Errorf("Median() = %v, want NaN", got)
	}
}

func TestOneInAHundredExceedsTheLastQuantile(t *testing.T) {
	t.Parallel()
	var times []time.Duration
	for n := range 1000 {
		times = append(times, time.Duration(1000-n))
	}
	if got, want := stat.QuantilesOf(times), (stat.Quantiles{P50: 501, P99: 991}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := stat.QuantilesOf(nil); got != (stat.Quantiles{}) {
		t.Errorf("of nothing: %v", got)
	}
}
