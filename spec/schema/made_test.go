package schema_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/spec/schema"
)

// maker makes a schema of any bytes, so that each of them is one that the metaschema takes.
type maker struct{ from []byte }

// next is a number below n.
func (m *maker) next(n int) int {
	if len(m.from) == 0 {
		return 0
	}
	value := int(m.from[0]) % n
	m.from = m.from[1:]
	return value
}

func (m *maker) one(of ...string) string { return of[m.next(len(of))] }

// flavours are the types that schemas are made of; the last has none.
var flavours = []string{"type: object", "type: array", "type: string", "type: integer", "type: [object, 'null']", ""}

// schema is a schema in flow style, at most so deep.
func (m *maker) schema(depth int) string {
	if depth == 0 {
		return m.one("{}", "true", "false", "{type: string}", "{type: integer, default: 3}")
	}
	flavour := m.one(flavours...)
	members, seen := []string{flavour}, map[string]bool{}
	for range m.next(4) {
		member := m.member(flavour, depth-1)
		key, _, _ := strings.Cut(member, ": ")
		if !seen[key] {
			members = append(members, member)
		}
		seen[key] = true
	}
	return "{" + strings.TrimPrefix(strings.Join(members, ", "), ", ") + "}"
}

func (m *maker) member(flavour string, depth int) string {
	switch {
	case m.next(2) == 0:
		return m.anywhere(depth)
	case strings.Contains(flavour, "object"):
		return m.ofObjects(depth)
	case strings.Contains(flavour, "array"):
		return m.one("items", "unevaluatedItems", "contains") + ": " + m.schema(depth)
	case strings.Contains(flavour, "string"):
		return m.one("minLength: 1", "format: date-time", "pattern: a", "enum: [a, b]", "const: a")
	case strings.Contains(flavour, "integer"):
		return m.one("minimum: 2", "maximum: 1e30", "enum: [3, 4]", "const: 3")
	default:
		return m.one("enum: [a, null]", "enum: [1, 2]", "enum: [{}, []]", "prefixItems: ["+m.schema(depth)+"]")
	}
}

func (m *maker) anywhere(depth int) string {
	switch m.next(5) {
	case 0:
		return m.one("allOf", "anyOf", "oneOf") + ": [" + m.schema(depth) + ", " + m.schema(depth) + "]"
	case 1:
		return m.one("not", "if", "then", "else") + ": " + m.schema(depth)
	case 2:
		return "$ref: '" + m.one("#/$defs/A", "#/$defs/B", "#/$defs/A", "#", "#/properties/a") + "'"
	case 3:
		return "anyOf: [" + m.schema(depth) + ", {type: 'null'}]"
	default:
		return m.one("x-go-type: raw", "description: x", "default: {}", "default: a")
	}
}

func (m *maker) ofObjects(depth int) string {
	switch m.next(4) {
	case 0:
		return m.one("additionalProperties", "unevaluatedProperties", "propertyNames") + ": " + m.schema(depth)
	case 1:
		return m.one("patternProperties", "dependentSchemas") + ": {" + m.name() + ": " + m.schema(depth) + "}"
	case 2:
		return m.one("required: [k]", "minProperties: 1", "dependentRequired: {a: [k]}")
	default:
		return "properties: {" + m.name() + ": " + m.schema(depth) + ", k: " + m.one("{const: a}", "{const: b}", m.schema(depth)) + "}"
	}
}

func (m *maker) name() string { return m.one("a", "b", "''", "'x/y'", "'%41'", "'^a'", "c", "d") }

// FuzzReadWhatIsWellFormed reads schemas that the metaschema takes: nothing is left to be found out by the validator.
func FuzzReadWhatIsWellFormed(f *testing.F) {
	for i := range 40 {
		f.Add([]byte(strings.Repeat(strconv.Itoa(i)+"q4Zj", 20)), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, from []byte, open bool) {
		const depth = 4
		m := &maker{from}
		src := "$defs: {A: " + m.schema(depth) + ", B: " + m.schema(depth) + "}\nschema: {type: object, properties: {a: " +
			m.schema(depth) + ", k: " + m.schema(depth) + "}}"
		tree := parse(t, src)
		reader := schema.NewReader(tree.Get("$defs"))
		root := reader.Read(tree.Get("schema"), place, schema.Options{Open: open, Arguments: true})
		if len(reader.Faults()) > 0 {
			return
		}
		if len(reader.Suspects()) > 0 {
			t.Fatalf("%s\n%v", src, reader.Suspects())
		}
		compile(t, root.JSON)
	})
}
