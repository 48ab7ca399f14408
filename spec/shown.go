package spec

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// checkShown reports what a person is shown of the state although an approval is not bound to it: it could change after
// the preview, and the change would run all the same over something that nobody saw. Rows of context may show it, as
// they say nothing about what changes.
func (c *checker) checkShown(d *declaredOperation, op *Operation, r *resource) {
	c.checkShownText(d.summary, op.Summary, op, r)
	c.checkShownText(d.loses, op.Loses, op, r)
	for i, row := range op.Diff {
		if row.Context {
			continue
		}
		at := d.row(i)
		if row.Each != nil {
			c.checkShownValue(at.each, row.Each, op, r)
		}
		c.checkShownText(at.label, row.Label, op, r)
		c.checkShownValue(at.before, row.Before, op, r)
		c.checkShownValue(at.after, row.After, op, r)
	}
}

func (c *checker) checkShownText(node *document.Node, text *expr.Template, op *Operation, r *resource) {
	for _, value := range text.Nodes() {
		c.checkShownValue(node, value, op, r)
	}
}

func (c *checker) checkShownValue(node *document.Node, value expr.Node, op *Operation, r *resource) {
	path, ok := value.(*expr.Path)
	if !ok || path.Root != expr.State || path.Type().Use.Type.Kind == schema.Invalid || r.binds(path) {
		return
	}
	d := node.Fault(diag.UnboundShown, "add it to bind, take it out of volatile, or show it in a row with context: true",
		"%s is shown, but may change before apply without being noticed", diag.Quote(path.String()))
	d.Pos = path.Pos()
	c.faultsOf(op, diag.List{d})
}

// binds tells whether an approval is bound to all that a path under the state leads to.
func (r *resource) binds(path *expr.Path) bool {
	names := path.Names()
	if r.Bind == nil {
		return !slices.ContainsFunc(r.Volatile, func(volatile []string) bool { return meet(names, volatile) })
	}
	return slices.ContainsFunc(r.Bind, func(bound []string) bool { return len(bound) <= len(names) && meet(names, bound) })
}

// checkPayloadShown reports fields of the payload that nobody sees: an approval would cover what was never shown.
func (c *checker) checkPayloadShown(d *declaredOperation, op *Operation) {
	v := &coverage{checker: c, op: op, auto: d.auto != nil}
	for _, node := range op.shows() {
		if path, ok := node.(*expr.Path); ok && path.Root == expr.Payload {
			v.shown = append(v.shown, path.Names())
		}
	}
	v.addLists()
	v.checkFields(op.Payload, nil)
}

// shows are the expressions whose values every preview shows. A row that may be missing shows for certain only the value
// that it is missing with.
func (op *Operation) shows() []expr.Node {
	nodes := textShows(op.Summary)
	for _, row := range op.Diff {
		if row.Each == nil { // or else there may be no item
			nodes = append(nodes, row.shows()...)
		}
	}
	return nodes
}

// shows are the expressions whose values a row shows.
func (r *Row) shows() []expr.Node {
	if r.SkipsAbsent() {
		return []expr.Node{r.After}
	}
	return append(textShows(r.Label), r.Before, r.After)
}

// textShows are the expressions whose values a text shows: those that are always there and never null. It has the same
// word for what is absent and what is null, and a string may be that word.
func textShows(text *expr.Template) []expr.Node {
	return slices.DeleteFunc(text.Nodes(), func(node expr.Node) bool {
		path, ok := node.(*expr.Path)
		return ok && (path.Of.MayBeAbsent || path.Of.Nullable)
	})
}

// names tells whether a text of the operation has what names lead to.
func (op *Operation) names(names []string) bool {
	nodes := op.Summary.Nodes()
	for _, row := range op.Diff {
		nodes = append(nodes, row.Label.Nodes()...)
	}
	return slices.ContainsFunc(nodes, func(node expr.Node) bool {
		path, ok := node.(*expr.Path)
		return ok && path.Root == expr.Payload && slices.Equal(path.Names(), names)
	})
}

// SkipsAbsent tells whether there is no row where After is absent: it is a value that a call may leave out of the
// payload, which asks for nothing.
func (r *Row) SkipsAbsent() bool {
	path, ok := r.After.(*expr.Path)
	return ok && path.Root == expr.Payload && path.Type().MayBeAbsent
}
