package schema

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/document"
)

// AnyPart stands in the pointers of [Use.Hidden] for every member of a map.
const AnyPart = "*"

// Hidden lists where a value is sensitive: JSON Pointers below it, in which [AnyPart] is every member of a map or item
// of a list; the empty one alone where all of it is. Where no such list can say it, unsaid is why, and the list is
// incomplete.
func (u Use) Hidden() (pointers []string, unsaid string) {
	var h hiding
	h.visit("", u)
	return h.pointers, h.unsaid
}

// hiding gathers what [Use.Hidden] gives.
type hiding struct {
	pointers []string
	unsaid   string
	above    []*Type // that lead to what is visited
}

func (h *hiding) visit(at string, u Use) {
	t := u.Type
	switch {
	case h.unsaid != "" || !u.HoldsSensitive():
		return
	case u.IsSensitive():
		if !slices.Contains(h.pointers, at) {
			h.pointers = append(h.pointers, at)
		}
		return
	case slices.Contains(h.above, t):
		h.unsaid = "it contains itself"
		return
	}
	h.above = append(h.above, t)
	switch t.Kind {
	case Object:
		h.members(at, t)
	case Map, Array:
		h.visit(at+"/"+AnyPart, t.Elem)
	case Union:
		h.branches(at, t)
	}
	h.above = h.above[:len(h.above)-1]
}

// members visits those of an object. A pointer to all that it does not name would be one to those that it names, too.
func (h *hiding) members(at string, t *Type) {
	if t.Others != nil && t.Others.HoldsSensitive() {
		h.unsaid = "members are sensitive that have no name"
	}
	for _, field := range t.Fields {
		if field.Name == AnyPart && field.Use.HoldsSensitive() {
			h.unsaid = "the name of a sensitive member is " + AnyPart
		}
		h.visit(at+"/"+document.EscapePart(field.Name), field.Use)
	}
}

// branches visits those of a choice, which must agree on the members that they share: which of them a value is of is not
// known.
func (h *hiding) branches(at string, t *Type) {
	for _, branch := range t.Branches {
		h.visit(at, branch.Use)
	}
	for _, one := range t.Branches {
		for _, other := range t.Branches {
			if h.unsaid == "" && !hidesAlike(one.Use.Type, other.Use.Type) {
				h.unsaid = "a member of one choice is sensitive, and that of another is not"
			}
		}
	}
}

// hidesAlike tells whether what is sensitive in the members of an object is so in another that has them too.
func hidesAlike(one, other *Type) bool {
	return !slices.ContainsFunc(one.Fields, func(field *Field) bool {
		there := other.memberUse(field.Name)
		if there == nil {
			return false
		}
		here, _ := field.Use.Hidden()
		beside, _ := there.Hidden()
		return !slices.Equal(here, beside)
	})
}

// memberUse is the type of the member of that name of an object; nil if it takes none.
func (t *Type) memberUse(name string) *Use {
	for _, field := range t.Fields {
		if field.Name == name {
			return &field.Use
		}
	}
	return t.Others
}
