package state

import "github.com/changesetgen/changesetgen/runtime/internal/place"

// Standing says how the state now relates to a change that was applied.
type Standing int

const (
	AsAfter  Standing = iota // as apply left it: undo may run
	AsBefore                 // as it was before apply: there is nothing left to undo
	Elsewise                 // neither: somebody changed it since
)

// String is how operators read it.
func (s Standing) String() string {
	return [...]string{AsAfter: "as_after", AsBefore: "as_before", Elsewise: "other"}[s]
}

// Stand compares the state now with the states before and after apply. What counts is what is bound, and every field
// that is not volatile and that the change made different. The differences are those from what apply left. A nil
// before is one that nobody looked at.
func (b Binding) Stand(before, after, now []byte) (Standing, []Difference, error) {
	var made []Difference
	if before != nil {
		var err error
		if made, err = b.Everything().Compare(before, after); err != nil {
			return Elsewise, nil, err
		}
	}
	since, err := b.counted(after, now, made)
	if err != nil || len(since) == 0 {
		return AsAfter, nil, err
	}
	if len(made) == 0 {
		return Elsewise, since, nil
	}
	left, err := b.counted(before, now, made)
	if err != nil || len(left) > 0 {
		return Elsewise, since, err
	}
	return AsBefore, nil, nil
}

// counted lists the differences that matter: in what is bound, and where the change made a difference.
func (b Binding) counted(was, now []byte, made []Difference) ([]Difference, error) {
	bound, err := b.Compare(was, now)
	if err != nil {
		return nil, err
	}
	all, err := b.Everything().Compare(was, now)
	if err != nil {
		return nil, err
	}
	ofMade, ofBound := placesIn(made), placesIn(bound)
	for _, d := range all {
		if ofMade.Touches(d.At) && !ofBound.Touches(d.At) {
			bound = append(bound, d)
		}
	}
	return bound, nil
}

// placesIn are the places of differences.
func placesIn(differences []Difference) *place.Set {
	root := &place.Set{}
	for _, d := range differences {
		root.Add(d.At)
	}
	return root
}
