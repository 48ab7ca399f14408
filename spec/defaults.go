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
	templates := []*document.Node{d.summary, d.loses}
	var expressions []*document.Node
	for _, row := range d.diff {
		c.checkRowKeys(row)
		templates = append(templates, row.label)
		expressions = append(expressions, row.before, row.after)
	}
	if d.inline != nil {
		expressions = append(expressions, slices.Concat(d.inline.bind, d.inline.volatile)...)
		c.checkUnusedLook(d.inline.observe)
	}
	for _, node := range templates {
		if node != nil {
			_, faults := expr.ReadTemplate(node, anything)
			c.faults = append(c.faults, faults...)
		}
	}
	for _, node := range expressions {
		if node != nil {
			_, faults := expr.Read(node, anything)
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
