package runtime

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

const (
	// hiddenValue stands in a text for a sensitive value.
	hiddenValue = "(sensitive)"
	// minSecretChars is how long a sensitive value must be to be looked for in texts. A shorter one is in texts that have
	// nothing to do with it, and is looked for as a value of its own.
	minSecretChars = 4
)

// secrets are the sensitive values of one change. They are found again wherever an author's row or text repeats one. A
// nil *secrets has none. It is safe for concurrent use.
type secrets struct {
	texts    []string           // what sensitive values and their parts are as texts
	short    map[string]bool    // those that are too short to look for in others
	names    map[string]bool    // of members that are sensitive
	inside   map[string]*places // by the hash of each value that holds or is a sensitive one: where that is
	scrubber func() *strings.Replacer
}

// sensitiveIn are the pointers of sensitive values in one document of a change.
type sensitiveIn struct {
	canonical []byte
	pointers  []string
}

// secretsOf gathers what is sensitive in the documents of a change; nil if nothing is.
func secretsOf(documents ...sensitiveIn) (*secrets, error) {
	s := &secrets{short: map[string]bool{}, names: map[string]bool{}, inside: map[string]*places{}}
	found := false
	for _, d := range documents {
		if len(d.pointers) == 0 {
			continue
		}
		found = true
		at := &places{}
		for _, pointer := range d.pointers {
			at.add(steps(pointer))
		}
		tree, err := exact.Tree(d.canonical)
		if err == nil {
			err = s.gather(tree, at)
		}
		if err != nil {
			return nil, fmt.Errorf("what is sensitive cannot be told: %w", err)
		}
	}
	if !found {
		return nil, nil
	}
	s.scrubber = sync.OnceValue(s.newScrubber)
	return s, nil
}

// gather goes to the sensitive values in a tree, through all that holds them.
func (s *secrets) gather(tree any, at *places) error {
	if !at.ends || isTelling(tree) {
		canonical, err := exact.FromTree(tree)
		if err != nil {
			return err
		}
		hash := exact.Hash(canonical)
		if _, ok := s.inside[hash]; !ok {
			s.inside[hash] = &places{}
		}
		s.inside[hash].join(at)
	}
	if at.ends {
		s.collect(tree)
		return nil
	}
	for token, below := range at.below {
		next, ok := part(tree, token)
		if !ok {
			continue
		}
		if _, isObject := tree.(map[string]any); isObject && below.ends {
			s.names[token] = true
		}
		if err := s.gather(next, below); err != nil {
			return err
		}
	}
	return nil
}

// isTelling tells whether a value is one of so many that another like it is hardly there by chance.
func isTelling(tree any) bool {
	switch v := tree.(type) {
	case string:
		return utf8.RuneCountInString(v) >= minSecretChars
	case json.Number:
		return len(v) >= minSecretChars
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

// collect takes the texts of a sensitive value and of everything in it.
func (s *secrets) collect(tree any) {
	switch v := tree.(type) {
	case string:
		s.add(v)
	case json.Number:
		s.add(v.String())
	case map[string]any:
		for name, member := range v {
			if isTelling(name) {
				s.add(name)
			}
			s.collect(member)
		}
	case []any:
		for _, item := range v {
			s.collect(item)
		}
	}
}

func (s *secrets) add(text string) {
	switch {
	case isTelling(text):
		s.texts = append(s.texts, text)
	case text != "":
		s.short[text] = true
	}
}

// below tells where in a value sensitive ones are, if the value is one of those that hold them; nil if not.
func (s *secrets) below(canonical []byte) *places {
	if s == nil || canonical == nil {
		return nil
	}
	return s.inside[exact.Hash(canonical)]
}

// touch tells whether a row repeats anything sensitive, under its own name or another.
func (s *secrets) touch(l line) bool { return s.isIn(l.Before) || s.isIn(l.After) }

func (s *secrets) isIn(canonical []byte) bool {
	if s == nil || canonical == nil {
		return false
	}
	tree, err := exact.Tree(canonical)
	return err != nil || s.isPart(tree)
}

func (s *secrets) isPart(tree any) bool {
	switch v := tree.(type) {
	case string:
		return s.short[v] || s.isWithin(v)
	case json.Number:
		return s.short[v.String()] || s.isWithin(v.String())
	case map[string]any:
		for name, member := range v {
			if s.isNamed(name) || s.isPart(member) {
				return true
			}
		}
	case []any:
		if slices.ContainsFunc(v, s.isPart) {
			return true
		}
	}
	canonical, err := exact.FromTree(tree)
	return err != nil || s.below(canonical) != nil
}

// isNamed tells whether a member is called as a sensitive one is, or by what one holds. What an author's own type makes of
// a value may be told by nothing else.
func (s *secrets) isNamed(name string) bool { return s != nil && (s.names[name] || s.isWithin(name)) }

func (s *secrets) isWithin(text string) bool { return s.scrub(text) != text }

// scrub takes every sensitive value out of a text that an author made, in each of the ways that a text may write it.
func (s *secrets) scrub(text string) string {
	if s == nil || text == "" {
		return text
	}
	return s.scrubber().Replace(text)
}

// newScrubber replaces the longest of several values that begin alike.
func (s *secrets) newScrubber() *strings.Replacer {
	var all []string
	for _, secret := range s.texts {
		all = append(all, spellings(secret)...)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var replacements []string
	for _, spelling := range slices.Compact(all) {
		replacements = append(replacements, spelling, hiddenValue)
	}
	return strings.NewReplacer(replacements...)
}

// spellings are how a value may stand in a text: as it is, made visible, and quoted as Go and JSON do.
func spellings(secret string) []string {
	all := []string{secret, visible(secret)}
	quoted := []string{fmt.Sprintf("%q", secret)}
	for _, encode := range []func(any) ([]byte, error){exact.FromTree, json.Marshal} {
		if text, err := encode(secret); err == nil {
			quoted = append(quoted, string(text))
		}
	}
	for _, q := range quoted {
		all = append(all, q[1:len(q)-1])
	}
	return all
}

// part is a member or an item of a value.
func part(tree any, token string) (any, bool) {
	switch v := tree.(type) {
	case map[string]any:
		member, ok := v[token]
		return member, ok
	case []any:
		if i, ok := indexOf(token, len(v)); ok {
			return v[i], true
		}
	}
	return nil, false
}
