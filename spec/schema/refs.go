package schema

import (
	"net/url"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// refPrefix begins the references that people write.
const refPrefix = "#/$defs/"

// resolve finds the schema that a reference of a site leads to, or reports why there is none.
func (r *Reader) resolve(s *site, ref *document.Node) *site {
	if !ref.Is(document.Text) || ref.Broken {
		return nil
	}
	parts, ok := pointerParts(ref.Text)
	if !ok {
		r.fault(ref.Fault(diag.BadReference, "write "+refPrefix+"NAME", "reference %s is not a JSON Pointer within this document", diag.Quote(ref.Text)))
		return nil
	}
	found := s.scope.follow(parts)
	if found != nil {
		return found
	}
	hint := "write " + refPrefix + "NAME"
	if len(parts) > 1 && parts[0] == "definitions" {
		hint = "write $defs, and " + refPrefix + parts[1]
	}
	if len(parts) > 1 && parts[0] == "$defs" {
		hint = diag.DidYouMean(parts[1], s.scope.names())
	}
	if s.scope.root == nil && (len(parts) == 0 || parts[0] != "$defs") {
		hint = "in the $defs of the document, write " + refPrefix + "NAME"
	}
	r.fault(ref.Fault(diag.BadReference, hint, "reference %s leads to no schema", diag.Quote(ref.Text)))
	return nil
}

// pointerParts are the parts of a reference that is a JSON Pointer in the fragment of a URL.
func pointerParts(ref string) (parts []string, ok bool) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil || pointer != "" && pointer[0] != '/' {
		return nil, false
	}
	if pointer == "" {
		return nil, true
	}
	for _, part := range strings.Split(pointer[1:], "/") {
		parts = append(parts, document.UnescapePart(part))
	}
	return parts, true
}

// follow goes along the parts of a pointer. The definitions of a schema win over those of the document.
func (c *scope) follow(parts []string) *site {
	at := c.root
	switch {
	case len(parts) >= 2 && parts[0] == "$defs":
		at = c.define(parts[1])
		parts = parts[2:]
	case at == nil:
		return nil
	}
	for len(parts) > 0 && at != nil {
		at, parts = at.step(parts)
	}
	return at
}

// step goes from a site to the one that the first parts of a pointer lead to, and gives the other parts.
func (s *site) step(parts []string) (next *site, rest []string) {
	if keywords[parts[0]].holds == aSchema {
		return s.one(parts[0], ""), parts[1:]
	}
	if len(parts) == 1 {
		return nil, nil
	}
	return s.one(parts[0], parts[1]), parts[2:]
}

// define finds a definition by its name.
func (c *scope) define(name string) *site {
	if own := c.own(name); own != nil {
		return own
	}
	if c.outer != nil {
		return c.outer.define(name)
	}
	return nil
}

// own finds a definition that the scope itself has.
func (c *scope) own(name string) *site {
	if c.root != nil {
		return c.root.one("$defs", name)
	}
	if i := slices.IndexFunc(c.defs, func(d *site) bool { return d.name == name }); i >= 0 {
		return c.defs[i]
	}
	return nil
}

// names are those of all definitions that a reference could name.
func (c *scope) names() []string {
	defs := c.defs
	if c.root != nil {
		defs = c.root.all("$defs")
	}
	var names []string
	for _, d := range defs {
		names = append(names, d.name)
	}
	if c.outer != nil {
		names = append(names, c.outer.names()...)
	}
	return names
}

// checkLoops reports references that lead back to themselves without going into a value, so that nothing is said of it,
// and cuts them.
func (r *Reader) checkLoops(tops []*site) {
	loops := &loops{reader: r, done: map[*site]bool{}}
	for _, top := range tops {
		top.walk(loops.visit)
	}
}

// loops is a search along schemas that are about the same value.
type loops struct {
	reader *Reader
	done   map[*site]bool // false while it is being visited
}

func (l *loops) visit(s *site) {
	if _, known := l.done[s]; known {
		return
	}
	l.done[s] = false
	for _, part := range s.within {
		if part.isPart() {
			l.visit(part)
		}
	}
	if s.target != nil {
		l.follow(s)
	}
	l.done[s] = true
}

func (l *loops) follow(s *site) {
	if done, known := l.done[s.target]; known && !done {
		l.reader.fault(s.node.Get("$ref").KeyFault(diag.EndlessSchema, "say what the value is",
			"%s leads back to this schema without going into the value", diag.Quote(s.node.Get("$ref").Text)))
		s.target, s.faulty = nil, true
		return
	}
	l.visit(s.target)
}
