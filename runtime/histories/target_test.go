package histories_test

import (
	"fmt"
	"maps"
	"sync"

	"github.com/changesetgen/changesetgen/runtime"
)

// target is what is changed: things, and by whom they were. It is safe for concurrent use.
type target struct {
	mu     sync.Mutex
	things map[string]thing
	writes map[write]int // how often each was made
}

// write is one of a body.
type write struct {
	change string
	body   purpose
}

// newTarget has as many things as there are.
func newTarget() *target {
	t := &target{things: map[string]thing{}, writes: map[write]int{}}
	for n := range thingCount {
		t.things[keyOf(n)] = thing{Value: "none", Version: 1}
	}
	return t
}

func keyOf(n int) string { return fmt.Sprint("key ", n) }

func (t *target) read(key string) *thing {
	t.mu.Lock()
	defer t.mu.Unlock()
	is := t.things[key]
	return &is
}

// put makes a thing what it is to be, if it still has the version, and keeps who did it.
func (t *target) put(by write, key string, to thing) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.things[key].Version != to.Version {
		return runtime.Conflict("the thing has another version")
	}
	to.Version++
	t.things[key] = to
	t.writes[by]++
	return nil
}

// edit changes a thing as somebody does who knows nothing of guards.
func (t *target) edit(key, stamp string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.things[key] = thing{Value: "edited", Stamp: stamp, Version: t.things[key].Version + 1}
}

// verdict tells whether a body wrote.
func (t *target) verdict(change string, p purpose) runtime.Verdict {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.writes[write{change, p}] == 0 {
		return runtime.NotDone
	}
	return runtime.Done
}

// written are all writes.
func (t *target) written() map[write]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.writes)
}
