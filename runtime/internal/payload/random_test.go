package payload_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
)

// maker makes schemas and values of few names and values, so that they often meet.
type maker struct{ *rand.Rand }

func (m maker) name() string { return string("abc"[m.IntN(3)]) }

func (m maker) number() json.Number { return json.Number(strconv.Itoa(m.IntN(4))) }

// value is at most deep levels deep.
func (m maker) value(deep int) any {
	kinds := 5
	if deep > 0 {
		kinds = 8
	}
	switch m.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return m.IntN(2) == 0
	case 2:
		return m.name()
	case 3:
		return json.Number("1.5")
	case 4:
		return m.number()
	case 5:
		return m.list(func() any { return m.value(deep - 1) })
	}
	return m.named(func() any { return m.value(deep - 1) })
}

func (m maker) list(one func() any) []any {
	list := []any{}
	for range m.IntN(4) {
		list = append(list, one())
	}
	return list
}

func (m maker) some(one func() any) []any { return append(m.list(one), one()) }

func (m maker) named(one func() any) map[string]any {
	named := map[string]any{}
	for range m.IntN(4) {
		named[m.name()] = one()
	}
	return named
}

// schema has a few keywords, at most deep levels deep, and refers to the definitions of definitions.
func (m maker) schema(deep int) any {
	if deep == 0 || m.IntN(8) == 0 {
		return m.IntN(4) > 0
	}
	part := func() any { return m.schema(deep - 1) }
	one := func() any { return m.name() }
	small := func() any { return m.value(1) }
	schema := map[string]any{}
	for range 1 + m.IntN(4) {
		switch m.IntN(24) {
		case 0:
			schema["type"] = []string{"null", "boolean", "string", "number", "integer", "array", "object"}[m.IntN(7)]
		case 1:
			schema["enum"] = m.some(small)
		case 2:
			schema["const"] = small()
		case 3:
			schema["properties"] = m.named(part)
		case 4:
			schema["patternProperties"] = map[string]any{"^[" + m.name() + m.name() + "]": part()}
		case 5:
			schema["additionalProperties"] = part()
		case 6:
			schema["unevaluatedProperties"] = part()
		case 7:
			schema["propertyNames"] = part()
		case 8:
			schema["required"] = []any{m.name()}
		case 9:
			schema["dependentRequired"] = map[string]any{m.name(): []any{m.name()}}
		case 10:
			schema["dependentSchemas"] = m.named(part)
		case 11:
			schema["items"] = part()
		case 12:
			schema["prefixItems"] = m.some(part)
		case 13:
			schema["contains"], schema["minContains"] = part(), m.number()
		case 14:
			schema["contains"], schema["maxContains"] = part(), m.number()
		case 15:
			schema["unevaluatedItems"] = part()
		case 16:
			schema["uniqueItems"] = true
		case 17:
			schema[[]string{"allOf", "anyOf", "oneOf"}[m.IntN(3)]] = m.some(part)
		case 18:
			schema["not"] = part()
		case 19:
			schema["if"], schema["then"], schema["else"] = part(), part(), part()
		case 20:
			schema[[]string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}[m.IntN(4)]] = m.number()
		case 21:
			schema[[]string{"minLength", "maxItems", "minProperties", "maxProperties"}[m.IntN(4)]] = m.number()
		case 22:
			schema["$ref"] = "#/$defs/" + one().(string)
		case 23:
			schema["pattern"], schema["multipleOf"] = m.name(), json.Number("0.5")
		}
	}
	return schema
}

func FuzzVerdicts(f *testing.F) {
	const seeds = 200
	for seed := range uint64(seeds) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		const deep = 3
		m := maker{rand.New(rand.NewPCG(seed, 0))}
		root, ok := m.schema(deep).(map[string]any)
		if !ok {
			return
		}
		root["$defs"] = map[string]any{"a": m.schema(deep), "b": m.schema(deep), "c": m.schema(deep)}
		schema, err := exact.FromTree(root)
		if err != nil {
			t.Fatal(err)
		}
		s, err := payload.Compile("test", schema, payload.Options{})
		if err != nil {
			return // a definition that leads back to itself
		}
		other := peer(t, string(schema))
		for range 20 {
			raw, err := exact.FromTree(m.value(deep))
			if err != nil {
				t.Fatal(err)
			}
			requireSameVerdict(t, s, other, raw)
			var invalid *payload.Invalid
			if err := s.Validate(raw); err != nil && !errors.As(err, &invalid) {
				t.Fatalf("%s against %s: %v", raw, schema, err)
			}
			if invalid != nil && invalid.Violations[0].Expected == "a value that fits the schema" {
				t.Fatalf("%s against %s: nothing is said of what is wrong", raw, schema)
			}
		}
	})
}
