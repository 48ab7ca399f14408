package spec

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// pairing makes the rows of a diff: auto.
type pairing struct {
	checker *checker
	node    *document.Node
	op      *Operation
	r       *resource
	payload *expr.Path
	state   *expr.Path // nil where there is nothing before
	rows    []Row
}

// autoRows are the rows of a diff: auto. There is one for each property of the payload, in its order, with the value
// before that the state has under the same name.
func (c *checker) autoRows(node *document.Node, op *Operation, r *resource) []Row {
	p := &pairing{checker: c, node: node, op: op, r: r, payload: op.payloadScope()[0].Path(node.Pos)}
	if scope := r.stateScope(expr.State); len(scope) > 0 && r.Absent != ExistsRefused {
		p.state = scope[0].Path(node.Pos)
	}
	fields := op.Payload.Fields
	switch {
	case op.Payload.Kind != schema.Object || p.state != nil && p.state.Of.Use.Type.Kind == schema.Invalid:
		return nil // what is wrong with the schema is reported
	case r.Many:
		p.fault("the state is a list, and has no property to pair with one of the payload")
		return nil
	case len(fields) == 0:
		p.fault("the payload has no property to show")
		return nil
	}
	looked := p.lookedBy()
	changes, removes := p.says(looked)
	if p.state != nil && !changes && !removes {
		p.fault("no property of the payload has the name of one of the state, so that there is nothing to pair")
		return nil
	}
	for _, field := range fields {
		if p.state != nil && looked[field.Name] && (removes || member(p.state, field.Name) == nil) {
			p.context(field)
			continue
		}
		p.pair(field)
	}
	if removes {
		p.gone("", p.state)
	}
	return p.rows
}

// lookedBy are the properties of the payload that surely say which thing is looked at: those that a column of what the
// query finds is equal to. Another parameter may be what is written, as where a query asks whether a name is taken. Of a
// hand-written look nothing is known but that it is by the only property there is, where that is no part of the state.
func (p *pairing) lookedBy() map[string]bool {
	looked := map[string]bool{}
	for i, node := range p.op.ObserveArgs {
		if path, ok := node.(*expr.Path); ok && len(path.Fields) == 1 && p.r.look.statement.Keys[i] {
			looked[path.Fields[0].Name] = true
		}
	}
	fields := p.op.Payload.Fields
	if p.r.Observe.Kind == ObserveGo && len(fields) == 1 && fields[0].Required && member(p.state, fields[0].Name) == nil {
		looked[fields[0].Name] = true
	}
	return looked
}

// says tells what a payload says of a state: other values for some of its properties, or nothing but which it is. A call
// that only names a thing is taken to remove it.
func (p *pairing) says(looked map[string]bool) (changes, removes bool) {
	if p.state == nil {
		return false, false
	}
	removes = true
	for _, field := range p.op.Payload.Fields {
		if !looked[field.Name] {
			removes = false
			changes = changes || member(p.state, field.Name) != nil
		}
	}
	return changes, removes
}

func (p *pairing) fault(message string) {
	d := p.node.Fault(diag.BadAuto, "write the rows", "%s", message)
	p.checker.faultsOf(p.op, diag.List{d})
}

// member is the path to the field of that name; nil if there is none.
func member(of *expr.Path, name string) *expr.Path {
	if of == nil {
		return nil
	}
	fields := of.Of.Use.Type.Fields
	i := slices.IndexFunc(fields, func(field *schema.Field) bool { return field.Name == name })
	if i < 0 || of.Of.Use.Type.Kind != schema.Object {
		return nil
	}
	return of.Into(fields[i])
}

// context adds a row for what says which thing is looked at.
func (p *pairing) context(field *schema.Field) {
	path := p.payload.Into(field)
	p.add(document.EscapePart(field.Name), path, path)
	row := &p.rows[len(p.rows)-1]
	row.Context, row.Parts = true, false
}

// pair adds a row for a property of the payload and that of the same name of the state, if there is one.
func (p *pairing) pair(field *schema.Field) {
	before, after := member(p.state, field.Name), p.payload.Into(field)
	if before != nil && !before.Of.Use.Type.MayEqual(after.Of.Use.Type) {
		p.fault(diag.Quote(before.String()) + " is " + before.Of.Use.Type.Kind.String() + ", and " +
			diag.Quote(after.String()) + " is " + after.Of.Use.Type.Kind.String() + ", which are no pair")
		return
	}
	p.add(document.EscapePart(field.Name), before, after)
}

// gone adds rows for all that an approval is bound to of an object that will be there no more.
func (p *pairing) gone(label string, object *expr.Path) {
	for _, field := range object.Of.Use.Type.Fields {
		path := object.Into(field)
		switch {
		case p.r.binds(path):
			p.add(inner(label, field), path, nil)
		case goesInto(path.Names(), slices.Concat(p.r.Bind, p.r.Volatile)):
			p.gone(inner(label, field), path)
		}
	}
}

// inner is the label of a field: its JSON Pointer in what is labelled, without the slash that a pointer begins with.
func inner(label string, field *schema.Field) string {
	if label == "" {
		return document.EscapePart(field.Name)
	}
	return label + "/" + document.EscapePart(field.Name)
}

// add adds a row. Either path may be nil, for no value. Objects are shown by their members.
func (p *pairing) add(label string, before, after *expr.Path) {
	row := Row{Label: &expr.Template{Parts: []expr.Part{{Text: label}}, At: p.node.Pos}, Pos: p.node.Pos}
	if before != nil {
		row.Before, row.Parts = before, before.Of.Use.Type.HasMembers()
	}
	if after != nil {
		row.After, row.Parts = after, row.Parts || after.Of.Use.Type.HasMembers()
	}
	row.hide()
	p.rows = append(p.rows, row)
}
