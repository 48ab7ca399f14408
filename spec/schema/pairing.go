package schema

// MayEqual tells whether a value of one type can be a value of the other, as far as their kinds show.
func (t *Type) MayEqual(other *Type) bool { return t.domain()&other.domain() != nothing }

// domain are the types of the values that a type holds, null aside.
func (t *Type) domain() types {
	switch {
	case t.Kind == Raw:
		return all
	case t.Kind == Enum && t.Base == String:
		return text
	case t.Kind == Enum:
		return integer
	default:
		return domains[t.Kind]
	}
}

// HasMembers tells whether every value of a type is an object.
func (t *Type) HasMembers() bool { return t.Kind == Object || t.Kind == Map || t.Kind == Union }

// NeverEmpty tells whether a list always has an item.
func (t *Type) NeverEmpty() bool {
	least := rational(t.at.Get("minItems"))
	return t.Kind == Array && least != nil && least.Sign() > 0
}
