package payload

import (
	"slices"
	"strings"
)

// wanted is what kinds of values are asked for: any of some kinds, and those of others that are listed.
type wanted struct {
	kinds  kind
	values []any
}

func (w wanted) nothing() bool { return w.kinds == 0 && len(w.values) == 0 }

func (w wanted) and(other wanted) wanted {
	return wanted{w.kinds | other.kinds, slices.Concat(w.values, other.values)}
}

// wants is what a value of another kind is told.
func (u *rule) wants() wanted {
	if values := u.choice(); values != nil {
		return wanted{values: values}
	}
	return wanted{kinds: u.kinds}
}

// words names null beside values that are listed as one of them.
func (w wanted) words() string {
	if len(w.values) == 0 {
		return strings.Join(kindNames(w.kinds), " or ")
	}
	if w.kinds&kindNull != 0 {
		w.kinds &^= kindNull
		if !slices.Contains(w.values, nil) {
			w.values = append(slices.Clip(w.values), nil)
		}
	}
	return strings.Join(append(kindNames(w.kinds), choice(w.values)), " or ")
}

// listOther is for a value that is none of those listed. It may be of another kind than all of them.
func (r *report) listOther(values []any, v *value) {
	const number = kindFraction | kindInteger
	var kinds kind
	for _, listed := range values {
		kinds |= kindOf(listed)
	}
	if kinds&v.kind == 0 && (kinds&number == 0 || v.kind&number == 0) {
		r.other = wanted{values: values}
	}
}
