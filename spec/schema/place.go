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

// property is the place of a property's schema.
func (p Place) property(word Word, name string) Place { return p.inner(word, "."+name) }

// item is the place of the schema of an array's items.
func (p Place) item(node *document.Node) Place { return p.inner(wordOf(node, "Item"), "[]") }

func (p Place) inner(word Word, path string) Place {
	words := append(slices.Clip(p.Prefix), word)
	return Place{Words: words, Prefix: words, Path: p.Path + path}
}

// definition is the place of a schema in $defs, whose types have bare names.
func definition(path string, node *document.Node) Place {
	words := []Word{wordOf(node, node.Key)}
	return Place{Words: words, Prefix: words, Path: path + "." + node.Key}
}
