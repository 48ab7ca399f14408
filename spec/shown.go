package spec

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
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
		c.checkShownText(d.diff[i].label, row.Label, op, r)
		c.checkShownValue(d.diff[i].before, row.Before, op, r)
		c.checkShownValue(d.diff[i].after, row.After, op, r)
	}
}

func (c *checker) checkShownText(node *document.Node, text *expr.Template, op *Operation, r *resource) {
	if text == nil {
		return
	}
	for _, part := range text.Parts {
		c.checkShownValue(node, part.Expr, op, r)
	}
}

func (c *checker) checkShownValue(node *document.Node, value expr.Node, op *Operation, r *resource) {
	path, ok := value.(*expr.Path)
	if !ok || path.Root != expr.State || r.binds(path) {
		return
	}
	d := node.Fault(diag.UnboundShown, "add it to bind, take it out of volatile, or show it in a row with context: true",
		"%s is shown, but may change before apply without being noticed", diag.Quote(path.String()))
	d.Pos = path.Pos()
	c.faultsOf(op, diag.List{d})
}

// binds tells whether an approval is bound to all that a path under the state leads to.
func (r *resource) binds(path *expr.Path) bool {
	names := make([]string, len(path.Fields))
	for i, field := range path.Fields {
		names[i] = field.Name
	}
	if r.Bind == nil {
		return !slices.ContainsFunc(r.Volatile, func(volatile []string) bool { return meet(names, volatile) })
	}
	return slices.ContainsFunc(r.Bind, func(bound []string) bool { return len(bound) <= len(names) && meet(names, bound) })
}
