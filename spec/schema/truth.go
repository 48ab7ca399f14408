package schema

import "github.com/changesetgen/changesetgen/spec/document"

// Never tells of a Boolean whether its schema names the values that it has, and the one spelt so is none of them.
func (t *Type) Never(truth string) bool {
	if t.Kind != Boolean || t.at == nil {
		return false
	}
	if only := t.at.Get("const"); only.Is(document.Boolean) {
		return only.Text != truth
	}
	listed := t.at.Get("enum")
	if !listed.Is(document.List) {
		return false
	}
	for _, value := range listed.Children {
		if value.Is(document.Boolean) && value.Text == truth {
			return false
		}
	}
	return true
}
