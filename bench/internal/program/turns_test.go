package program_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/changesetgen/changesetgen/bench/internal/program"
)

func TestTurnsAreTakenForATimeAndOneAtLeast(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		late time.Duration // when the first turn is taken
		want int
	}{
		{0, 4}, {3 * time.Second, 1}, {time.Minute, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin, taken := time.Now(), 0
			time.Sleep(test.late)
			for n := range program.Turns(begin, 4*time.Second) {
				if n != taken {
					t.Errorf("turn %d is %d", taken, n)
				}
				taken++
				time.Sleep(time.Second)
			}
			if taken != test.want {
				t.Errorf("%d turns are taken after %s, want %d", taken, test.late, test.want)
			}
		})
	}
}
