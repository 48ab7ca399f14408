package histories_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// tally counts what a run is made of: what was called, and what was written for it. It is safe for concurrent use.
type tally struct {
	mu                    sync.Mutex
	calls, writes, deaths map[string]int
}

func newTally() *tally {
	return &tally{calls: map[string]int{}, writes: map[string]int{}, deaths: map[string]int{}}
}

// called counts a call of a tool, or of a method of an operator or a guard.
func (t *tally) called(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls[what]++
}

// died counts the end of a process in a call of the ledger.
func (t *tally) died(method string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.deaths[method]++
}

// wrote counts what the ledger took. What was made of a record tells which request of the runtime it was made for.
func (t *tally) wrote(r *ledger.Record, e ledger.Event) {
	name := fmt.Sprintf("unknown: %s from %q to %q with %q", e.Actor, e.From, e.To, e.Code)
	for _, m := range moves {
		if m.made(r, e) {
			name = m.request
			break
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writes[name]++
}

func (t *tally) add(other *tally) {
	t.mu.Lock()
	defer t.mu.Unlock()
	addTo(t.calls, other.calls)
	addTo(t.writes, other.writes)
	addTo(t.deaths, other.deaths)
}

func addTo(sums, counts map[string]int) {
	for name, n := range counts {
		sums[name] += n
	}
}

// missing is what no call and no write was of.
func (t *tally) missing() (names []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range asked {
		if t.calls["Operator."+name] == 0 {
			names = append(names, name)
		}
	}
	for _, m := range moves {
		if t.writes[m.request] == 0 && !slices.Contains(unplayed, m.request) {
			names = append(names, m.request)
		}
	}
	return names
}

// unknown are the writes that no request of the runtime was made for.
func (t *tally) unknown() (names []string) {
	for name := range t.writes {
		if strings.HasPrefix(name, "unknown") {
			names = append(names, name)
		}
	}
	return names
}

func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprintf("calls: %s\nwrites: %s\ndeaths at calls of the ledger: %s",
		counted(t.calls), counted(t.writes), counted(t.deaths))
}

func counted(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}
