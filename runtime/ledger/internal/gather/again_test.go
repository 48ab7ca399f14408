package gather_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/changesetgen/changesetgen/runtime/ledger/internal/gather"
)

func TestWhoComesWhileABatchRunsIsInItIfItTakesAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next := make(chan struct{})
		var given []string
		q := gather.New(gather.Config[int]{Slots: 1, Most: 4, Keys: func(item int) []string { return []string{fmt.Sprint(item % 10)} },
			Run: func(_ context.Context, take func() []int) (each []error, _ error) {
				for {
					items := take()
					given = append(given, fmt.Sprint(items))
					if len(items) == 0 {
						return each, nil
					}
					for _, item := range items {
						each = append(each, []error{nil, errOdd}[item%2])
					}
					<-next
				}
			}})
		answers := map[int]<-chan error{0: ask(t.Context(), q, 0)} // is given at once
		for _, batch := range [][]int{{1, 2}, {11, 3, 4}} {        // 11 shares a key, and there is no room for 4
			for _, item := range batch {
				answers[item] = ask(t.Context(), q, item)
			}
			next <- struct{}{}
			synctest.Wait()
		}
		close(next)
		for item, answer := range answers {
			expectError(t, fmt.Sprint(item), <-answer, []error{nil, errOdd}[item%2])
		}
		if want := "[[0] [1 2] [3] [] [11 4] []]"; fmt.Sprint(given) != want {
			t.Errorf("given %v, want %s", given, want)
		}
	})
}
