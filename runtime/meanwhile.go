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

// meanwhile has the caller of a claim, and whoever asks about it here, told what is known of its end if that takes too long to
// be recorded.
type meanwhile struct {
	guard   *Guard
	granted *grant
	known   string
	began   time.Time
	timer   *time.Timer

	mu         sync.Mutex
	over, told bool
}

// answerMeanwhile begins the time in which the end of a claim is to be recorded.
func (g *Guard) answerMeanwhile(granted *grant, known string) *meanwhile {
	m := &meanwhile{guard: g, granted: granted, known: known, began: time.Now()}
	m.timer = time.AfterFunc(answersAnyway, m.tell)
	return m
}

func (m *meanwhile) tell() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over || m.told {
		return
	}
	m.told = true
	r := &m.granted.record
	m.guard.flights.Owe(r.ClaimID, m.known)
	m.granted.give(refuseUnrecorded(r, m.known))
}

// failed is told of a try that failed and that others follow.
func (m *meanwhile) failed(err error) {
	if errors.Is(err, ledger.ErrUnavailable) && time.Since(m.began) >= answersAfterFailure {
		m.tell()
	}
}

// end is for an end that the ledger has recorded, or has not.
func (m *meanwhile) end(recorded bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
	m.timer.Stop()
	if m.told && recorded {
		m.guard.flights.Doubted(m.granted.record.ClaimID) // what is known is in the ledger now
	}
}
