package schema

import "fmt"

// String names a kind of values as people know it.
func (k Kind) String() string {
	switch k {
	case Object:
		return "an object"
	case Array:
		return "an array"
	case String:
		return "a string"
	case Integer:
		return "an integer"
	case Number:
		return "a number"
	case Boolean:
		return "a boolean"
	case Enum:
		return "an enum"
	default:
		return fmt.Sprintf("kind %d", int(k))
	}
}

// noun names a number of a kind.
func (k Kind) noun() string {
	if k == Integer {
		return "integer"
	}
	return "number"
}
