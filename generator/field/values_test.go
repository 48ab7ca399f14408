package field_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// maker makes values that fit a schema, as far as it understands the schema: a server has the last word.
type maker struct {
	random *rand.Rand
	root   any
	extent extent
}

// extent says which of the optional properties of objects are there.
type extent int

const (
	required extent = iota // none of them
	every
	some
)

// Where optional properties and items end, so that recursive schemas have values, and where everything does, because
// there are schemas that no value fits.
const (
	maxNesting = 12
	hopeless   = 40
)

func (m maker) value(schema any, depth int) any {
	object, ok := schema.(map[string]any)
	if !ok || depth > hopeless {
		return m.anything()
	}
	object = m.flat(object)
	if value, ok := object["const"]; ok {
		return value
	}
	if values, ok := object["enum"].([]any); ok {
		return pick(m.random, values)
	}
	switch m.kind(object) {
	case "object":
		return m.object(object, depth)
	case "array":
		return m.array(object, depth)
	case "string":
		return m.text(object)
	case "integer":
		return m.integer(object)
	case "number":
		return m.decimal(object)
	case "boolean":
		return m.random.IntN(2) == 0
	case "null":
		return nil
	}
	return m.anything()
}

func (m maker) anything() any {
	return pick(m.random, []any{
		nil, true, "", "text", json.Number("9007199254740993"), json.Number("0.1"), json.Number("1e30"),
		[]any{}, []any{nil, []any{"a"}}, map[string]any{}, map[string]any{"": map[string]any{"-": json.Number("-0.5")}},
	})
}

// flat is a schema with what it refers to and one branch of each choice written into it.
func (m maker) flat(object map[string]any) map[string]any {
	for {
		merged := maps.Clone(object)
		var parts []any
		if ref, ok := object["$ref"].(string); ok {
			parts = append(parts, m.target(ref))
		}
		if all, ok := object["allOf"].([]any); ok {
			parts = append(parts, all...)
		}
		for _, choice := range []string{"anyOf", "oneOf"} {
			if branches, ok := object[choice].([]any); ok {
				parts = append(parts, pick(m.random, branches))
			}
		}
		if len(parts) == 0 {
			return object
		}
		for _, keyword := range []string{"$ref", "allOf", "anyOf", "oneOf"} {
			delete(merged, keyword)
		}
		for _, part := range parts {
			if part, ok := part.(map[string]any); ok {
				merge(merged, part)
			}
		}
		object = merged
	}
}

// merge adds the keywords of a part to those of a schema.
func merge(schema, part map[string]any) {
	for keyword, value := range part {
		switch old := schema[keyword].(type) {
		case map[string]any:
			both := maps.Clone(old)
			if value, ok := value.(map[string]any); ok {
				maps.Copy(both, value)
			}
			schema[keyword] = both
		case []any:
			more, ok := value.([]any)
			if ok && keyword == "required" {
				value = slices.Concat(old, more)
			}
			schema[keyword] = value
		default:
			schema[keyword] = value
		}
	}
}

// target is what a local reference leads to.
func (m maker) target(ref string) any {
	node := m.root
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#"), "/") {
		if part == "" {
			continue
		}
		switch in := node.(type) {
		case map[string]any:
			node = in[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(in) {
				return nil
			}
			node = in[i]
		}
	}
	return node
}

func (m maker) kind(object map[string]any) string {
	switch named := object["type"].(type) {
	case string:
		return named
	case []any:
		kind, _ := pick(m.random, named).(string)
		return kind
	}
	switch {
	case object["properties"] != nil, object["required"] != nil:
		return "object"
	case object["items"] != nil:
		return "array"
	}
	return ""
}

func (m maker) object(schema map[string]any, depth int) any {
	made := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	needed := texts(schema["required"])
	for _, name := range sorted(properties) {
		if slices.Contains(needed, name) || depth < maxNesting && m.wanted() {
			made[name] = m.value(properties[name], depth+1)
		}
	}
	dependents := dependents(schema)
	for _, name := range sorted(dependents) {
		if _, there := made[name]; there {
			for _, other := range dependents[name] {
				made[other] = m.value(properties[other], depth+1)
			}
		}
	}
	if others, ok := schema["additionalProperties"].(map[string]any); ok && depth < maxNesting && m.wanted() {
		for i := range 1 + m.random.IntN(2) {
			made["key"+strconv.Itoa(i)] = m.value(others, depth+1)
		}
	}
	return made
}

// wanted tells whether an optional property is to be there.
func (m maker) wanted() bool { return m.extent == every || m.extent == some && m.random.IntN(2) == 0 }

func dependents(schema map[string]any) map[string][]string {
	all := map[string][]string{}
	named, _ := schema["dependentRequired"].(map[string]any)
	for name, others := range named {
		all[name] = texts(others)
	}
	return all
}

