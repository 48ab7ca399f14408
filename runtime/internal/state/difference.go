package state

import (
	"strings"

	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
)

// wholeState is the field that differs when there is a state on one side only.
const wholeState = "(whole state)"

// Difference is one bound field that is not what it was. Values are canonical JSON; nil is absent.
type Difference struct {
	Was, Now  []byte
	At        place.Path   // the steps to the field; none: the whole state
	Sensitive bool         // the values are not to be shown, and are not there
	fields    []Difference // of a whole state that is there on one side only: what differs in it
	side      side         // of a field of such a state
}

// side says where a whole state is that is not there on both sides of a difference.
type side int

const (
	onBoth side = iota
	onlyBefore
	onlyNow
)

// Side says to people of a field of such a state what became of that; "" of any other difference.
func (d Difference) Side() string {
	return [...]string{onBoth: "", onlyBefore: "It was there, and now it is not.", onlyNow: "It was not there, and now it is."}[d.side]
}

// Field names a field to people and agents: one at the top of the state by its name, what is deeper, or has a name that
// could be taken for more than one, by its JSON Pointer (RFC 6901) in the state. A key of a map may be as long as the
// state, and be on the way to thousands of differences, so what is long is cut, and nothing is written beforehand.
func (d Difference) Field() string {
	switch {
	case len(d.At) == 0:
		return wholeState
	case len(d.At) == 1 && d.At[0] != "" && !strings.ContainsAny(d.At[0], "/~("):
		return payload.CutPointer(d.At[0])
	}
	short := make(place.Path, len(d.At))
	for i, s := range d.At {
		short[i] = payload.CutPointer(s)
	}
	return payload.CutPointer(short.Pointer())
}

// InFields are differences with that of a whole state told by its fields.
func InFields(changed []Difference) []Difference {
	if len(changed) == 1 && len(changed[0].fields) > 0 {
		return changed[0].fields
	}
	return changed
}

// Without takes the values out of differences in what is hidden. Several in one hidden value are one.
func Without(found []Difference, hidden *place.Set) []Difference {
	var kept []Difference
	told := &place.Set{}
	for _, d := range found {
		at, isWithin := hidden.Around(d.At)
		switch {
		case isWithin && told.Touches(at):
			continue
		case isWithin:
			told.Add(at)
			d = Difference{At: at, Sensitive: true, side: d.side}
		case hidden.Touches(d.At):
			d = Difference{At: d.At, Sensitive: true, side: d.side}
		}
		kept = append(kept, d)
	}
	return kept
}
