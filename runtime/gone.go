package runtime

import (
	"github.com/changesetgen/changesetgen/runtime/internal/place"
	"github.com/changesetgen/changesetgen/runtime/internal/tree"
)

// side says where a whole state is that is not there on both sides of a difference.
type side int

const (
	onBoth side = iota
	onlyBefore
	onlyNow
)

// text says it to people; "" where nothing is to be said.
func (s side) text() string {
	return [...]string{onBoth: "", onlyBefore: "It was there, and now it is not.", onlyNow: "It was not there, and now it is."}[s]
}

// fields are the differences in each bound field of a state that is there on one side only, nil where it has none. They
// only tell more of the difference in the whole state, which stays what is counted: a field that the state has not got is
// in it too.
func (c *comparison) fields(was, now tree.Value) ([]difference, error) {
	here, only := was, onlyBefore
	if now.Present {
		here, only = now, onlyNow
	}
	var found []difference
	for _, name := range tree.Names(here, tree.Value{}) {
		if c.reach(place.Path{name}) == outside {
			continue
		}
		d := difference{at: place.Path{name}, side: only}
		var err error
		if d.was, err = c.bound(d.at, was.Member(name)); err == nil {
			d.now, err = c.bound(d.at, now.Member(name))
		}
		if err != nil {
			return nil, err
		}
		found = append(found, d)
	}
	return found, nil
}

// inFields are differences with that of a whole state told by its fields.
func inFields(changed []difference) []difference {
	if len(changed) == 1 && len(changed[0].fields) > 0 {
		return changed[0].fields
	}
	return changed
}
