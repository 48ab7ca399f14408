package schema

import (
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/goname"
)

// Name gives Go names to named types, their fields and their values, and says which of them can have none or would have
// that of another in the same type. Names of types are not held against each other here.
func Name(types []*Type) diag.List {
	n := new(naming)
	for _, t := range types {
		n.nameType(t)
	}
	return n.faults
}

// naming is the naming of some types.
type naming struct{ faults diag.List }

// exported is a word as it stands in a Go name.
func (w Word) exported() string {
	if w.Verbatim {
		return w.Text
	}
	return goname.Exported(w.Text)
}

func (n *naming) nameType(t *Type) {
	var name strings.Builder
	for _, word := range t.Words {
		name.WriteString(word.exported())
	}
	t.GoName = name.String()
	if !goname.IsExported(t.GoName) {
		n.faults.Add(t.at.KeyFault(diag.NoGoName, "begin the name with a letter", "%s gives a type the Go name %s, which is none",
			diag.Quote(t.Path), diag.Quote(t.GoName)))
	}
	n.nameFields(t)
	n.nameValues(t)
}

func (n *naming) nameFields(t *Type) {
	byGoName := map[string]*Field{}
	for _, field := range t.Fields {
		field.GoName = field.Word.exported()
		if !goname.IsExported(field.GoName) {
			n.faults.Add(field.at.KeyFault(diag.NoGoName, "begin the name with a letter", "property %s has no Go name", diag.Quote(field.Name)))
			continue
		}
		if other, taken := byGoName[field.GoName]; taken {
			n.faults.Add(field.at.KeyFault(diag.NameTaken, "rename one of them", "property %s has the Go name %s, as %s on line %d has",
				diag.Quote(field.Name), field.GoName, diag.Quote(other.Name), other.Pos.Line))
		}
		byGoName[field.GoName] = field
	}
}

func (n *naming) nameValues(t *Type) {
	byGoName := map[string]Value{}
	for i := range t.Values {
		value := &t.Values[i]
		suffix := value.Word.exported()
		if suffix == "" {
			n.faults.Add(value.at.Fault(diag.NoGoName, "leave enum out and write a pattern", "value %s has no Go name", diag.Quote(value.Text)))
			continue
		}
		value.GoName = t.GoName + suffix
		if other, taken := byGoName[value.GoName]; taken {
			n.faults.Add(value.at.Fault(diag.NameTaken, "leave enum out and write a pattern", "value %s has the Go name %s, as %s has",
				diag.Quote(value.Text), value.GoName, diag.Quote(other.Text)))
			value.GoName = ""
			continue
		}
		byGoName[value.GoName] = *value
	}
}