func texts(list any) []string {
	var all []string
	items, _ := list.([]any)
	for _, item := range items {
		if text, ok := item.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

func (m maker) array(schema map[string]any, depth int) any {
	least := int(number(schema["minItems"], 0))
	length := least
	if depth < maxNesting {
		length = min(least+m.random.IntN(3), int(number(schema["maxItems"], float64(least+2))))
	}
	made := []any{}
	if contained, ok := schema["contains"]; ok {
		made = append(made, m.value(contained, depth+1))
	}
	for len(made) < length {
		item := m.value(schema["items"], depth+1)
		if schema["uniqueItems"] == true && slices.ContainsFunc(made, func(other any) bool { return same(other, item) }) {
			length-- // a shorter one may do
			continue
		}
		made = append(made, item)
	}
	return made
}

func same(a, b any) bool { return string(encode(a)) == string(encode(b)) }

func number(bound any, otherwise float64) float64 {
	if literal, ok := bound.(json.Number); ok {
		if value, err := literal.Float64(); err == nil {
			return value
		}
	}
	return otherwise
}

// integer is one within the bounds: an end of them now and then, and a large one where there is none.
func (m maker) integer(schema map[string]any) json.Number {
	low := int64(number(schema["minimum"], number(schema["exclusiveMinimum"], -1<<53)+1))
	high := int64(number(schema["maximum"], number(schema["exclusiveMaximum"], 1<<53)-1))
	if high <= low {
		return json.Number(strconv.FormatInt(low, 10))
	}
	return json.Number(strconv.FormatInt(pick(m.random, []int64{low, high, low + m.random.Int64N(high-low)}), 10))
}

// decimal is a number with a fraction, unless that could lead out of the bounds.
func (m maker) decimal(schema map[string]any) json.Number {
	whole := m.integer(schema)
	if value := number(whole, 0); value < 0 || value >= number(schema["maximum"], math.Inf(1)) {
		return whole
	}
	return json.Number(fmt.Sprintf("%v.%d", whole, 1+m.random.IntN(8)))
}

// formatted are values of formats, which a schema may require beside a pattern that only they fit.
var formatted = map[string]string{
	"date-time": "2026-02-28T23:59:60.500Z", "date": "2026-02-28", "time": "10:00:00Z", "email": "a@example.org",
	"uri": "https://example.org/a?b=c", "uuid": "123e4567-e89b-12d3-a456-426614174000",
}

func (m maker) text(schema map[string]any) string {
	if format, ok := schema["format"].(string); ok && formatted[format] != "" {
		return formatted[format]
	}
	text := pick(m.random, []string{"text", "", "naïve 🦉 \u2028 \x7f </script>", "null", "1.0"})
	if pattern, ok := schema["pattern"].(string); ok {
		if parsed, err := syntax.Parse(pattern, syntax.Perl); err == nil {
			text = m.match(parsed)
		}
	}
	runes := []rune(text)
	for float64(len(runes)) < number(schema["minLength"], 0) {
		runes = append(runes, 'x')
	}
	if most := number(schema["maxLength"], float64(len(runes))); float64(len(runes)) > most {
		runes = runes[:int(most)]
	}
	return string(runes)
}

// match is a text that a regular expression matches.
func (m maker) match(r *syntax.Regexp) string {
	var text strings.Builder
	switch r.Op {
	case syntax.OpLiteral:
		text.WriteString(string(r.Rune))
	case syntax.OpCharClass:
		text.WriteRune(r.Rune[2*m.random.IntN(len(r.Rune)/2)])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		text.WriteRune('a')
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range r.Sub {
			text.WriteString(m.match(sub))
		}
	case syntax.OpAlternate:
		text.WriteString(m.match(pick(m.random, r.Sub)))
	case syntax.OpPlus, syntax.OpStar, syntax.OpQuest:
		text.WriteString(m.match(r.Sub[0]))
	case syntax.OpRepeat:
		for range max(r.Min, 1) {
			text.WriteString(m.match(r.Sub[0]))
		}
	}
	return text.String()
}

// sorted are the keys of a map, in an order that is the same in each run.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

// change is a value in which one thing is different: something is missing, or more, or of another kind.
func (m maker) change(value any) any {
	switch value := value.(type) {
	case map[string]any:
		names := sorted(value)
		changed := maps.Clone(value)
		switch {
		case len(names) == 0 || m.random.IntN(6) == 0:
			changed[pick(m.random, []string{"other", "", "-", "Name", "a,b"})] = m.anything()
		case m.random.IntN(4) == 0:
			delete(changed, pick(m.random, names))
		default:
			name := pick(m.random, names)
			changed[name] = m.change(changed[name])
		}
		return changed
	case []any:
		if len(value) == 0 || m.random.IntN(3) == 0 {
			return append(slices.Clone(value), m.anything())
		}
		changed, i := slices.Clone(value), m.random.IntN(len(value))
		changed[i] = m.change(changed[i])
		return changed
	}
	return m.anything()
}
