package field_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// inventor makes schemas that nobody would write by hand: keywords of every kind, within each other.
type inventor struct {
	random *rand.Rand
	number int  // of the schema, which the names of its definitions have
	shared bool // definitions are the document's, which refer to each other and to nothing else
}

// deepest is how far schemas nest within each other.
const deepest = 4

// definitions are schemas that refer to each other.
func (v inventor) definitions() map[string]any {
	return map[string]any{
		v.definition("node"): v.object(deepest - 2), v.definition("leaf"): v.schema(deepest - 1), v.definition("list"): v.array(deepest - 2),
	}
}

// names are those of properties: each has a Go name of its own, or none can be written.
var names = []string{
	"a", "b", "id", "user_id", "$meta", "filter-query", "", "-", "a,b", "3gpp", "日本", "func", "string", "json", "error", "naïve",
	"say \"hi\"", "back`quote", "\x01", "x.y", "+1", "-1", "with space", "MarshalJSON",
}

func (v inventor) schema(depth int) any {
	makers := []func(depth int) map[string]any{v.text, v.text, v.integer, v.decimal, v.flag, v.values, v.constant, v.loose}
	if depth < deepest {
		makers = append(makers, v.object, v.object, v.object, v.entries, v.array, v.tuple, v.nullable, v.nullable, v.union, v.choice, v.all, v.reference)
	}
	schema := pick(v.random, makers)(depth)
	if v.maybe(8) {
		schema["description"] = "What */ it `is`."
	}
	if len(schema) == 0 && v.maybe(2) {
		return true
	}
	return schema
}

// maybe is true one time of n.
func (v inventor) maybe(n int) bool { return v.random.IntN(n) == 0 }

// some is a schema with some of these keywords.
func (v inventor) some(schema, keywords map[string]any) map[string]any {
	for _, keyword := range sorted(keywords) {
		if v.maybe(4) {
			schema[keyword] = keywords[keyword]
		}
	}
	return schema
}

func (v inventor) text(int) map[string]any {
	return pick(v.random, []map[string]any{
		v.some(map[string]any{"type": "string"}, map[string]any{"minLength": 1, "maxLength": 40}),
		v.some(map[string]any{"type": "string"}, map[string]any{"format": "date-time"}),
		{"type": "string", "pattern": "^[a-z]+$"},
		{"type": "string", "format": "date-time"},
	})
}

func (v inventor) integer(int) map[string]any {
	return pick(v.random, []map[string]any{
		v.some(map[string]any{"type": "integer"}, map[string]any{"minimum": -5, "maximum": 1 << 60}),
		{"type": "integer", "minimum": json.Number("-1e30"), "maximum": json.Number("1e30")},
		{"type": "integer", "x-go-type": "number"},
		{"type": "integer", "multipleOf": json.Number("2.5")},
	})
}

func (v inventor) decimal(int) map[string]any {
	return v.some(map[string]any{"type": "number"}, map[string]any{"x-go-type": "float64", "exclusiveMinimum": -1, "multipleOf": json.Number("0.1")})
}

func (v inventor) flag(int) map[string]any { return map[string]any{"type": "boolean"} }

func (v inventor) values(int) map[string]any {
	return pick(v.random, []map[string]any{
		{"enum": []any{"red", "two words", "+1", "-1", "3gpp", "func"}},
		{"type": "string", "enum": []any{"nil", "true"}},
		{"type": "integer", "enum": []any{-1, 0, 1, json.Number("9007199254740993")}},
		{"type": []any{"string", "null"}, "enum": []any{"x", nil}},
		{"enum": []any{"a", 1, nil, true, []any{}, map[string]any{}}},
		{"enum": []any{json.Number("0.5"), json.Number("1")}, "type": "number"},
		{"enum": []any{true}},
	})
}

func (v inventor) constant(int) map[string]any {
	return map[string]any{"const": pick(v.random, []any{"x", json.Number("-7"), nil, false, json.Number("0.25"), []any{"a"}, map[string]any{"a": 1}})}
}

// loose are schemas that hold values of many types.
func (v inventor) loose(int) map[string]any {
	return pick(v.random, []map[string]any{
		{}, {"type": []any{"string", "integer"}}, {"type": []any{"array", "null", "boolean"}}, {"not": map[string]any{"type": "string"}},
		{"type": "string", "x-go-type": "raw"}, {"minLength": 2, "minimum": 3}, {"type": "array"}, {"type": "object"},
	})
}

