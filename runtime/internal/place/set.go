package place

// Set is a set of places in a document, as a tree of the steps that lead to them. A nil *Set is empty.
type Set struct {
	below map[string]*Set
	ends  bool // one of the places is here
}

// Add puts a place into the set.
func (p *Set) Add(at Path) {
	for _, s := range at {
		p = p.next(s)
	}
	p.ends = true
}

// next is what is below a step, made if there is nothing yet.
func (p *Set) next(s string) *Set {
	if p.below == nil {
		p.below = map[string]*Set{}
	}
	if p.below[s] == nil {
		p.below[s] = &Set{}
	}
	return p.below[s]
}

// Touches tells whether at is at, above or below one of the places.
func (p *Set) Touches(at Path) bool {
	if p == nil {
		return false
	}
	for _, s := range at {
		if p.ends {
			return true
		}
		if p = p.below[s]; p == nil {
			return false
		}
	}
	return p.ends || len(p.below) > 0
}

// Around is the outermost of the places that is at or above at.
func (p *Set) Around(at Path) (Path, bool) {
	for i := 0; p != nil; i++ {
		if p.ends {
			return at[:i], true
		}
		if i == len(at) {
			break
		}
		p = p.below[at[i]]
	}
	return nil, false
}
