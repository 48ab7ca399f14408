package expr

import (
	"regexp"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// Binding is a root that is in scope, and what it holds.
type Binding struct {
	Root        Root
	Use         schema.Use
	MayBeAbsent bool
}

// Path is the path to all that the root holds.
func (b Binding) Path(at diag.Pos) *Path {
	return &Path{Root: b.Root, At: at, Of: Type{Use: b.Use, MayBeAbsent: b.MayBeAbsent}}
}

// Scope is what expressions of a key may start with.
type Scope []Binding

// roots names the roots of a scope.
func (s Scope) roots() []string {
	names := make([]string, len(s))
	for i, binding := range s {
		names[i] = string(binding.Root)
	}
	return names
}

// example is the hint for what is no path: one that begins in scope.
func (s Scope) example() string {
	if len(s) == 0 {
		return ""
	}
	return "write a path such as " + string(s[0].Root) + ".name"
}

// Read reads the whole text of a node as an expression. It gives nil if there are faults, or were.
func Read(node *document.Node, scope Scope) (Node, diag.List) {
	faults := CheckStyle(node)
	if node.Broken || node.Folded() {
		return nil, faults
	}
	text := strings.TrimSpace(node.Text)
	span := Span{Text: text, Start: strings.Index(node.Text, text), Expr: true}
	path, more := ReadSpan(node, span, scope)
	if faults = append(faults, more...); len(faults) > 0 {
		return nil, faults
	}
	return path, nil
}

// ReadSpan reads an expression within the text of a node. The node is nil if there are faults.
func ReadSpan(node *document.Node, span Span, scope Scope) (Node, diag.List) {
	fault := func(offset int, code, hint, format string, args ...any) diag.List {
		d := node.Fault(code, hint, format, args...)
		d.Pos = node.At(span.Start + offset)
		return diag.List{d}
	}
	names, bad := split(span.Text)
	if bad >= 0 {
		if span.Text == "" {
			return nil, fault(0, diag.NotAPath, scope.example(), "an empty expression")
		}
		if strings.HasPrefix(span.Text, Opening) {
			return nil, fault(bad, diag.NotAPath, "leave out ${ and }", "an expression, and not a template, stands here")
		}
		return nil, fault(bad, diag.NotAPath, scope.example(), "only dotted paths are supported here")
	}
	i := slices.IndexFunc(scope, func(b Binding) bool { return string(b.Root) == names[0].text })
	if i < 0 {
		hint := diag.DidYouMean(names[0].text, scope.roots())
		if hint == "" {
			hint = "in scope: " + strings.Join(scope.roots(), ", ")
		}
		return nil, fault(0, diag.UnknownRoot, hint, "%s is not in scope here", diag.Quote(names[0].text))
	}
	path := scope[i].Path(node.At(span.Start))
	for _, name := range names[1:] {
		if d, ok := path.step(name.text); !ok {
			return nil, fault(name.offset, d.Code, d.Hint, "%s", d.Message)
		}
	}
	return path, nil
}

// name is a name in a path and where it begins.
type name struct {
	text   string
	offset int
}

// identifier is what a path is made of; other names of properties cannot stand in one.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)

// IsName tells whether a property of that name can stand in a path.
func IsName(property string) bool {
	return property != "" && identifier.FindString(property) == property
}

// split cuts a path at its dots. The offset of what does not belong in a path is given as bad, which is -1 if there is
// nothing.
func split(path string) (names []name, bad int) {
	for at := 0; ; at++ {
		text := identifier.FindString(path[at:])
		if text == "" {
			return nil, at
		}
		names = append(names, name{text, at})
		at += len(text)
		if at == len(path) {
			return names, -1
		}
		if path[at] != '.' {
			return nil, at
		}
	}
}

// step goes from the value at the path's end into one of its fields. A value whose schema is at fault has any field,
// because its faults are reported already.
func (p *Path) step(name string) (d diag.Diagnostic, ok bool) {
	holder := p.Of
	switch holder.Use.Type.Kind {
	case schema.Invalid:
		return d, true
	case schema.Object:
	default:
		return diag.Diagnostic{Code: diag.NoFields, Message: diag.Quote(p.String()) + " is " + holder.Use.Type.Kind.String() + " and has no fields"}, false
	}
	fields := holder.Use.Type.Fields
	i := slices.IndexFunc(fields, func(f *schema.Field) bool { return f.Name == name })
	if i < 0 {
		names := make([]string, len(fields))
		for i, field := range fields {
			names[i] = field.Name
		}
		hint := diag.DidYouMean(name, names)
		if hint == "" && len(names) > 0 {
			hint = diag.Quote(p.String()) + " has " + diag.QuoteAll(names)
		}
		return diag.Diagnostic{Code: diag.UndefinedField, Hint: hint, Message: "undefined field " + diag.Quote(name)}, false
	}
	*p = *p.Into(fields[i])
	return d, true
}

// String is the path as it is written.
func (p *Path) String() string {
	text := string(p.Root)
	for _, field := range p.Fields {
		text += "." + field.Name
	}
	return text
}