func (v inventor) object(depth int) map[string]any {
	properties, needed := map[string]any{}, []any{}
	for range v.random.IntN(5) {
		name := pick(v.random, names)
		property := v.schema(depth + 1)
		if object, ok := property.(map[string]any); ok && v.maybe(8) && object["type"] == "boolean" {
			object["default"] = true
		}
		properties[name] = property
		if v.maybe(3) {
			needed = append(needed, name)
		}
	}
	return v.some(map[string]any{"type": "object", "properties": properties, "required": unique(needed)}, map[string]any{
		"additionalProperties":  v.others(depth),
		"patternProperties":     map[string]any{"^x-": v.others(depth)},
		"unevaluatedProperties": v.others(depth),
		"dependentRequired":     dependence(sorted(properties)),
		"maxProperties":         20,
		"if":                    map[string]any{"required": []any{"a"}, "properties": map[string]any{"a": v.schema(depth + 2)}},
		"then":                  map[string]any{"properties": map[string]any{"b": v.schema(depth + 2)}},
		"else":                  map[string]any{"maxProperties": 3},
		"dependentSchemas":      map[string]any{"id": v.schema(depth + 2)},
		"not":                   map[string]any{"required": []any{"with space"}},
	})
}

// dependence makes one of some names depend on another.
func dependence(names []string) map[string]any {
	if len(names) == 0 {
		return map[string]any{}
	}
	return map[string]any{names[0]: []any{names[len(names)-1]}}
}

// others is what an object says of the members that it does not name.
func (v inventor) others(depth int) any {
	if v.maybe(3) {
		return v.maybe(2)
	}
	return v.schema(depth + 1)
}

func (v inventor) entries(depth int) map[string]any {
	return v.some(map[string]any{"type": "object", "additionalProperties": v.others(depth)}, map[string]any{
		"propertyNames": map[string]any{"maxLength": 20}, "minProperties": 1,
	})
}

func (v inventor) array(depth int) map[string]any {
	return v.some(map[string]any{"type": "array", "items": v.schema(depth + 1)}, map[string]any{
		"uniqueItems": true, "maxItems": 9, "contains": v.schema(depth + 2), "minContains": 0,
	})
}

func (v inventor) tuple(depth int) map[string]any {
	return v.some(map[string]any{"type": "array", "prefixItems": []any{v.schema(depth + 1), v.schema(depth + 1)}}, map[string]any{
		"items": v.schema(depth + 1), "unevaluatedItems": false,
	})
}

func (v inventor) nullable(depth int) map[string]any {
	schema, ok := v.schema(depth + 1).(map[string]any)
	if kind, named := schema["type"].(string); ok && named && schema["enum"] == nil {
		schema["type"] = []any{kind, "null"}
		return schema
	}
	return map[string]any{pick(v.random, []string{"anyOf", "oneOf"}): []any{v.schema(depth + 1), map[string]any{"type": "null"}}}
}

// union is a choice of objects that one property tells apart.
func (v inventor) union(depth int) map[string]any {
	var branches []any
	for _, kind := range []string{"page", "block_id", "3d"} {
		branch := v.object(depth + 1)
		branch["properties"].(map[string]any)["kind"] = map[string]any{"const": kind}
		branch["required"] = append(branch["required"].([]any), "kind")
		branches = append(branches, branch)
	}
	return map[string]any{pick(v.random, []string{"anyOf", "oneOf"}): branches}
}

func (v inventor) choice(depth int) map[string]any {
	return map[string]any{pick(v.random, []string{"anyOf", "oneOf"}): []any{v.schema(depth + 1), v.schema(depth + 1)}}
}

func (v inventor) all(depth int) map[string]any {
	schema := v.object(depth + 1)
	schema["allOf"] = []any{v.object(depth + 1)}
	if v.maybe(2) {
		return map[string]any{"allOf": []any{schema}}
	}
	return schema
}

func (v inventor) reference(int) map[string]any {
	if !v.shared && v.maybe(5) {
		return map[string]any{"$ref": "#"}
	}
	return map[string]any{"$ref": pick(v.random, []string{
		"#/$defs/" + v.definition("node"), "#/$defs/" + v.definition("leaf"), "#/$defs/" + v.definition("list"),
		"#/$defs/" + v.definition("list") + "/items",
	})}
}

// definition is the name of one that no other schema has.
func (v inventor) definition(name string) string { return fmt.Sprintf("%s_%d", name, v.number) }

// unique is a list without what is in it already.
func unique(list []any) []any {
	seen, kept := map[any]bool{}, []any{}
	for _, item := range list {
		if !seen[item] {
			seen[item] = true
			kept = append(kept, item)
		}
	}
	return kept
}

// invented are payloads of made-up schemas: with closing on and off, and with definitions of their own or of the document.
func invented(n int) []*subject {
	all := make([]*subject, n)
	for i := range all {
		v := inventor{random: rand.New(rand.NewPCG(seed, uint64(i))), number: i, shared: i/2%2 == 0}
		payload, definitions := v.object(0), v.definitions()
		all[i] = &subject{from: fmt.Sprintf("invention %d", i), name: fmt.Sprintf("invention_%d", i), payload: payload, open: i%2 == 0}
		if v.shared {
			all[i].shared = definitions
		} else {
			payload["$defs"] = definitions
		}
	}
	return all
}
