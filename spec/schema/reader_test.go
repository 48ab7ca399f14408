package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// place is that of the payload of an operation called set_thing.
var place = schema.Place{Words: words("set_thing", "Payload"), Prefix: words("set_thing"), Path: "payload"}

func words(texts ...string) []schema.Word {
	all := make([]schema.Word, len(texts))
	for i, text := range texts {
		all[i] = schema.Word{Text: text}
	}
	return all
}

// parse reads a document with a schema under the key schema, and $defs beside it.
func parse(t *testing.T, src string) *document.Node {
	t.Helper()
	tree, faults := document.Read("f.yaml", []byte(src))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return tree
}

// read reads an object schema that must be without fault.
func read(t *testing.T, src string) (schema.Root, *schema.Reader) {
	t.Helper()
	return readAs(t, src, schema.Options{})
}

func readAs(t *testing.T, src string, options schema.Options) (schema.Root, *schema.Reader) {
	t.Helper()
	tree := parse(t, src)
	reader := schema.NewReader(tree.Get("$defs"))
	root := reader.Read(tree.Get("schema"), place, options)
	named := slices.Concat(root.Named, reader.Defs())
	faults := slices.Concat(reader.Faults(), reader.Suspects(), schema.Name(named))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	compile(t, root.JSON)
	return root, reader
}

// properties is a document whose schema has properties, written in flow style.
func properties(flow string) string { return "schema: {type: object, properties: {" + flow + "}}" }

func TestReadListsNamedTypes(t *testing.T) {
	t.Parallel()
	root, reader := read(t, `
$defs:
  Unused: {enum: [a]}
  Money: {type: object, properties: {currency: {enum: [eur]}}}
  Kind: {enum: [a]}
schema:
  type: object
  properties:
    kind: {$ref: '#/$defs/Kind'}
    money: {$ref: '#/$defs/Money'}
    again: {$ref: '#/$defs/Money'}
    first: {enum: [a]}
    own: {$ref: '#/$defs/Own'}
    second: {type: array, items: {enum: [a]}}
  $defs:
    Spare: {enum: [a]}
    Own: {enum: [a]}
`)
	type place struct{ GoName, Path string }
	places := func(types []*schema.Type) (all []place) {
		for _, t := range types {
			all = append(all, place{t.GoName, t.Path})
		}
		return all
	}
	want := []place{{"SetThingPayload", "payload"}, {"SetThingFirst", "payload.first"}, {"Own", "payload.$defs.Own"}, {"SetThingSecondItem", "payload.second[]"}}
	if diff := cmp.Diff(want, places(root.Named)); diff != "" {
		t.Errorf("named (-want +got):\n%s", diff)
	}
	want = []place{{"Money", "$defs.Money"}, {"MoneyCurrency", "$defs.Money.currency"}, {"Kind", "$defs.Kind"}}
	if diff := cmp.Diff(want, places(reader.Defs())); diff != "" {
		t.Errorf("of the document (-want +got):\n%s", diff)
	}
}

func TestReadGivesAListOfObjectsItsName(t *testing.T) {
	t.Parallel()
	tree := parse(t, "schema: {type: array, items: {type: object, properties: {a: {enum: [x]}}}}")
	reader := schema.NewReader(nil)
	list := schema.Place{Words: words("things", "State"), Prefix: words("things", "State"), Path: "state"}
	root := reader.Read(tree.Get("schema"), list, schema.Options{Shape: schema.ListOfObjects})
	schema.Name(root.Named)
	if len(reader.Faults()) > 0 {
		t.Fatal(reader.Faults())
	}
	if got, want := sketch(root.Type), "ThingsState[ThingsStateItem{A? ThingsStateItemA(ThingsStateItemAX=x)}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(root.Named) != 3 || root.Named[0] != root.Type {
		t.Errorf("named: %v", root.Named)
	}
}

func TestReadTakesDescriptionsForDocs(t *testing.T) {
	t.Parallel()
	root, _ := read(t, `
$defs: {Money: {type: object, description: An amount., properties: {}}}
schema:
  type: object
  title: A thing
  properties:
    a: {type: string, description: " Which. "}
    b: {type: string, title: Its title}
    c: {$ref: '#/$defs/Money'}
    d: {$ref: '#/$defs/Money', description: Its price.}
    e: {anyOf: [{type: string, description: Inner.}, {type: 'null'}], default: null}
`)
	docs := []string{root.Type.Doc}
	for _, field := range root.Type.Fields {
		docs = append(docs, field.Doc)
	}
	want := []string{"A thing", "Which.", "Its title", "", "Its price.", "Inner."}
	if diff := cmp.Diff(want, docs); diff != "" {
		t.Errorf("docs (-want +got):\n%s", diff)
	}
}

// sketcher writes types in a few words, which are what tests compare. A type that contains itself is written once.
type sketcher struct{ seen map[*schema.Type]bool }

func sketch(t *schema.Type) string {
	s := sketcher{seen: map[*schema.Type]bool{}}
	return s.use(schema.Use{Type: t})
}

func (s sketcher) use(u schema.Use) string {
	text := s.name(u.Type)
	if u.Nullable {
		text += " or null"
	}
	return text
}

func (s sketcher) name(t *schema.Type) string {
	if t.GoName != "" && s.seen[t] {
		return t.GoName
	}
	s.seen[t] = true
	switch t.Kind {
	case schema.Object:
		return t.GoName + "{" + strings.Join(s.fields(t), ", ") + "}"
	case schema.Map:
		return t.GoName + "map[" + s.use(t.Elem) + "]"
	case schema.Array:
		return t.GoName + "[" + s.use(t.Elem) + "]"
	case schema.Enum:
		var values []string
		for _, v := range t.Values {
			values = append(values, v.GoName+"="+v.Text)
		}
		return t.GoName + "(" + strings.Join(values, "|") + ")"
	case schema.Union:
		var branches []string
		for _, b := range t.Branches {
			branches = append(branches, b.GoName+"="+b.Value+" "+s.use(b.Use))
		}
		return t.GoName + "<" + t.Tag + ": " + strings.Join(branches, " | ") + ">"
	default:
		return s.plain(t)
	}
}

func (s sketcher) fields(t *schema.Type) []string {
	var fields []string
	for _, f := range t.Fields {
		optional := ""
		if !f.Required {
			optional = "?"
		}
		fields = append(fields, f.GoName+optional+" "+s.use(f.Use))
	}
	if t.Others != nil {
		fields = append(fields, "… "+s.use(*t.Others))
	}
	return fields
}

func (s sketcher) plain(t *schema.Type) string {
	switch {
	case t.DateTime:
		return "date-time"
	case t.Kind == schema.WideInteger:
		return "wide"
	case t.Kind == schema.Float:
		return "float"
	case t.Kind == schema.Raw:
		return "raw"
	default:
		return strings.TrimPrefix(strings.TrimPrefix(t.Kind.String(), "an "), "a ")
	}
}
