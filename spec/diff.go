package spec

import (
	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/expr"
)

// checkRow reads a row of the diff. A row of context shows one value, which is there before and after.
func (c *checker) checkRow(d *declaredRow, op *Operation, scope expr.Scope) Row {
	c.checkRowKeys(d)
	row := Row{
		Label:           c.template(d.label, op, scope),
		Before:          c.expression(d.before, op, scope),
		After:           c.expression(d.after, op, scope),
		KnownAfterApply: d.knownAfterApply,
		Context:         d.context,
		Pos:             d.node.Pos,
	}
	if row.Context && row.After == nil {
		row.After = row.Before
	} else if row.Context && row.Before == nil {
		row.Before = row.After
	}
	return row
}

// checkRowKeys reports rows that do not say what changes.
func (c *checker) checkRowKeys(d *declaredRow) {
	hasBefore, hasAfter := d.node.Get("before") != nil, d.node.Get("after") != nil
	report := func(hint, message string) { c.fault(d.node.Fault(diag.BadRow, hint, "%s", message)) }
	switch {
	case d.context && d.knownAfterApply:
		report("keep one of them", "a row of context does not change, and 'known_after_apply' says that it does")
	case d.context && hasBefore == hasAfter:
		report("write before or after", "a row of context shows one value")
	case d.knownAfterApply && hasAfter:
		report("keep one of them", "'after' and 'known_after_apply' exclude each other")
	case !hasBefore && !hasAfter && !d.knownAfterApply:
		report("write before: state.x or after: payload.x", "a row without values")
	}
}
