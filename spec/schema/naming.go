package schema

import (
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/goname"
	"github.com/changesetgen/changesetgen/spec/naming"
)

// unionMethods are the methods that a Union has beside the fields for its branches.
var unionMethods = []string{"MarshalJSON", "UnmarshalJSON", "branches"}

// Name gives Go names to named types, their fields, branches and values, and says which of them can have none, or the
// name of another in the same type. What a type declares in the package is held against the rest of it by the caller;
// see [Type.Declares].
func Name(types []*Type) diag.List {
	n := new(namer)
	for _, t := range types {
		n.nameType(t)
	}
	return n.faults
}

// namer names types.
type namer struct{ faults diag.List }

// exported is a word as it begins a Go name.
func (w Word) exported() string {
	if w.Verbatim {
		return w.Text
	}
	return goname.Exported(w.Text)
}

// part is a word as it stands behind others.
func (w Word) part() string {
	if w.Verbatim {
		return w.Text
	}
	return goname.Part(w.Text)
}

func (n *namer) nameType(t *Type) {
	t.GoName = join(t.Words)
	if t.GoName == "" && len(t.Words) == 1 { // a longer name lacks a part that is reported where it is declared
		n.faults.Add(t.at.KeyFault(diag.NoGoName, t.renaming(), "definition %s has no Go name", diag.Quote(t.at.Key)))
	}
	n.nameFields(t)
	n.nameBranches(t)
	n.nameValues(t)
}

// join is the name that words make, or "" if one of them says nothing: the name would be that of something else.
func join(words []Word) string {
	name := ""
	for i, word := range words {
		part := word.part()
		if i == 0 {
			part = word.exported()
		}
		if part == "" {
			return ""
		}
		name = goname.Join(name, part)
	}
	return name
}

func (n *namer) nameFields(t *Type) {
	var scope naming.Scope
	if t.Others != nil {
		scope.Reserve("the field for properties that have none of their own", OthersGoName)
	}
	for _, field := range t.Fields {
		field.GoName = field.Word.exported()
		n.add(&scope, field.at, naming.Thing{GoName: field.GoName, What: "property " + diag.Quote(field.Name), Pos: field.Pos})
	}
}

func (n *namer) nameBranches(t *Type) {
	var scope naming.Scope
	scope.Reserve("a method that every choice of types has", unionMethods...)
	for _, branch := range t.Branches {
		branch.GoName = branch.Word.exported()
		n.add(&scope, branch.at, naming.Thing{GoName: branch.GoName, What: "the branch for " + diag.Quote(branch.Value), Pos: branch.Pos})
	}
}

// add puts a member of a type, which at declares, into the scope of the type.
func (n *namer) add(scope *naming.Scope, at *document.Node, member naming.Thing) {
	member.Where = at.Where()
	member.Rename = writeGoName(member.What)
	if member.GoName == "" {
		n.faults.Add(at.KeyFault(diag.NoGoName, member.Rename, "%s has no Go name", member.What))
		return
	}
	if !goname.IsExported(member.GoName) { // the author's own name, which is reported where it is written
		return
	}
	if fault, ok := scope.Add(member); !ok {
		n.faults.Add(fault)
	}
}

// nameValues names the constants of an enum. They stand in the package and not in the type, so that they are held against
// each other there.
func (n *namer) nameValues(t *Type) {
	own := t.at.Get(goNames)
	n.checkValues(t, own)
	for i := range t.Values {
		value := &t.Values[i]
		if suffix := own.Get(value.Text); suffix.Is(document.Text) {
			value.Word = Word{Text: suffix.Text, Verbatim: true}
		}
		suffix := value.Word.part()
		switch {
		case suffix == "":
			n.faults.Add(value.at.Fault(diag.NoGoName, value.renaming(), "value %s has no Go name", diag.Quote(value.Text)))
		case t.GoName != "":
			value.GoName = goname.Join(t.GoName, suffix)
		}
	}
}

// checkValues reports names of an author's own for values that an enum does not have.
func (n *namer) checkValues(t *Type, own *document.Node) {
	if t.Kind != Enum || !own.Is(document.Map) {
		return
	}
	values := make([]string, len(t.Values))
	for i, value := range t.Values {
		values[i] = value.Text
	}
	for _, child := range own.Children {
		if !slices.Contains(values, child.Key) {
			n.faults.Add(child.KeyFault(diag.BadOverride, diag.DidYouMean(child.Key, values), "the enum has no value %s", diag.Quote(child.Key)))
		}
	}
}

// Declares are the things that a named type declares in the package: itself, and the constants of an enum. What has no Go
// name is left out; it has been reported.
func (t *Type) Declares() []naming.Thing {
	var things []naming.Thing
	if goname.IsExported(t.GoName) {
		things = append(things, naming.Thing{
			GoName: t.GoName, What: "the type of " + diag.Quote(t.Path), Rename: t.renaming(), Where: t.Where(), Pos: t.Pos,
		})
	}
	for _, value := range t.Values {
		if goname.IsExported(value.GoName) {
			things = append(things, naming.Thing{
				GoName: value.GoName, What: "value " + diag.Quote(value.Text) + " of " + diag.Quote(t.Path),
				Rename: value.renaming(), Where: value.at.Where(), Pos: value.Pos,
			})
		}
	}
	return things
}

// renaming says how to give the type another name. The root of a schema is named after the operation or the resource.
func (t *Type) renaming() string {
	if !strings.ContainsAny(t.Path, ".[({") {
		return ""
	}
	return writeGoName(diag.Quote(t.Path))
}

func (v Value) renaming() string {
	beside := "enum"
	if v.at.Key == "const" {
		beside = v.at.Key
	}
	return "write " + goNames + ": {" + diag.Quote(v.Text) + ": NAME} beside its " + beside
}

func writeGoName(what string) string { return "write " + goName + ": NAME into " + what }
