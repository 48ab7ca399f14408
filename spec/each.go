package spec

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// checkEach reads the list that a row stands for each item of, and gives what the row sees besides: the item.
func (c *checker) checkEach(node *document.Node, op *Operation, scope expr.Scope) (list *expr.Path, item expr.Binding) {
	item = expr.Binding{Root: expr.Item, Use: schema.Use{Type: new(schema.Type)}}
	list, _ = c.expression(node, op, append(slices.Clip(scope), item)).(*expr.Path)
	if list == nil {
		return nil, item
	}
	if hint, message := eachFault(list); message != "" {
		d := node.Fault(diag.BadEach, hint, "%s", message)
		d.Pos = list.Pos()
		c.faultsOf(op, diag.List{d})
		return nil, item
	}
	if list.Of.Use.Type.Kind == schema.Array {
		item.Use = list.Of.Use.Type.Elem
		item.Use.Sensitive = item.Use.Sensitive || list.Of.Sensitive
	}
	return list, item
}

// eachFault says why there can be no row for each item of what a path leads to, if there cannot.
func eachFault(list *expr.Path) (hint, message string) {
	t := list.Of.Use.Type
	switch {
	case list.Root == expr.Item:
		return "show the whole of it in one row, as in after: item.x", "an each goes through one list, and not through a list in each of its items"
	case t.Kind == schema.Map:
		return "show the whole of it in a row without each, as in after: " + list.String(), diag.Quote(list.String()) + " is a map, whose members have no order to show them in"
	case t.Kind != schema.Array && t.Kind != schema.Invalid:
		return "name a list", diag.Quote(list.String()) + " is " + t.Kind.String() + ", and no list"
	default:
		return "", ""
	}
}
