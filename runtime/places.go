package runtime

// places is a set of places in a document, as a tree of the steps that lead to them. A nil *places is empty.
type places struct {
	below map[string]*places
	ends  bool // one of the places is here
}

func (p *places) add(at path) {
	for _, s := range at {
		p = p.next(s)
	}
	p.ends = true
}

// next is what is below a step, made if there is nothing yet.
func (p *places) next(s string) *places {
	if p.below == nil {
		p.below = map[string]*places{}
	}
	if p.below[s] == nil {
		p.below[s] = &places{}
	}
	return p.below[s]
}

// touch tells whether at is at, above or below one of the places.
func (p *places) touch(at path) bool {
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

// around is the outermost of the places that is at or above at.
func (p *places) around(at path) (path, bool) {
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
