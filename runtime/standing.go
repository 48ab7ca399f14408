package runtime

import "github.com/changesetgen/changesetgen/runtime/internal/place"

// standing says how the state now relates to a change that was applied.
type standing int

const (
	asAfter  standing = iota // as apply left it: undo may run
	asBefore                 // as it was before apply: there is nothing left to undo
	elsewise                 // neither: somebody changed it since
)

// String is how operators read it.
func (s standing) String() string {
	return [...]string{asAfter: "as_after", asBefore: "as_before", elsewise: "other"}[s]
}

// stand compares the state now with the states before and after apply. What counts is what is bound, and every field
// that is not volatile and that the change made different. The differences are those from what apply left. A nil
// before is one that nobody looked at.
func (b binding) stand(before, after, now []byte) (standing, []difference, error) {
	var made []difference
	if before != nil {
		var err error
		if made, err = b.everything().compare(before, after); err != nil {
			return elsewise, nil, err
		}
	}
	since, err := b.counted(after, now, made)
	if err != nil || len(since) == 0 {
		return asAfter, nil, err
	}
	if len(made) == 0 {
		return elsewise, since, nil
	}
	left, err := b.counted(before, now, made)
	if err != nil || len(left) > 0 {
		return elsewise, since, err
	}
	return asBefore, nil, nil
}

// counted lists the differences that matter: in what is bound, and where the change made a difference.
func (b binding) counted(was, now []byte, made []difference) ([]difference, error) {
	bound, err := b.compare(was, now)
	if err != nil {
		return nil, err
	}
	all, err := b.everything().compare(was, now)
	if err != nil {
		return nil, err
	}
	ofMade, ofBound := placesIn(made), placesIn(bound)
	for _, d := range all {
		if ofMade.Touches(d.at) && !ofBound.Touches(d.at) {
			bound = append(bound, d)
		}
	}
	return bound, nil
}

// placesIn are the places of differences.
func placesIn(differences []difference) *place.Set {
	root := &place.Set{}
	for _, d := range differences {
		root.Add(d.at)
	}
	return root
}
