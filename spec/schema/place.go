package schema

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/document"
)

// Word is one of the parts that a Go name is made of.
type Word struct {
	Text     string
	Verbatim bool // Text is Go already: the author's own name for it, or a word of ours
}

// wordOf is the word that a schema brings to names: the author's, if there is one, or else text.
func wordOf(node *document.Node, text string) Word {
	if own := node.Get(goName); own.Is(document.Text) {
		return Word{Text: own.Text, Verbatim: true}
	}
	return Word{Text: text}
}

// Place is where a schema stands, which is what its types are named after.
type Place struct {
	Words  []Word // of the type itself, where it has a name; outermost first
	Prefix []Word // of types within it
	Path   string // payload, $defs.Money
}

func (p Place) inner(word Word, path string) Place {
	words := append(slices.Clip(p.Prefix), word)
	return Place{Words: words, Prefix: words, Path: p.Path + path}
}

// definition is the place of a schema in $defs, whose types have bare names.
func definition(path string, node *document.Node) Place {
	words := []Word{wordOf(node, node.Key)}
	return Place{Words: words, Prefix: words, Path: path + "." + node.Key}
}

// The words for what has no name in the document.
const (
	itemWord  = "Item"  // an item of an array
	valueWord = "Value" // the value of a member that is not named
)

// place is where the site stands.
func (s *site) place() Place {
	if s.above == nil {
		return s.base
	}
	above := s.above.place()
	switch {
	case s.keyword == "properties":
		return above.inner(wordOf(s.node, s.name), "."+s.name)
	case s.keyword == "$defs":
		return definition(above.Path+".$defs", s.node)
	case s.keyword == "items", s.keyword == "prefixItems", s.keyword == "unevaluatedItems":
		return above.inner(wordOf(s.node, itemWord), "[]")
	case s.isBranch():
		return above.inner(*s.word, "("+s.word.Text+")")
	case s.above.passesTo() == s:
		return above
	case s.isMember():
		return above.inner(wordOf(s.node, valueWord), "{}")
	default:
		return above.inner(wordOf(s.node, s.keyword), "."+s.keyword)
	}
}

// isBranch tells whether the site is a branch of a union, which its word tells from the others.
func (s *site) isBranch() bool {
	s.above.shape() // which finds the words of its branches
	return s.word != nil
}

// isMember tells whether the site is about members of an object that are not named one by one.
func (s *site) isMember() bool {
	return s.keyword == "additionalProperties" || s.keyword == "patternProperties" || s.keyword == "unevaluatedProperties"
}
