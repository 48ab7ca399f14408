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

// schema is a schema in flow style, at most so deep.
func (m *maker) schema(depth int) string {
	if depth == 0 {
		return m.one("{}", "true", "false", "{type: string}")
	}
	var members []string
	seen := map[string]bool{}
	for range m.next(5) {
		key, value, _ := strings.Cut(m.member(depth-1), ": ")
		if !seen[key] {
			members = append(members, key+": "+value)
		}
		seen[key] = true
	}
	return "{" + strings.Join(members, ", ") + "}"
}

func (m *maker) member(depth int) string {
	switch m.next(8) {
	case 0:
		return "type: " + m.one("object", "array", "string", "integer", "number", "boolean", "'null'", "[object, 'null']", "[string, integer]")
	case 1:
		return "properties: {" + m.name() + ": " + m.schema(depth) + ", k: " + m.one("{const: a}", "{const: b}", m.schema(depth)) + "}"
	case 2:
		return m.one("items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "not", "if", "then", "else", "contains", "propertyNames") + ": " + m.schema(depth)
	case 3:
		return m.one("allOf", "anyOf", "oneOf", "prefixItems") + ": [" + m.schema(depth) + ", " + m.schema(depth) + "]"
	case 4:
		return "$ref: '" + m.one("#", "#/$defs/A", "#/$defs/B", "#/$defs/C", "#/properties/a", "#/$defs/A/items", "#/properties/k/anyOf/0") + "'"
	case 5:
		return m.one("required: [k]", "enum: [a, null]", "const: 3", "enum: [1, 2]", "minProperties: 1", "minimum: 2", "uniqueItems: true", "format: date-time")
	case 6:
		return m.one("default: {}", "default: a", "default: null", "x-go-type: raw", "description: x")
	default:
		return m.one("patternProperties", "dependentSchemas") + ": {" + m.name() + ": " + m.schema(depth) + "}"
	}
}

func (m *maker) name() string { return m.one("a", "b", "''", "'x/y'", "'%41'", "'^a'") }

// FuzzReadWhatIsWellFormed reads schemas that the metaschema takes: nothing is left to be found out by the validator.
func FuzzReadWhatIsWellFormed(f *testing.F) {
	for i := range 40 {
		f.Add([]byte(strings.Repeat(strconv.Itoa(i)+"q4Zj", 20)), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, from []byte, open bool) {
		const depth = 4
		m := &maker{from}
		src := "$defs: {A: " + m.schema(depth) + ", B: " + m.schema(depth) + "}\nschema: {type: object, properties: {a: " +
			m.schema(depth) + ", k: " + m.schema(depth) + "}, $defs: {C: " + m.schema(depth) + "}}"
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
