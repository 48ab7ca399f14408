package spec

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/expr"
)

// checkRow reads a row of the diff. A row of context shows one value, which is there before and after.
func (c *checker) checkRow(d *declaredRow, op *Operation, scope expr.Scope) Row {
	c.checkRowKeys(d)
	row := Row{KnownAfterApply: d.knownAfterApply, Context: d.context, Pos: d.node.Pos}
	if d.node.Get("each") != nil {
		var item expr.Binding
		row.Each, item = c.checkEach(d.each, op, scope)
		scope = append(slices.Clip(scope), item)
	}
	row.Label = c.template(d.label, op, scope)
	row.Before, row.After = c.expression(d.before, op, scope), c.expression(d.after, op, scope)
	if row.Context {
		c.completeContext(d, &row)
	}
	row.hide()
	return row
}

// completeContext gives a row of context its one value on both sides.
func (c *checker) completeContext(d *declaredRow, row *Row) {
	before, hasBefore := row.Before.(*expr.Path)
	after, hasAfter := row.After.(*expr.Path)
	switch {
	case !hasAfter:
		row.After = row.Before
	case !hasBefore:
		row.Before = row.After
	case before.String() != after.String():
		c.fault(d.after.Fault(diag.BadRow, "leave 'after' out, or take 'context' away", "a row of context shows one value, and this one changes"))
	}
}

// checkRowKeys reports rows that do not say what changes.
func (c *checker) checkRowKeys(d *declaredRow) {
	hasBefore, hasAfter := d.node.Get("before") != nil, d.node.Get("after") != nil
	report := func(hint, message string) { c.fault(d.node.Fault(diag.BadRow, hint, "%s", message)) }
	switch {
	case d.node.Broken: // what it holds is a guess
	case d.context && d.knownAfterApply:
		report("keep one of them", "a row of context does not change, and 'known_after_apply' says that it does")
	case d.knownAfterApply && hasAfter:
		report("keep one of them", "'after' and 'known_after_apply' exclude each other")
	case !hasBefore && !hasAfter && !d.knownAfterApply:
		report("write before: state.x or after: payload.x", "a row without values")
	}
}
