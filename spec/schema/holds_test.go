package schema_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/spec/schema"
)

// value is any value in JSON, at most so deep.
func (m *maker) value(depth int) string {
	kind := m.next(9)
	switch {
	case kind < 3:
		return m.one(`"a"`, `"b"`, `""`)
	case kind == 3 || depth == 0:
		return m.one("null", "true", "3", "4", "2.5", "1e25", "1", "2")
	case kind == 4:
		return "[" + m.value(depth-1) + "," + m.value(depth-1) + "]"
	default:
		return "{" + m.one(`"a":`, `"b":`, `"c":`, `"":`) + m.value(depth-1) + `,"k":` + m.one(`"a"`, `"b"`, m.value(depth-1)) + "}"
	}
}

// misfit says what in a value its type does not hold; "" if it holds all of it. That members are there is not looked at:
// defaults are filled in elsewhere.
func misfit(u schema.Use, value any, at string) string {
	t := u.Type
	switch v := value.(type) {
	case nil:
		if u.Nullable || t.Kind == schema.Raw {
			return ""
		}
	case map[string]any:
		return misfitMember(t, v, at)
	case []any:
		return misfitItem(t, v, at)
	case string:
		if t.Kind == schema.Raw || t.Kind == schema.String || t.Kind == schema.Enum && hasValue(t, v) {
			return ""
		}
	case bool:
		if t.Kind == schema.Raw || t.Kind == schema.Boolean {
			return ""
		}
	case json.Number:
		if holdsNumber(t, v) {
			return ""
		}
	}
	return fmt.Sprintf("%s: %v is not %v", at, value, t.Kind)
}

func hasValue(t *schema.Type, text string) bool {
	return slices.ContainsFunc(t.Values, func(v schema.Value) bool { return v.Text == text })
}

func holdsNumber(t *schema.Type, n json.Number) bool {
	_, err := strconv.ParseInt(string(n), 10, 64)
	switch t.Kind {
	case schema.Raw, schema.Number, schema.Float:
		return true
	case schema.Integer:
		return err == nil
	case schema.Enum:
		return hasValue(t, string(n))
	case schema.WideInteger:
		return !strings.Contains(string(n), ".")
	default:
		return false
	}
}

func misfitItem(t *schema.Type, items []any, at string) string {
	if t.Kind == schema.Raw {
		return ""
	}
	if t.Kind != schema.Array {
		return fmt.Sprintf("%s: a list is not %v", at, t.Kind)
	}
	for i, item := range items {
		if found := misfit(t.Elem, item, fmt.Sprintf("%s[%d]", at, i)); found != "" {
			return found
		}
	}
	return ""
}

func misfitMember(t *schema.Type, members map[string]any, at string) string {
	var others *schema.Use
	switch t.Kind {
	case schema.Raw:
		return ""
	case schema.Map:
		others = &t.Elem
	case schema.Object:
		others = t.Others
	case schema.Union:
		i := slices.IndexFunc(t.Branches, func(b *schema.Branch) bool { return b.Value == members[t.Tag] })
		if i >= 0 {
			return misfitMember(t.Branches[i].Use.Type, members, at)
		}
		return at + ": no branch"
	default:
		return fmt.Sprintf("%s: an object is not %v", at, t.Kind)
	}
	for name, member := range members {
		use := others
		if i := slices.IndexFunc(t.Fields, func(f *schema.Field) bool { return f.Name == name }); i >= 0 {
			use = &t.Fields[i].Use
		}
		if use == nil {
			return at + ": no field for " + strconv.Quote(name)
		}
		if found := misfit(*use, member, at+"."+name); found != "" {
			return found
		}
	}
	return ""
}

// FuzzTypesHoldWhatTheirSchemasTake holds values that a schema takes against the type that was made of it.
func FuzzTypesHoldWhatTheirSchemasTake(f *testing.F) {
	for i := range 40 {
		f.Add([]byte(strings.Repeat(strconv.Itoa(i)+"kT7w", 40)), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, from []byte, open bool) {
		const depth, values = 3, 20
		m := &maker{from}
		src := "$defs: {A: " + m.schema(depth) + ", B: " + m.schema(depth) + "}\nschema: {type: object, properties: {a: " + m.schema(depth) + "}}"
		tree := parse(t, src)
		reader := schema.NewReader(tree.Get("$defs"))
		root := reader.Read(tree.Get("schema"), place, schema.Options{Open: open})
		if len(reader.Faults()) > 0 {
			return
		}
		compiled := compile(t, root.JSON)
		for range values {
			text := `{"a":` + m.value(depth) + `}`
			decoder := json.NewDecoder(strings.NewReader(text))
			decoder.UseNumber()
			var value any
			if err := decoder.Decode(&value); err != nil {
				t.Fatal(err)
			}
			if compiled.Validate(value) != nil {
				continue
			}
			if found := misfit(schema.Use{Type: root.Type}, value, "payload"); found != "" {
				t.Fatalf("%s\n%s\n%s", src, text, found)
			}
		}
	})
}
