// Package secret finds sensitive values again, and takes them out: of documents by their place, and of texts by what they
// are, however a text writes them.
package secret

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
)

const (
	// Hidden stands in a text for a sensitive value.
	Hidden = "(sensitive)"
	// minSecretChars is how long a sensitive value must be to be looked for in texts. A shorter one is in texts that have
	// nothing to do with it, and is looked for as a value of its own.
	minSecretChars = 4
)

// Values are the sensitive values of one change, as they are looked for where no mark says that they are: in what the
// author's code says when it fails, and in what an apply left. No preview is searched for them: whoever chooses a sensitive
// value could hide another with it, and learn from what is hidden what somebody else's is.
//
// A nil *Values has none. It is safe for concurrent use.
type Values struct {
	texts    []string        // what sensitive values and their parts are as texts
	short    map[string]bool // those that are too short to look for in others
	scrubber func() *strings.Replacer
}

// Document is one document of a change, and where its sensitive values are.
type Document struct {
	canonical []byte
	Pointers  []string // JSON Pointers
}

// In is a document, in canonical JSON, whose sensitive values are there.
func In(canonical []byte, pointers []string) Document { return Document{canonical, pointers} }

// Gather gathers what is sensitive in a payload and in the other documents of its change; nil if nothing is. What the
// others hold is looked for unless the payload has it in the clear: a caller who guesses would be told that it is right.
func Gather(payload Document, others ...Document) (*Values, error) {
	s := &Values{short: map[string]bool{}}
	if err := s.gather(payload); err != nil {
		return nil, err
	}
	theirs := &Values{short: map[string]bool{}}
	for _, document := range others {
		if err := theirs.gather(document); err != nil {
			return nil, err
		}
	}
	if len(s.texts)+len(s.short)+len(theirs.texts) == 0 {
		return nil, nil
	}
	s.scrubber = sync.OnceValue(func() *strings.Replacer {
		return newScrubber(slices.Concat(s.texts, payload.unsaid(theirs.texts)))
	})
	return s, nil
}

// gather takes the texts of the sensitive values of a document.
func (s *Values) gather(in Document) error {
	if len(in.Pointers) == 0 {
		return nil
	}
	tree, err := exact.Tree(in.canonical)
	if err != nil {
		return fmt.Errorf("what is sensitive cannot be told: %w", err)
	}
	for _, pointer := range in.Pointers {
		if found, ok := place.At(pointer).In(tree); ok {
			eachText(found, s.add)
		}
	}
	return nil
}

// eachText calls visit for every text and number in a value, and for the names of its members that tell something.
func eachText(tree any, visit func(string)) {
	switch v := tree.(type) {
	case string:
		visit(v)
	case json.Number:
		visit(v.String())
	case map[string]any:
		for name, member := range v {
			if isTelling(name) {
				visit(name)
			}
			eachText(member, visit)
		}
	case []any:
		for _, item := range v {
			eachText(item, visit)
		}
	}
}

// isTelling tells whether a text is one of so many that another like it is hardly there by chance.
func isTelling(text string) bool { return utf8.RuneCountInString(text) >= minSecretChars }

func (s *Values) add(text string) {
	switch {
	case isTelling(text):
		s.texts = append(s.texts, text)
	case text != "":
		s.short[text] = true
	}
}

// IsIn tells whether a document repeats anything sensitive.
func (s *Values) IsIn(canonical []byte) bool {
	if s == nil || canonical == nil {
		return false
	}
	tree, err := exact.Tree(canonical)
	return err != nil || s.isPart(tree)
}

func (s *Values) isPart(tree any) bool {
	found := false
	eachText(tree, func(text string) { found = found || s.short[text] || s.IsWithin(text) })
	return found
}

// IsWithin tells whether a text has anything sensitive in it.
func (s *Values) IsWithin(text string) bool { return s.Scrub(text) != text }

// Scrub takes every sensitive value out of a text that an author made, in each of the ways that a text may write it.
func (s *Values) Scrub(text string) string {
	if s == nil || text == "" {
		return text
	}
	return s.scrubber().Replace(text)
}
