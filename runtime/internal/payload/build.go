package payload

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"regexp/syntax"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/changesetgen/changesetgen/internal/format"
)

// builder makes one rule of each schema of the library.
type builder struct {
	schema  *Schema
	options Options
	built   map[*jsonschema.Schema]*rule
	order   []*rule
}

// build makes the rules of a schema that the library has read and resolved.
func (s *Schema) build(compiled *jsonschema.Schema, options Options) error {
	b := &builder{schema: s, options: options, built: map[*jsonschema.Schema]*rule{}}
	s.root = b.rule(compiled)
	if err := checkKeywords(b.order); err != nil {
		return err
	}
	if err := checkRings(b.order); err != nil {
		return err
	}
	if err := findSensitive(b.order); err != nil {
		return err
	}
	if options.AssertFormats {
		if err := checkFormats(b.order); err != nil {
			return err
		}
	}
	for _, u := range b.order {
		b.finish(u)
	}
	return nil
}

// rule is nil for no schema.
func (b *builder) rule(from *jsonschema.Schema) *rule {
	if from == nil {
		return nil
	}
	if u, ok := b.built[from]; ok {
		u.shared = true
		return u
	}
	u := &rule{id: len(b.order), location: from.Location, node: b.schema.node(from.Location), constant: from.Always}
	b.built[from] = u // before its parts, which may lead back to it
	b.order = append(b.order, u)
	b.own(u, from)
	b.object(u, from)
	b.array(u, from)
	b.around(u, from)
	return u
}

// own is about the value as such.
func (b *builder) own(u *rule, from *jsonschema.Schema) {
	u.kinds = kindsOf(from.Types)
	if len(from.Enum) > 0 {
		u.allows = append(u.allows, newAllowance("enum", from.Enum))
	}
	if len(from.Constant) > 0 {
		u.allows = append(u.allows, newAllowance("const", from.Constant))
	}
	if b.options.AssertFormats {
		u.format = format.Check(from.Format)
	}
	u.length = span{from.MinLength, from.MaxLength}
	u.members = span{from.MinProperties, from.MaxProperties}
	u.items = span{from.MinItems, from.MaxItems}
	if from.Pattern != nil {
		p := newPattern(from.Pattern)
		u.pattern = &p
	}
	for keyword, limit := range map[string]*big.Rat{
		"minimum": from.Minimum, "maximum": from.Maximum, "multipleOf": from.MultipleOf,
		"exclusiveMinimum": from.ExclusiveMinimum, "exclusiveMaximum": from.ExclusiveMaximum,
	} {
		if limit != nil {
			u.bounds = append(u.bounds, newBound(keyword, limit))
		}
	}
	slices.SortFunc(u.bounds, func(a, b bound) int { return cmp.Compare(a.keyword, b.keyword) })
}

func newBound(keyword string, limit *big.Rat) bound {
	b := bound{keyword: keyword, limit: limit, isSmall: limit.IsInt() && limit.Num().IsInt64()}
	if b.isSmall {
		b.small = limit.Num().Int64()
	}
	return b
}

// kindsByName has the types of JSON Schema.
var kindsByName = map[string]kind{
	"null": kindNull, "boolean": kindBoolean, "number": kindFraction | kindInteger, "integer": kindInteger,
	"string": kindString, "array": kindArray, "object": kindObject,
}

func kindsOf(types []string) kind {
	if len(types) == 0 {
		return anyKind
	}
	var kinds kind
	for _, name := range types {
		kinds |= kindsByName[name]
	}
	return kinds
}

func newAllowance(keyword string, values []any) allowance {
	a := allowance{keyword: keyword, values: make(map[string]bool, len(values))}
	for _, v := range values {
		a.values[identity(v)] = true
		a.deep = a.deep || kindOf(v)&(kindArray|kindObject) != 0
	}
	return a
}

// newPattern measures an expression that compiles.
func newPattern(expression *regexp.Regexp) pattern {
	p := pattern{expression: expression, size: 1}
	parsed, err := syntax.Parse(expression.String(), syntax.Perl)
	if err != nil {
		return p
	}
	if program, err := syntax.Compile(parsed.Simplify()); err == nil {
		p.size = len(program.Inst)
	}
	return p
}

