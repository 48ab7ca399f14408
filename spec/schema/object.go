package schema

import "slices"

func (r *reading) buildObject(t *Type, s *site) {
	var unsaid []*site
	for _, property := range s.all("properties") {
		if !hasTag(property.name) {
			unsaid = append(unsaid, property)
			continue
		}
		field := &Field{Name: property.name, Word: wordOf(property.node, property.name), Doc: doc(property.node), Pos: property.node.KeyPos, at: property.node}
		field.Use = r.use(property)
		field.filled = !s.requires(property.name) && property.hasDefault()
		field.Required = field.filled || s.requires(property.name)
		if field.Doc == "" && !field.Use.Type.NeedsName() {
			field.Doc = field.Use.Type.Doc
		}
		t.Fields = append(t.Fields, field)
	}
	t.Others = r.membersOf(s)
	if len(unsaid) > 0 {
		others := r.raw("some of its properties have names that no field can have", s, append(unsaid, s.unnamed()...)...)
		t.Others = &others
	}
}

// membersOf is the type of the members of an object that it does not name; nil if it can have none.
func (r *reading) membersOf(s *site) *Use {
	sources, free := s.members()
	if free && s.has("properties") && s.silent() && !s.standsIn().refines() {
		s.memo.built.closed = true
		free = false
	}
	switch {
	case free || len(sources) > 1:
		use := r.raw("", s, s.unnamed()...)
		return &use
	case len(sources) == 1:
		use := r.use(sources[0])
		return &use
	default:
		return nil
	}
}

// members are the schemas of the members of an object that it does not name. They are free where there may be others
// besides, of which no one schema says what they are.
func (s *site) members() (sources []*site, free bool) {
	sources = s.all("patternProperties")
	rest := s.one("additionalProperties", "")
	switch {
	case rest != nil && s.refuses("additionalProperties"):
		return sources, false
	case rest != nil:
		return append(sources, rest), false
	case s.partsBring():
		return sources, true
	default:
		return sources, !s.refuses("unevaluatedProperties")
	}
}

// silent tells whether an object says nothing of members that it does not name, but for those with a pattern, so that
// it is closed against them. What its parts bring are members that it names.
func (s *site) silent() bool {
	return !s.has("additionalProperties") && !s.has("unevaluatedProperties") && !s.partsBring()
}

// partsBring tells whether the parts of an object may bring members that it has no property for. Those that say more of
// its own properties, as under a condition, do not.
func (s *site) partsBring() bool { return s.bring(s, map[*site]bool{}) }

// bring is partsBring for the parts of s, which are parts of an object.
func (s *site) bring(object *site, seen map[*site]bool) bool {
	for _, part := range s.inPlace() {
		if seen[part] {
			continue
		}
		seen[part] = true
		isOther := func(property *site) bool { return object.one("properties", property.name) == nil }
		if part.takesOthers() || slices.ContainsFunc(part.all("properties"), isOther) || part.bring(object, seen) {
			return true
		}
	}
	return false
}

// takesOthers tells whether a schema says of members that it does not name what they are.
func (s *site) takesOthers() bool {
	for _, keyword := range []string{"patternProperties", "additionalProperties", "unevaluatedProperties"} {
		if s.has(keyword) && !s.refuses(keyword) {
			return true
		}
	}
	return false
}
