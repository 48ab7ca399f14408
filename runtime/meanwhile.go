package runtime

import (
	"errors"
	"sync"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// How long the ledger may take to record how a claim ended until its caller is told without that, and it is recorded behind the
// answer: once the ledger has said that it does not answer, and whatever it says.
const (
	answersAfterFailure = 5 * time.Second
	answersAnyway       = 15 * time.Second
)

// answerMeanwhile has the caller of a claim, and whoever asks about it here, told what is known of its end if that takes too
// long to be recorded. The function that it gives ends that, and tells whether they were told.
func (g *Guard) answerMeanwhile(granted *grant) (end func() (told bool)) {
	r, owed, began := &granted.record, granted.owed, time.Now()
	var mu sync.Mutex
	var over, told bool
	tell := func() {
		mu.Lock()
		defer mu.Unlock()
		if over || told {
			return
		}
		told = true
		g.flights.Owe(r.ClaimID, owed.known)
		granted.give(refuseUnrecorded(r, owed.known))
	}
	timer := time.AfterFunc(answersAnyway, tell)
	owed.failed = func(err error) {
		if errors.Is(err, ledger.ErrUnavailable) && time.Since(began) >= answersAfterFailure {
			tell()
		}
	}
	return func() bool {
		mu.Lock()
		defer mu.Unlock()
		over, owed.failed = true, nil
		timer.Stop()
		return told
	}
}
