package spec

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// anything is what is in scope where it is not known what paths lead to: they may go on as they like.
var anything = expr.Scope{
	{Root: expr.Payload, Use: schema.Use{Type: new(schema.Type)}},
	{Root: expr.State, Use: schema.Use{Type: new(schema.Type)}},
}

// checkUnusedDefaults checks the form of defaults that no operation takes, as nothing else is said of them.
func (c *checker) checkUnusedDefaults() {
	d := c.declared.unused
	c.checkProse(d)
	c.checkTimes(d, new(Operation))
	c.checkUnusedPolicy(d)
	c.checkUnusedTemplates(anything, d.summary, d.loses)
	for _, row := range d.diff {
		c.checkUnusedRow(row)
	}
	if d.inline != nil {
		c.checkUnusedExpressions(anything, slices.Concat(d.inline.bind, d.inline.volatile)...)
		c.checkUnusedLook(d.inline.observe)
	}
}

func (c *checker) checkUnusedRow(row *declaredRow) {
	c.checkRowKeys(row)
	scope := anything
	if row.node.Get("each") != nil {
		c.checkUnusedExpressions(anything, row.each)
		scope = append(slices.Clip(scope), expr.Binding{Root: expr.Item, Use: schema.Use{Type: new(schema.Type)}})
	}
	c.checkUnusedTemplates(scope, row.label)
	c.checkUnusedExpressions(scope, row.before, row.after)
}

func (c *checker) checkUnusedTemplates(scope expr.Scope, nodes ...*document.Node) {
	for _, node := range nodes {
		if node != nil {
			_, faults := expr.ReadTemplate(node, scope)
			c.faults = append(c.faults, faults...)
		}
	}
}

func (c *checker) checkUnusedExpressions(scope expr.Scope, nodes ...*document.Node) {
	for _, node := range nodes {
		if node != nil {
			_, faults := expr.Read(node, scope)
			c.faults = append(c.faults, faults...)
		}
	}
}

func (c *checker) checkUnusedLook(d *declaredObserve) {
	if d == nil {
		return
	}
	c.checkAbsence(d)
	if look, _ := c.checkObserve(d, nil); d.after != nil {
		c.checkObserve(d.after, look.Connection)
	}
}
