package schema

import (
	"math/big"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// checkListed reports values of an enum or a const that stand twice or can never be accepted, and an enum without any.
func (r *Reader) checkListed(s *site) {
	enum := s.node.Get("enum")
	if enum.Is(document.List) {
		r.checkNull(s, enum)
		r.checkRepeated(enum)
		if len(enum.Children) == 0 {
			r.fault(enum.Fault(diag.BadEnum, "name the values, or leave enum out", "an enum without values takes nothing"))
		}
	}
	for _, value := range s.listed() {
		if !value.Broken {
			r.checkExcluded(s, value)
		}
	}
	if only := s.node.Get("const"); only != nil && !only.Broken && enum.Is(document.List) && len(enum.Children) > 0 && !lists(enum, only) {
		r.fault(only.Fault(diag.ContradictoryBound, "add it there, or leave one of the two out", "value %s can never be accepted: 'enum' does not list it", spelt(only)))
	}
}

// lists tells whether an enum lists a value, however it is written.
func lists(enum, value *document.Node) bool {
	key := canonicalValue(value, false)
	return slices.ContainsFunc(enum.Children, func(listed *document.Node) bool { return canonicalValue(listed, false) == key })
}

// checkNull reports a type that takes null beside an enum that does not, and the reverse.
func (r *Reader) checkNull(s *site, enum *document.Node) {
	set, named := s.named()
	if !named || len(enum.Children) == 0 {
		return
	}
	holds, only := false, true
	for _, value := range enum.Children {
		if value.Is(document.Null) && !value.Broken {
			holds = true
		} else {
			only = false
		}
	}
	switch nullable := set&null != nothing; {
	case nullable && !holds:
		r.fault(enum.Fault(diag.BadEnum, "add null, or take 'null' out of the type", "the type takes null, the enum does not"))
	case holds && !nullable && !only:
		r.fault(enum.Fault(diag.BadEnum, "take null out, or add 'null' to the type", "the enum takes null, the type does not"))
	}
}

func (r *Reader) checkRepeated(enum *document.Node) {
	lines := map[string]int{}
	for _, value := range enum.Children {
		key := canonicalValue(value, false)
		if line, repeated := lines[key]; repeated {
			r.fault(value.Fault(diag.BadEnum, "keep one of them", "value %s is already on line %d", spelt(value), line))
			continue
		}
		lines[key] = value.Pos.Line
	}
}

// spelt is a value as a message repeats it.
func spelt(value *document.Node) string {
	if value.Is(document.Text) {
		return diag.Quote(value.Text)
	}
	return diag.Quote(string(value.AppendJSON(nil)))
}

// checkExcluded reports a value that the other keywords of its schema exclude.
func (r *Reader) checkExcluded(s *site, value *document.Node) {
	excludes := func(keyword string) {
		r.fault(value.Fault(diag.ContradictoryBound, "take it out, or change "+diag.Quote(keyword), "value %s can never be accepted: it breaks %s",
			spelt(value), diag.Quote(keyword)))
	}
	if set, named := s.named(); named && set&typeOf(value) == nothing {
		if !value.Is(document.Null) || s.has("const") { // of null in an enum it is said once
			excludes("type")
		}
		return
	}
	switch value.Kind {
	case document.Text:
		excludedText(s.node, value.Text, excludes)
	case document.Number:
		excludedNumber(s.node, rational(value), excludes)
	}
}

// excludedText calls excludes for the keywords that a text breaks.
func excludedText(node *document.Node, value string, excludes func(keyword string)) {
	length := big.NewRat(int64(utf8.RuneCountInString(value)), 1)
	if low := rational(node.Get("minLength")); low != nil && length.Cmp(low) < 0 {
		excludes("minLength")
	}
	if high := rational(node.Get("maxLength")); high != nil && length.Cmp(high) > 0 {
		excludes("maxLength")
	}
	pattern := node.Get("pattern")
	if !pattern.Is(document.Text) {
		return
	}
	if form, err := regexp.Compile(pattern.Text); err == nil && !form.MatchString(value) {
		excludes("pattern")
	}
}

// excludedNumber calls excludes for the keywords that a number breaks.
func excludedNumber(node *document.Node, value *big.Rat, excludes func(keyword string)) {
	if value == nil {
		return
	}
	if low := lowest(node); low.node != nil && (value.Cmp(low.value) < 0 || low.strict && value.Cmp(low.value) == 0) {
		excludes(low.node.Key)
	}
	if high := highest(node); high.node != nil && (value.Cmp(high.value) > 0 || high.strict && value.Cmp(high.value) == 0) {
		excludes(high.node.Key)
	}
	if step := rational(node.Get("multipleOf")); step != nil && step.Sign() > 0 && !new(big.Rat).Quo(value, step).IsInt() {
		excludes("multipleOf")
	}
}

// enumValues are the values of an enum as its type has them; null is said of its use.
func enumValues(s *site) []Value {
	var values []Value
	for _, value := range s.constants() {
		if value.Is(document.Null) || value.Broken || s.takes()&typeOf(value) == nothing {
			continue
		}
		said := value.Text
		if value.Is(document.Number) {
			said = rational(value).RatString()
		}
		if slices.ContainsFunc(values, func(v Value) bool { return v.Text == said }) {
			continue // it is reported, or two branches list it
		}
		values = append(values, Value{Text: said, Word: Word{Text: said}, Pos: value.Pos, at: value})
	}
	return values
}
