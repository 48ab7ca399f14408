package schema

import (
	"math/big"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

func (r *reading) readEnum(node *document.Node, t *Type, place Place) *Type {
	values := node.Get("enum")
	if !values.Is(document.List) {
		return new(Type)
	}
	r.name(t, node, place)
	r.checkText(node)
	lines := map[string]int{}
	for _, value := range values.Children {
		if value.Is(document.Null) {
			continue
		}
		if !value.Is(document.Text) {
			r.fault(value.Fault(diag.BadEnum, "quote it, or write bounds", "an enum of other values than strings is not supported"))
			break
		}
		if line, repeated := lines[value.Text]; repeated {
			r.fault(value.Fault(diag.BadEnum, "keep one of them", "value %s is already on line %d", diag.Quote(value.Text), line))
			continue
		}
		lines[value.Text] = value.Pos.Line
		r.checkValue(node, value)
		t.Values = append(t.Values, Value{Text: value.Text, Word: Word{Text: value.Text}, Pos: value.Pos, at: value})
	}
	if len(lines) == 0 && !hasFaulty(values) {
		r.fault(values.Fault(diag.BadEnum, "name the values, or leave enum out", "an enum without values takes nothing"))
	}
	return t
}

// hasFaulty tells whether a list holds values that were reported one by one.
func hasFaulty(values *document.Node) bool {
	return slices.ContainsFunc(values.Children, func(value *document.Node) bool { return !value.Is(document.Null) })
}

// checkValue reports a value that the other keywords of its schema exclude.
func (r *reading) checkValue(node, value *document.Node) {
	length := big.NewRat(int64(utf8.RuneCountInString(value.Text)), 1)
	least, greatest, pattern := node.Get("minLength"), node.Get("maxLength"), node.Get("pattern")
	excludes := func(keyword *document.Node) {
		r.fault(value.Fault(diag.ContradictoryBound, "take it out, or change the bound", "value %s can never be accepted: it breaks %s",
			diag.Quote(value.Text), diag.Quote(keyword.Key)))
	}
	if low := rational(least); low != nil && length.Cmp(low) < 0 {
		excludes(least)
	}
	if high := rational(greatest); high != nil && length.Cmp(high) > 0 {
		excludes(greatest)
	}
	if !pattern.Is(document.Text) {
		return
	}
	if form, err := regexp.Compile(pattern.Text); err == nil && !form.MatchString(value.Text) {
		excludes(pattern)
	}
}
