// Package histories plays random requests against real guards over a real ledger, kills their processes at any call of
// the ledger, and checks that what everybody was told could have come from one program that keeps its changes in a
// variable.
package histories_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// What may be set for a longer run, or to have the choices of one made again: who comes first is up to the machine.
const (
	playFor  = "CHANGESET_HISTORIES_FOR"  // how long new episodes are begun
	playMany = "CHANGESET_HISTORIES_MANY" // how many requests there are to be
	playSeed = "CHANGESET_HISTORIES_SEED" // of the first episode; every other one has the next
)

const (
	requestsOfEpisode = 1500  // are played over one ledger
	episodesAtOnce    = 6     // a server waits for its turn at the ledger most of the time
	wholeMixture      = 30000 // requests have everything among them, however rare it is
	garbagePercent    = 400   // what was told is kept until the end of an episode, so collecting often finds little
)

// Agents and operators ask for everything that they can, at three servers over one ledger. Servers die at any call of the
// ledger and in the middle of bodies, answers are lost, bodies fail in every way, people edit what is being changed, and
// clocks are set. Whatever happens, no body runs twice for a claim, no change leaves where it ended, and nothing that was
// told is lost.
func TestEveryHistoryIsThatOfAProgramWithoutCrashes(t *testing.T) {
	t.Parallel()
	debug.SetGCPercent(garbagePercent)
	for name, kind := range ledgerKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind(t) // skips where there is none
			playSeries(t, kind)
		})
	}
}

func playSeries(t *testing.T, kind func(*testing.T) opener) {
	goOn, seed := length(t)
	begun := time.Now()
	s := &series{kind: kind, goOn: goOn, next: seed, tally: newTally()}
	var playing sync.WaitGroup
	for range episodesAtOnce {
		playing.Go(func() { s.play(t) })
	}
	playing.Wait()
	if missing := s.tally.missing(); len(missing) > 0 && s.requests >= wholeMixture {
		t.Errorf("nothing of %d requests was %q", s.requests, missing)
	}
	if unknown := s.tally.unknown(); len(unknown) > 0 {
		t.Errorf("the ledger took what no known request makes: %q", unknown)
	}
	t.Log(s.tally)
	if !t.Failed() {
		took := time.Since(begun)
		t.Logf("%d operations in %v (%.0f a second), %d ends of processes, %d changes, all histories linearizable; seeds %d to %d",
			s.requests, took.Round(time.Second), float64(s.requests)/took.Seconds(), s.deaths, s.changes, seed, s.next-1)
	}
}

// series are the episodes of a run, some at a time.
type series struct {
	kind  func(*testing.T) opener
	goOn  func(requests int) bool
	tally *tally

	mu                        sync.Mutex
	next                      uint64 // seed
	begun                     int    // requests of the episodes that were begun
	requests, deaths, changes int
}

func (s *series) play(t *testing.T) {
	for {
		seed, more := s.begin()
		if !more || t.Failed() {
			return
		}
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			h, err := play(s.kind(t), seed, requestsOfEpisode, &troubles{shares: usual})
			if err != nil {
				t.Error(err)
				return
			}
			if len(h.problems) > 0 {
				t.Errorf("%s=%d makes the same choices again:\n%s", playSeed, seed, strings.Join(h.problems, "\n"))
			}
			s.end(h)
		})
	}
}

func (s *series) begin() (seed uint64, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.goOn(s.begun) {
		return 0, false
	}
	s.begun += requestsOfEpisode
	s.next++
	return s.next - 1, true
}

func (s *series) end(h *history) {
	s.tally.add(h.tally)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.deaths, s.changes = s.requests+h.calls, s.deaths+h.deaths, s.changes+len(h.steps)
}

// length tells from how many requests were made whether to play on, and gives the first seed. Without a wish it is one
// episode, of a seed that was never played.
func length(t *testing.T) (goOn func(requests int) bool, seed uint64) {
	t.Helper()
	seed = rand.Uint64N(1 << 40)
	if text := os.Getenv(playSeed); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", playSeed, err)
		}
	}
	if text := os.Getenv(playMany); text != "" {
		many, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s: %v", playMany, err)
		}
		return func(requests int) bool { return requests < many }, seed
	}
	period, err := time.ParseDuration(cmp.Or(os.Getenv(playFor), "1ns"))
	if err != nil {
		t.Fatalf("%s: %v", playFor, err)
	}
	end := time.Now().Add(period)
	return func(requests int) bool { return requests == 0 || time.Now().Before(end) }, seed
}