func (b *builder) object(u *rule, from *jsonschema.Schema) {
	u.required = from.Required
	if len(from.Properties) > 0 {
		u.properties = make(map[string]*rule, len(from.Properties))
	}
	u.names = slices.Sorted(maps.Keys(from.Properties))
	for _, name := range u.names {
		u.properties[name] = b.rule(from.Properties[name])
	}
	for expression, schema := range from.PatternProperties {
		u.patterns = append(u.patterns, patternRule{newPattern(expression), b.rule(schema)})
	}
	slices.SortFunc(u.patterns, func(a, b patternRule) int {
		return cmp.Compare(a.expression.String(), b.expression.String())
	})
	u.additional = b.boolOrRule(from.AdditionalProperties)
	u.propertyNames = b.rule(from.PropertyNames)
	for _, given := range slices.Sorted(maps.Keys(from.DependentRequired)) {
		u.dependentRequired = append(u.dependentRequired, dependency{given, from.DependentRequired[given]})
	}
	u.unevaluated = b.rule(from.UnevaluatedProperties)
}

// boolOrRule is for what the library keeps as a bool or as a schema.
func (b *builder) boolOrRule(field any) *rule {
	switch field := field.(type) {
	case bool:
		return &rule{id: -1, constant: &field}
	case *jsonschema.Schema:
		return b.rule(field)
	}
	return nil
}

func (b *builder) array(u *rule, from *jsonschema.Schema) {
	u.unique = from.UniqueItems
	u.prefix = b.rules(from.PrefixItems)
	u.others = b.rule(from.Items2020)
	u.contains = b.rule(from.Contains)
	u.contained = span{from.MinContains, from.MaxContains}
	u.unevaluatedItems = b.rule(from.UnevaluatedItems)
}

func (b *builder) around(u *rule, from *jsonschema.Schema) {
	if from.Ref != nil {
		u.always = append(u.always, part{"$ref", b.rule(from.Ref)})
	}
	for _, schema := range from.AllOf {
		u.always = append(u.always, part{"allOf", b.rule(schema)})
	}
	for _, given := range slices.Sorted(maps.Keys(from.DependentSchemas)) {
		u.dependent = append(u.dependent, dependentRule{given, b.rule(from.DependentSchemas[given])})
	}
	for keyword, branches := range map[string][]*jsonschema.Schema{"anyOf": from.AnyOf, "oneOf": from.OneOf} {
		if len(branches) > 0 {
			u.unions = append(u.unions, union{keyword: keyword, branches: b.rules(branches)})
		}
	}
	slices.SortFunc(u.unions, func(a, b union) int { return cmp.Compare(a.keyword, b.keyword) })
	u.not = b.rule(from.Not)
	u.condition, u.then, u.otherwise = b.rule(from.If), b.rule(from.Then), b.rule(from.Else)
}

func (b *builder) rules(from []*jsonschema.Schema) []*rule {
	var rules []*rule
	for _, schema := range from {
		rules = append(rules, b.rule(schema))
	}
	return rules
}

// checkRings refuses a schema that leads back to itself about the same value: nothing could ever be said of it.
func checkRings(rules []*rule) error {
	done, open := map[*rule]bool{}, map[*rule]bool{}
	var visit func(*rule) error
	visit = func(u *rule) error {
		switch {
		case open[u]:
			return fmt.Errorf("%s: the schema leads back to itself without end; leave the reference out", u.place())
		case done[u]:
			return nil
		}
		done[u], open[u] = true, true
		defer delete(open, u)
		for _, next := range u.around() {
			if err := visit(next); err != nil {
				return err
			}
		}
		return nil
	}
	for _, u := range rules {
		if err := visit(u); err != nil {
			return err
		}
	}
	return nil
}

// finish works out what depends on other rules.
func (b *builder) finish(u *rule) {
	for i := range u.unions {
		u.unions[i].values = listedBy(u.unions[i].branches)
		u.unions[i].tag = newTag(u.unions[i].branches)
	}
	if u.unevaluated == nil && u.unevaluatedItems == nil {
		return
	}
	known := map[string]bool{}
	reach(u, func(part *rule) {
		part.tracks = true
		for name := range part.properties {
			known[name] = true
		}
		u.knowsMore = u.knowsMore || part != u && part.opensNames()
	})
	u.known = slices.Sorted(maps.Keys(known))
}

// opensNames says whether a rule speaks of properties that it does not name.
func (u *rule) opensNames() bool {
	return len(u.patterns) > 0 || u.additional != nil || u.unevaluated != nil
}

// reach visits a rule and all in place of it, each once.
func reach(u *rule, visit func(*rule)) {
	visited := map[*rule]bool{}
	var walk func(*rule)
	walk = func(u *rule) {
		if visited[u] {
			return
		}
		visited[u] = true
		visit(u)
		for _, part := range u.around() {
			walk(part)
		}
	}
	walk(u)
}
