package spec

import (
	"strconv"
	"time"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// minPer is the shortest time that changes are counted over. A shorter one would limit hardly anything, and is rather a
// mistake in the unit.
const minPer = time.Second

// checkLimits reads the limits of an operation.
func (c *checker) checkLimits(d *declaredOperation, op *Operation) {
	limits := d.policy.limits
	if !limits.node.Is(document.Map) || limits.node.Broken {
		return
	}
	op.Limits = Limits{
		Changes:  count(limits.changes),
		Per:      c.duration(limits.per, minPer, 0),
		OfAll:    textOf(limits.by) == wordLedger,
		MaxItems: count(limits.maxItems),
	}
	if limits.items != nil {
		op.Limits.Items = c.checkItems(limits.items, op)
	}
}

// count is a number that the language's schema bounds; 0 of one that is none.
func count(node *document.Node) int {
	if !node.Is(document.Number) {
		return 0
	}
	number, err := strconv.ParseFloat(node.Text, 64)
	if err != nil {
		return 0
	}
	return int(number)
}

// checkItems reads what counts the things that a change affects. What may be left out could mean all there is, so that
// no limit could hold.
func (c *checker) checkItems(node *document.Node, op *Operation) *expr.Path {
	read := c.expression(node, op, op.payloadScope())
	path, ok := read.(*expr.Path)
	if !ok || path.Of.Use.Type.Kind == schema.Invalid {
		return nil
	}
	report := func(hint, format string) *expr.Path {
		c.faultsOf(op, diag.List{node.Fault(diag.BadCount, hint, format, diag.Quote(path.String()))})
		return nil
	}
	switch kind := path.Of.Use.Type.Kind; {
	case kind == schema.WideInteger:
		return report("keep its bounds within 64 bits, without x-go-type: number", "%s may be beyond 64 bits, where no limit counts")
	case kind != schema.Array && kind != schema.Integer:
		return report("name a list or an integer", "%s is "+kind.String()+", which counts nothing")
	case path.Of.MayBeAbsent || path.Of.Nullable || !isCertain(op.Payload, path.Names()):
		return report("put it into required, or give it a default", "%s may be left out, so that it limits nothing")
	case path.Of.Sensitive:
		c.faultHidden(node, path, op, "count something else, or leave max_items out", "%s is sensitive, and previews tell how many things a change affects", diag.Quote(path.String()))
		return nil
	}
	return path
}
