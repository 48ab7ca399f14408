package schema

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/document"
)

// union is the shape of a choice of objects that a property tells apart; nil if the site is none.
func (s *site) union() *shape {
	for _, choice := range []string{"anyOf", "oneOf"} {
		branches := s.notNull(choice)
		if len(branches) < 2 || s.bringsBeside(choice) {
			continue
		}
		if tag := tagOf(branches); tag != "" {
			giveWords(branches, tag)
			return &shape{kind: Union, core: s, tag: tag, branches: branches}
		}
	}
	return nil
}

// bringsBeside tells whether anything but a choice brings members to the site.
func (s *site) bringsBeside(choice string) bool {
	for _, keyword := range []string{"patternProperties", "additionalProperties", "unevaluatedProperties"} {
		if s.has(keyword) && !s.refuses(keyword) {
			return true
		}
	}
	return slices.ContainsFunc(s.inPlace(), func(part *site) bool {
		return !(part.above == s && part.keyword == choice) && part.evaluates()
	})
}

// tagOf is the property that tells objects apart: each requires it, and each has another constant for it. It is "" if
// there is none, or if not all of them are objects.
func tagOf(branches []*site) string {
	for _, branch := range branches {
		if found := branch.shape(); found.kind != Object || found.nullable {
			return ""
		}
	}
	for _, property := range branches[0].shape().core.all("properties") {
		if hasTag(property.name) && tellsApart(property.name, branches) {
			return property.name
		}
	}
	return ""
}

func tellsApart(name string, branches []*site) bool {
	var seen []string
	for _, branch := range branches {
		value, ok := branch.shape().core.tagValue(name)
		if !ok || slices.Contains(seen, value) {
			return false
		}
		seen = append(seen, value)
	}
	return true
}

// tagValue is the one value that a required property of an object has.
func (s *site) tagValue(name string) (string, bool) {
	property := s.one("properties", name)
	if property == nil || !s.requires(name) {
		return "", false
	}
	return property.constant()
}

// requires tells whether an object must have a property.
func (s *site) requires(name string) bool {
	required := s.node.Get("required")
	return required.Is(document.List) && slices.ContainsFunc(required.Children, func(n *document.Node) bool {
		return n.Is(document.Text) && n.Text == name
	})
}

// constant is the one text that the site takes.
func (s *site) constant() (string, bool) {
	if values := s.listed(); values != nil {
		if len(values) != 1 || !values[0].Is(document.Text) {
			return "", false
		}
		return values[0].Text, true
	}
	if to := s.passesTo(); to != nil && s.takes() == text {
		return to.constant()
	}
	return "", false
}

// giveWords says what each branch of a union brings to names: the author's name for it, or what the tag says.
func giveWords(branches []*site, tag string) {
	for _, branch := range branches {
		value, _ := branch.shape().core.tagValue(tag)
		word := wordOf(branch.node, value)
		branch.word = &word
	}
}

func (r *reading) buildUnion(t *Type, found *shape) {
	t.Tag = found.tag
	for _, site := range found.branches {
		value, _ := site.shape().core.tagValue(found.tag)
		t.Branches = append(t.Branches, &Branch{Value: value, Word: *site.word, Use: r.use(site), Pos: site.node.Start(), at: site.node})
	}
}
