package spec

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// checkHidden reports what would tell a sensitive value, or would show nothing at all in order to hide one. A row hides
// its value, and one of an object those of its members. A text cannot hide anything, and lists of different lengths
// have no items to compare.
func (c *checker) checkHidden(d *declaredOperation, op *Operation) {
	c.checkHiddenText(d.summary, op.Summary, op)
	c.checkHiddenText(d.loses, op.Loses, op)
	for i, row := range op.Diff {
		at := d.row(i)
		c.checkHiddenText(at.label, row.Label, op)
		c.checkHiddenValue(at.before, row.Before, row, op)
		c.checkHiddenValue(at.after, row.After, row, op)
		c.checkMarkedAlike(at.node, row.Before, row.After, op)
	}
}

func (c *checker) checkHiddenText(node *document.Node, text *expr.Template, op *Operation) {
	for _, value := range text.Nodes() {
		path, ok := value.(*expr.Path)
		switch {
		case !ok:
		case path.Of.IsSensitive():
			c.faultHidden(node, path, op, "show it in a row of the diff", "%s is sensitive, and a text would tell it", diag.Quote(path.String()))
		case path.Of.HoldsSensitive():
			c.faultHidden(node, path, op, "show it in a row of the diff, or name what is not sensitive",
				"%s has something sensitive in it, and a text would tell it", diag.Quote(path.String()))
		}
	}
}

// checkHiddenValue checks a value of a row that is declared at a node; none is where a row of context has it from the
// other side.
func (c *checker) checkHiddenValue(node *document.Node, value expr.Node, row Row, op *Operation) {
	path, ok := value.(*expr.Path)
	switch {
	case !ok || node == nil:
	case isOfMixed(path, row.Each):
		c.faultHidden(node, path, op, "mark all of "+row.Each.String()+" x-sensitive, or all of its items",
			"%s has items that are sensitive beside others that are not, and rows for each would hide all of them", diag.Quote(row.Each.String()))
	case path.Of.IsSensitive():
	case path.Of.ListsSensitive():
		c.faultHidden(node, path, op, listing(path), "%s has a list with something sensitive in its items, which would hide all of them", diag.Quote(path.String()))
	case path.Of.HoldsSensitive() && (row.Context || row.KnownAfterApply):
		c.faultHidden(node, path, op, "write rows for its fields", "%s has something sensitive in it, and this row would hide all of it", diag.Quote(path.String()))
	default:
		if _, unsaid := path.Of.Hidden(); unsaid != "" {
			c.faultHidden(node, path, op, "write rows for its fields, or mark all of it x-sensitive",
				"%s has something sensitive in it, and no row can hide that alone, as "+unsaid, diag.Quote(path.String()))
		}
	}
}

// isOfMixed tells whether a path leads into an item of a list that is sensitive by its place there.
func isOfMixed(path *expr.Path, each *expr.Path) bool {
	return path.Root == expr.Item && each != nil && each.Of.Use.Type.Mixed && !each.Of.IsSensitive()
}

func (c *checker) faultHidden(node *document.Node, path *expr.Path, op *Operation, hint, format string, args ...any) {
	d := node.Fault(diag.SensitiveShown, hint, format, args...)
	d.Pos = path.Pos()
	c.faultsOf(op, diag.List{d})
}

// listing is what to write instead of a row for a value that has lists with something sensitive in their items.
func listing(path *expr.Path) string {
	if path.Of.Use.Type.Kind == schema.Array && path.Root != expr.Item && !path.Of.Use.Type.Mixed {
		return "write rows with each: " + path.String() + ", or mark all of it x-sensitive"
	}
	return "write rows for the lists, with each, or mark all of them x-sensitive"
}

// hide makes a row show as much of its values as is not sensitive: nothing, or the members of objects that are not.
// What is hidden on one side is hidden on the other, where the same may stand.
func (r *Row) hide() {
	for _, value := range []expr.Node{r.Before, r.After} {
		path, ok := value.(*expr.Path)
		if !ok {
			continue
		}
		r.Sensitive = r.Sensitive || path.Of.IsSensitive()
		pointers, _ := path.Of.Hidden()
		for _, pointer := range pointers {
			if !slices.Contains(r.Hidden, pointer) {
				r.Hidden = append(r.Hidden, pointer)
			}
		}
	}
	if r.Sensitive {
		r.Parts, r.Hidden = false, nil
	}
	r.Parts = r.Parts || r.Hidden != nil
}
