// Package naming finds out which things of the generated code would have the same Go name, or one that Go or the
// generated code itself needs. It changes no name to make it fit: a name would change again with the next thing that is
// declared, and code that uses it would break.
package naming

import (
	"fmt"
	"go/doc"
	"go/token"

	"github.com/changesetgen/changesetgen/spec/diag"
)

// Thing is something that has a Go name in generated code.
type Thing struct {
	GoName string
	What   string   // property 'user_id'
	Rename string   // what to write to give it another Go name; "" for nothing but to rename it in the spec
	Where  string   // its key path
	Pos    diag.Pos // zero for what every package has
}

// Scope is a part of generated code in which names differ: the package, the fields and methods of a type. The zero Scope
// is empty.
type Scope struct{ byName map[string]Thing }

// Reserve keeps names for something that is there whatever a spec says.
func (s *Scope) Reserve(what string, goNames ...string) {
	for _, goName := range goNames {
		s.put(Thing{GoName: goName, What: what})
	}
}

// Add puts a thing into the scope, unless its name is taken: then it returns what is wrong, and false.
func (s *Scope) Add(t Thing) (fault diag.Diagnostic, ok bool) {
	first, taken := s.byName[t.GoName]
	switch {
	case taken && first.Pos == t.Pos: // defaults and aliases put one thing into several places
		return t.fault("move it into the $defs of the document", "as it has where it is used before"), false
	case taken && first.Pos != (diag.Pos{}):
		hint := t.Rename
		if hint == "" {
			hint = first.Rename
		}
		if hint == "" {
			hint = "rename one of them"
		}
		return t.fault(hint, fmt.Sprintf("as %s at %d:%d has", first.What, first.Pos.Line, first.Pos.Column)), false
	case taken:
		return t.fault(t.renaming(), "which is that of "+first.What), false
	case token.IsKeyword(t.GoName):
		return t.fault(t.renaming(), "which is a keyword of Go"), false
	case doc.IsPredeclared(t.GoName):
		return t.fault(t.renaming(), "which Go has declared already"), false
	}
	s.put(t)
	return diag.Diagnostic{}, true
}

func (s *Scope) put(t Thing) {
	if s.byName == nil {
		s.byName = map[string]Thing{}
	}
	s.byName[t.GoName] = t
}

// renaming is what to write where only the thing itself can have another name.
func (t Thing) renaming() string {
	if t.Rename == "" {
		return "rename it"
	}
	return t.Rename
}

func (t Thing) fault(hint, taken string) diag.Diagnostic {
	return diag.Diagnostic{
		Pos: t.Pos, Where: t.Where, Code: diag.NameTaken, Hint: hint,
		Message: fmt.Sprintf("%s has the Go name %s, %s", t.What, t.GoName, taken),
	}
}
