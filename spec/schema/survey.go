package schema

import (
	"errors"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// survey reports what is wrong with each schema by itself, at top and within it.
func (r *Reader) survey(top *site) {
	top.walk(func(s *site) {
		switch {
		case s.node.Broken || !s.node.Is(document.Map) && !s.node.Is(document.Boolean):
			s.broken = true
		case s.node.Is(document.Map):
			s.broken = s.misreads()
			r.checkKeywords(s)
			r.marked = r.marked || s.isMarked()
			r.readOverrides(s)
			r.checkValues(s)
		}
	})
}

// misreads tells whether a keyword that says what the site describes is of the wrong kind, as the language's schema says.
func (s *site) misreads() bool {
	if _, ok := s.named(); !ok && s.has("type") {
		return true
	}
	return slices.ContainsFunc(s.node.Children, func(child *document.Node) bool {
		switch held := keywords[child.Key].holds; {
		case child.Key == "enum":
			return !child.Is(document.List)
		case held == byName:
			return !child.Is(document.Map)
		case held == aList:
			return !child.Is(document.List)
		default:
			return false
		}
	})
}

// link finds what the references of schemas lead to, and reports what follows from it.
func (r *Reader) link(tops ...*site) {
	for _, top := range tops {
		top.walk(func(s *site) {
			if ref := s.node.Get("$ref"); ref != nil {
				s.target = r.resolve(s, ref)
				s.faulty = s.faulty || s.target == nil
			}
		})
	}
	r.checkLoops(tops)
	for _, top := range tops {
		top.walk(r.checkItems)
		top.walk(r.checkTogether)
	}
}

// checkValues reports what the keywords of one schema say that nothing could keep.
func (r *Reader) checkValues(s *site) {
	r.checkDialect(s.node)
	r.checkEffect(s)
	r.checkGoType(s)
	r.checkFormat(s.node)
	r.checkPatterns(s.node)
	r.checkCounts(s.node)
	r.checkNumber(s)
	r.checkListed(s)
}

// known are all the keywords that a schema may hold, for suggestions.
var known = slices.Sorted(func(yield func(string) bool) {
	for _, keyword := range slices.Concat(slices.Collect(maps.Keys(keywords)), extensions) {
		if !yield(keyword) {
			return
		}
	}
})

// extensions are those of ours; all but the mark on what is sensitive are for the generator alone.
var extensions = []string{goName, goNames, goType, sensitiveMark}

// extensionPrefix begins the names of keywords that are not those of JSON Schema, and ourPrefix those of ours.
const (
	extensionPrefix = "x-"
	ourPrefix       = "x-go-"
)

// checkKeywords reports the keywords that are not supported. Extensions of others are not handed out. One that looks like
// a mark on what is sensitive is taken for one that is misspelt: to pass over it would show what should be hidden.
func (r *Reader) checkKeywords(s *site) {
	for _, child := range s.node.Children {
		if _, ok := keywords[child.Key]; ok || slices.Contains(extensions, child.Key) {
			continue
		}
		instead, ok := unsupported[child.Key]
		switch {
		case ok:
			s.faulty = true
			r.fault(child.KeyFault(diag.UnsupportedKeyword, instead, "%s is not supported", diag.Quote(child.Key)))
		case strings.HasPrefix(child.Key, extensionPrefix) && !strings.HasPrefix(child.Key, ourPrefix) && diag.DidYouMean(child.Key, []string{sensitiveMark}) == "":
		default:
			s.faulty = true
			hint, ok := besideSchema[child.Key]
			if !ok {
				hint = diag.DidYouMean(child.Key, known)
			}
			r.fault(child.KeyFault(diag.UnknownKeyword, hint, "unknown keyword %s", diag.Quote(child.Key)))
		}
	}
}

// besideSchema are keys of an operation that are about its schemas, and that authors look for within them.
var besideSchema = map[string]string{
	"open":           "it is a key of the operation; here, write additionalProperties: true",
	"assert_formats": "it is a key of the operation: write it beside payload",
}

// dialect is the only one that schemas are written in.
const dialect = "https://json-schema.org/draft/2020-12/schema"

func (r *Reader) checkDialect(node *document.Node) {
	if named := node.Get("$schema"); named.Is(document.Text) && named.Text != dialect {
		r.fault(named.Fault(diag.UnsupportedKeyword, "write "+dialect+", or leave it out", "dialect %s is not supported", diag.Quote(named.Text)))
	}
}

// checkEffect reports the keywords that say nothing about values of the types that a schema names.
func (r *Reader) checkEffect(s *site) {
	set, ok := s.named()
	if !ok || set == nothing {
		return
	}
	for _, child := range s.node.Children {
		if keyword, ok := keywords[child.Key]; ok && keyword.on&set == nothing {
			r.fault(child.KeyFault(diag.NoEffect, "leave it out, or change the type", "%s has no effect on %s", diag.Quote(child.Key), set))
		}
	}
}

// checkPatterns reports patterns of texts and of names of properties that the validator could not read.
func (r *Reader) checkPatterns(node *document.Node) {
	if pattern := node.Get("pattern"); pattern.Is(document.Text) {
		if _, err := regexp.Compile(pattern.Text); err != nil {
			r.fault(pattern.Fault(diag.BadPattern, patternHint(err), "%v", err))
		}
	}
	if patterns := node.Get("patternProperties"); patterns.Is(document.Map) {
		for _, pattern := range patterns.Children {
			if _, err := regexp.Compile(pattern.Key); err != nil {
				r.fault(pattern.KeyFault(diag.BadPattern, patternHint(err), "%v", err))
			}
		}
	}
}

// patternHint is what to write instead of a pattern that RE2 does not take.
func patternHint(err error) string {
	var invalid *syntax.Error
	if errors.As(err, &invalid) {
		switch invalid.Code {
		case syntax.ErrInvalidRepeatSize:
			return "repeat 1000 times at most, or write maxLength or minLength"
		case syntax.ErrLarge, syntax.ErrNestingDepth:
			return "write a shorter one, or check it in the hand-written body"
		}
	}
	return "write one that RE2 takes, without look-around and back-references, or check it in the hand-written body"
}

// goTypes are the Go types that an author may choose, and the values they are for.
var goTypes = map[string]types{"number": number, "float64": fraction, plainString: text, "raw": all}

// checkGoType reports a choice of a Go type that means nothing for what the schema takes.
func (r *Reader) checkGoType(s *site) {
	chosen := s.node.Get(goType)
	if chosen == nil || chosen.Broken {
		return
	}
	on, ok := goTypes[chosen.Text]
	set, named := s.named()
	switch {
	case !chosen.Is(document.Text) || !ok:
		r.fault(chosen.Fault(diag.BadGoType, diag.DidYouMean(chosen.Text, slices.Sorted(maps.Keys(goTypes))), "must be number, float64, string or raw"))
	case chosen.Text == "raw":
	case !named || set&on == nothing || chosen.Text == plainString && !s.has("enum"):
		r.fault(chosen.Fault(diag.BadGoType, "leave it out", "%s is for %s", chosen.Text, goTypeUses[chosen.Text]))
	}
}

// goTypeUses says which schemas a Go type may be chosen for.
var goTypeUses = map[string]string{
	"number": "type: integer, whose values may then be beyond 64 bits", "float64": "type: number", plainString: "type: string with an enum",
}
