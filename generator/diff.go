package generator

import (
	"maps"
	"slices"

	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/expr"
)

// The variables of the hook that lists rows: the rows so far, and the item that a row is for.
var (
	rowsValue = emit.Name("rows")
	itemValue = emit.Name("item")
	rowType   = runtimePkg.Dot("Row")
)

// diffKey lists what would change, value by value.
func diffKey(op *operation) []emit.Key {
	signature := emit.Signature{
		Params:  []emit.Param{blankUnless(slices.ContainsFunc(op.Diff, looks), op.changeParam())},
		Results: []emit.Expr{emit.Slice(rowType)},
	}
	scope := changeScope(op)
	blocks := rowBlocks(op.Diff)
	switch {
	case len(blocks) > 1 || len(blocks) == 1 && blocks[0][0].Each != nil:
		return []emit.Key{{Name: "Diff", Value: emit.Func(signature, listRows(scope, blocks)...)}}
	case len(op.Diff) > 1:
		list := emit.Lines(emit.Slice(rowType), plainRows(scope, op.Diff)...)
		return []emit.Key{{Name: "Diff", Value: emit.Func(signature, emit.Return(list))}}
	default:
		list := emit.Literal(emit.Slice(rowType), plainRows(scope, op.Diff)...)
		return []emit.Key{{Name: "Diff", Value: emit.InlineFunc(signature, list)}}
	}
}

// looks tells whether a row looks at the change.
func looks(r spec.Row) bool {
	return r.Before != nil || r.After != nil || r.Each != nil || len(r.Label.Nodes()) > 0
}

// rowBlocks are the rows in blocks: those for the items of one list, or for none, that stand next to each other.
func rowBlocks(rows []spec.Row) [][]spec.Row {
	var blocks [][]spec.Row
	for i, r := range rows {
		if i == 0 || listOf(r) != listOf(rows[i-1]) {
			blocks = append(blocks, nil)
		}
		last := len(blocks) - 1
		blocks[last] = append(blocks[last], r)
	}
	return blocks
}

// listOf is the list that a row is repeated for, as the spec writes it; "" for none.
func listOf(r spec.Row) string {
	if r.Each == nil {
		return ""
	}
	return r.Each.String()
}

// listRows lists rows block by block.
func listRows(s scope, blocks [][]spec.Row) []emit.Stmt {
	var body []emit.Stmt
	for i, block := range blocks {
		isFirst, isLast := i == 0, i == len(blocks)-1
		switch {
		case block[0].Each != nil && isFirst:
			body = append(body, emit.Declare("rows", emit.Slice(rowType)), eachItem(s, block))
		case block[0].Each != nil:
			body = append(body, eachItem(s, block))
		case isFirst:
			body = append(body, emit.Define(emit.Lines(emit.Slice(rowType), plainRows(s, block)...), "rows"))
		case isLast:
			return append(body, emit.Return(appendRows(s, block)))
		default:
			body = append(body, emit.Assign(rowsValue, appendRows(s, block)))
		}
	}
	return append(body, emit.Return(rowsValue))
}

// eachItem adds the rows of a block for each item of its list.
func eachItem(s scope, block []spec.Row) emit.Stmt {
	list := block[0].Each
	inner := maps.Clone(s)
	item := list.Of.Use.Type.Elem
	inner[expr.Item] = root{at: itemValue, of: item.Type, mayBeNull: isPointer(item)}
	name := ""
	if slices.ContainsFunc(block, seesItem) {
		name = "item"
	}
	return emit.ForEach(name, s.items(list), emit.Assign(rowsValue, appendRows(inner, block)))
}

// seesItem tells whether a row shows something of the item that it is for.
func seesItem(r spec.Row) bool {
	return slices.ContainsFunc(append(r.Label.Nodes(), r.Before, r.After), func(n expr.Node) bool {
		path, ok := n.(*expr.Path)
		return ok && path.Root == expr.Item
	})
}

// appendRows is the rows so far with those of a block.
func appendRows(s scope, block []spec.Row) emit.Expr {
	rows := make([]emit.Expr, len(block))
	for i, r := range block {
		rows[i] = row(rowType, s, r)
	}
	return emit.Name("append").CallFit([]emit.Expr{rowsValue}, rows...)
}

// plainRows are rows as elements of a list of them.
func plainRows(s scope, rows []spec.Row) []emit.Key {
	keys := make([]emit.Key, len(rows))
	for i, r := range rows {
		keys[i] = emit.Key{Value: row(emit.Expr{}, s, r)}
	}
	return keys
}

// row is one row of the diff, of a type that is none where the list says it.
func row(t emit.Expr, s scope, r spec.Row) emit.Expr {
	keys := []emit.Key{{Name: "Label", Value: s.text(r.Label)}}
	if r.Before != nil {
		keys = append(keys, emit.Key{Name: "Before", Value: s.cell(r.Before)})
	}
	if r.After != nil {
		keys = append(keys, emit.Key{Name: "After", Value: s.cell(r.After)})
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{
		{"Context", r.Context}, {"KnownAfterApply", r.KnownAfterApply}, {"SkipAbsent", r.SkipsAbsent()},
		{"Sensitive", r.Sensitive}, {"Parts", r.Parts},
	} {
		if flag.set {
			keys = append(keys, emit.Key{Name: flag.name, Value: trueValue})
		}
	}
	if r.Hidden != nil {
		keys = append(keys, emit.Key{Name: "Hidden", Value: texts(r.Hidden)})
	}
	return emit.Literal(t, keys...)
}
