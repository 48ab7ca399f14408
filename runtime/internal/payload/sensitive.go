package payload

import (
	"fmt"
	"slices"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// keywordSensitive marks a schema whose values nobody is to be shown.
const keywordSensitive = "x-sensitive"

// IsSensitive tells whether any value of the schema may be sensitive.
func (s *Schema) IsSensitive() bool { return s.root.leads }

// Sensitive lists the JSON Pointers of the sensitive values in canonical bytes, outermost first: those that a schema with
// "x-sensitive": true is about, in whatever branch of a composition it stands and whether that branch fits or not. A
// value that should have such values in it and cannot, being of another kind, is sensitive itself. Where finding out
// would take too long, the whole is.
func (s *Schema) Sensitive(canonical []byte) ([]string, error) {
	if !s.root.leads {
		return nil, nil
	}
	tree, err := exact.Tree(canonical)
	if err != nil {
		return nil, err
	}
	v := placed(tree)
	markSecrets(s.root, v)
	return v.secrets(nil), nil
}

// secrets adds the pointers of the outermost sensitive values in v.
func (v *value) secrets(found []string) []string {
	if v.secret {
		return append(found, join(v.tokens()...))
	}
	for i := range v.parts {
		found = v.parts[i].secrets(found)
	}
	return found
}

// markSecrets marks the sensitive values in v by u.
func markSecrets(u *rule, v *value) {
	if !u.leads {
		return
	}
	m := marking{run: newRun(), asked: map[question]bool{}}
	m.visit(u, v)
	if m.over != nil {
		v.secret = true
	}
}

// marking goes everywhere that a sensitive schema may be about a value.
type marking struct {
	*run
	asked map[question]bool
}

func (m *marking) visit(u *rule, v *value) {
	if u == nil || !u.leads || v.secret || m.asked[question{u.id, v.id}] || !m.spend(1, v) {
		return
	}
	m.asked[question{u.id, v.id}] = true
	if u.sensitive || u.isMisplaced(v) {
		v.secret = true
		return
	}
	for _, next := range u.around() {
		m.visit(next, v)
	}
	switch v.kind {
	case kindObject:
		m.object(u, v)
	case kindArray:
		m.array(u, v)
	}
}

// isMisplaced is for a value that the schema would have sensitive parts of, and that has no such parts.
func (u *rule) isMisplaced(v *value) bool {
	return v.kind != kindNull &&
		(leads(u.ofMembers()) && v.kind != kindObject || leads(u.ofItems()) && v.kind != kindArray)
}

func (m *marking) object(u *rule, v *value) {
	if u.propertyNames != nil && u.propertyNames.leads {
		v.secret = v.secret || len(v.parts) > 0 // a name cannot be hidden and its value shown
	}
	for i := range v.parts {
		part := &v.parts[i]
		spoken := false
		for next := range m.about(u, part) {
			spoken = true
			m.visit(next.rule, part)
		}
		if !spoken {
			m.visit(u.unevaluated, part)
		}
	}
}

func (m *marking) array(u *rule, v *value) {
	for i := range v.parts {
		part := &v.parts[i]
		next, _ := u.item(i)
		if m.visit(next, part); next == nil {
			m.visit(u.unevaluatedItems, part)
		}
		m.visit(u.contains, part)
	}
}

// findSensitive works out which rules are sensitive, and which lead to one that is.
func findSensitive(rules []*rule) error {
	users := map[*rule][]*rule{}
	var next []*rule
	for _, u := range rules {
		marked, given := u.node[keywordSensitive]
		isSensitive, isBool := marked.(bool)
		if given && !isBool {
			return fmt.Errorf("%s: %s is not true or false", u.place(), keywordSensitive)
		}
		if u.sensitive = isSensitive; u.sensitive {
			next = append(next, u)
		}
		for _, part := range slices.Concat(u.around(), u.ofMembers(), u.ofItems()) {
			users[part] = append(users[part], u)
		}
	}
	for len(next) > 0 {
		u := next[0]
		if next = next[1:]; u.leads {
			continue
		}
		u.leads = true
		next = append(next, users[u]...)
	}
	return nil
}

// ofMembers lists the rules of u about the properties of an object and their names.
func (u *rule) ofMembers() []*rule {
	var rules []*rule
	for _, name := range u.names {
		rules = append(rules, u.properties[name])
	}
	for _, p := range u.patterns {
		rules = append(rules, p.rule)
	}
	return appendRules(rules, u.additional, u.propertyNames, u.unevaluated)
}

// ofItems lists the rules of u about the items of an array.
func (u *rule) ofItems() []*rule {
	return appendRules(slices.Clone(u.prefix), u.others, u.contains, u.unevaluatedItems)
}

// appendRules leaves out what is no rule.
func appendRules(rules []*rule, more ...*rule) []*rule {
	for _, u := range more {
		if u != nil {
			rules = append(rules, u)
		}
	}
	return rules
}

func leads(rules []*rule) bool {
	return slices.ContainsFunc(rules, func(u *rule) bool { return u.leads })
}

// sealed is the outermost sensitive value that v is in, or is; nil for none. What is in it is not named.
func (v *value) sealed() *value {
	var outermost *value
	for at := v; at != nil; at = at.parent {
		if at.secret {
			outermost = at
		}
	}
	return outermost
}

// unsaid stands for what a violation does not say of a sensitive value.
const (
	unsaidFound    = "a sensitive value"
	unsaidExpected = "a value that the schema allows"
)

// aboutSecret is a violation of what is sensitive: neither what is there is said, nor which values are allowed.
func (f flaw) aboutSecret(v Violation) Violation {
	expected := v.Expected
	switch f.keyword {
	case "enum", "const", "not", "anyOf", "oneOf", keywordTag:
		expected = unsaidExpected
	}
	return at(f.value.sealed().pointer(), expected, unsaidFound, "expected "+expected+", found "+unsaidFound)
}
