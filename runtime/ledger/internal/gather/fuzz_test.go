package gather_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger/internal/gather"
)

// What a fuzzed crowd does: this many callers within this time, each batch and each patience up to that long, but for one that
// is stuck, and one in so many does what is rare.
const (
	crowd    = 60
	spread   = 40 * time.Millisecond
	longest  = 8 * time.Millisecond
	patience = 60 * time.Millisecond
	stuck    = 2 * patience
	keyCount = 9
	rare     = 20
)

// visitor is one caller of the crowd, and its item.
type visitor struct {
	number  int
	keys    []string
	comes   time.Duration
	patient time.Duration
	alone   bool
}

// hall watches a queue from the outside.
type hall struct {
	mu       sync.Mutex
	random   *rand.Rand
	slots    int
	most     int
	late     time.Duration
	running  []time.Time   // when each began
	changed  time.Time     // when that was not the same
	ran      map[int]error // what each item that ran was answered
	problems []string
}

func (h *hall) draw(n int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.random.IntN(n)
}

func (h *hall) duration(most time.Duration) time.Duration { return time.Duration(h.draw(int(most))) }

// occupy counts a slot as used for some time.
func (h *hall) occupy() {
	began := time.Now()
	h.change(func() { h.running = append(h.running, began) })
	time.Sleep(h.duration(longest))
	if h.draw(rare) == 0 {
		time.Sleep(stuck)
	}
	h.change(func() {
		h.running = slices.Delete(h.running, slices.Index(h.running, began), slices.Index(h.running, began)+1)
	})
}

func (h *hall) change(running func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	running()
	h.changed = time.Now()
	if len(h.running) > h.slots {
		h.problems = append(h.problems, fmt.Sprintf("%d run in %d slots", len(h.running), h.slots))
	}
}

// couldRun tells whether a slot has been free for those who wait for some time: all that runs is late.
func (h *hall) couldRun() bool {
	now := time.Now()
	isYoung := func(began time.Time) bool { return h.late == 0 || now.Sub(began) <= h.late }
	return h.changed.Before(now) && len(h.running) < h.slots && !slices.ContainsFunc(h.running, isYoung)
}

// run gives up, fails or panics now and then.
func (h *hall) run(ctx context.Context, take func() []*visitor) (each []error, all error) {
	h.occupy()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	items := take()
	h.occupy()
	if h.draw(rare) == 0 {
		all = errors.New("the commit failed")
	}
	panics := h.draw(rare) == 0
	for _, v := range items {
		each = append(each, fmt.Errorf("verdict on %d", v.number))
	}
	h.note(items, each, all, panics)
	if panics {
		panic("the driver broke")
	}
	return each, all
}

// note checks a batch, and keeps its answers.
func (h *hall) note(items []*visitor, each []error, all error, panics bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(items) == 0 || len(items) > h.most {
		h.problems = append(h.problems, fmt.Sprintf("%d items in a batch of at most %d", len(items), h.most))
	}
	used := map[string]bool{}
	for i, v := range items {
		if _, again := h.ran[v.number]; again {
			h.problems = append(h.problems, fmt.Sprintf("item %d ran twice", v.number))
		}
		switch h.ran[v.number] = each[i]; {
		case panics:
			h.ran[v.number] = gather.ErrAbandoned
		case all != nil:
			h.ran[v.number] = all
		}
		for _, key := range v.keys {
			if used[key] {
				h.problems = append(h.problems, fmt.Sprintf("two items of a batch have the key %s", key))
			}
			used[key] = true
		}
	}
}

// visit is what one of the crowd does, and checks of its answer.
func (h *hall) visit(q *gather.Queue[*visitor], v *visitor) {
	time.Sleep(v.comes)
	ctx, cancel := context.WithTimeout(context.Background(), v.patient)
	defer cancel()
	if v.alone {
		if done, err := q.Alone(ctx); err == nil {
			h.occupy()
			done()
		}
		return
	}
	err, panicked := attempt(func() error { return q.Do(ctx, v) })
	h.mu.Lock()
	defer h.mu.Unlock()
	want, ran := h.ran[v.number]
	switch {
	case panicked && want == gather.ErrAbandoned:
	case ran && err != want:
		h.problems = append(h.problems, fmt.Sprintf("item %d was answered %v, want %v", v.number, err, want))
	case !ran && !errors.Is(err, gather.ErrLeft) && !errors.Is(err, gather.ErrClosed) && ctx.Err() == nil:
		h.problems = append(h.problems, fmt.Sprintf("item %d did not run, and was answered %v", v.number, err))
	case !ran && errors.Is(err, gather.ErrLeft) && h.couldRun():
		h.problems = append(h.problems, fmt.Sprintf("item %d waited although a slot was free", v.number))
	case !ran && err == nil:
		h.problems = append(h.problems, fmt.Sprintf("item %d did not run, and was told that it did", v.number))
	}
}

func attempt(do func() error) (err error, panicked bool) {
	defer func() { panicked = recover() != nil }()
	return do(), false
}

// FuzzQueue has a random crowd use a queue. A caller that is forgotten is a deadlock, which synctest tells of.
func FuzzQueue(f *testing.F) {
	for seed := range uint64(32) {
		f.Add(seed, uint8(1+seed%3), uint8(1+seed*3))
	}
	f.Fuzz(func(t *testing.T, seed uint64, slots, most uint8) {
		synctest.Test(t, func(t *testing.T) {
			h := &hall{random: rand.New(rand.NewPCG(seed, 0)), slots: 1 + int(slots%4), most: 1 + int(most%16), ran: map[int]error{}}
			h.late = []time.Duration{0, 1 + h.duration(longest)}[h.draw(2)]
			q := gather.New(gather.Config[*visitor]{
				Slots: h.slots, Most: h.most, Worth: h.draw(h.most + 2), Late: h.late, Run: h.run, Keys: func(v *visitor) []string { return v.keys },
			})
			var group sync.WaitGroup
			for number := range crowd {
				v := &visitor{number: number, comes: h.duration(spread), patient: h.duration(patience), alone: h.draw(rare) == 0}
				for range h.draw(3) {
					v.keys = append(v.keys, fmt.Sprint(h.draw(keyCount)))
				}
				v.keys = slices.Compact(v.keys)
				group.Go(func() { h.visit(q, v) })
			}
			if h.draw(2) == 0 {
				time.Sleep(h.duration(2 * spread))
				q.Close()
			}
			group.Wait()
			q.Close()
			for _, problem := range h.problems {
				t.Error(problem)
			}
		})
	})
}
