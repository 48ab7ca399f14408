package expr_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

var (
	text   = schema.Use{Type: &schema.Type{Kind: schema.String}}
	owner  = &schema.Type{Kind: schema.Object, Fields: []*schema.Field{{Name: "name", Use: text, Required: true}, {Name: "nick", Use: text}}}
	always = &schema.Type{Kind: schema.Object, Fields: []*schema.Field{
		{Name: "key", Use: text, Required: true},
		{Name: "note", Use: schema.Use{Type: text.Type, Nullable: true}, Required: true},
		{Name: "tags", Use: schema.Use{Type: &schema.Type{Kind: schema.Array, Elem: text}}, Required: true},
		{Name: "owner", Use: schema.Use{Type: owner}, Required: true},
		{Name: "backup", Use: schema.Use{Type: owner}},
		{Name: "heir", Use: schema.Use{Type: owner, Nullable: true}, Required: true},
		{Name: "broken", Use: schema.Use{Type: new(schema.Type)}, Required: true},
	}}
	scope = expr.Scope{
		{Root: expr.Payload, Use: schema.Use{Type: always}},
		{Root: expr.State, Use: schema.Use{Type: always}, MayBeAbsent: true},
	}
)

// node is the value of k in a document.
func node(t *testing.T, src string) *document.Node {
	t.Helper()
	tree, faults := document.Read("f.yaml", []byte(src))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return tree.Get("k")
}

func TestReadTypesPaths(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path               string
		kind               schema.Kind
		nullable, mayLack  bool
		column, fieldCount int
	}{
		{"payload", schema.Object, false, false, 4, 0},
		{"payload.key", schema.String, false, false, 4, 1},
		{"payload.tags", schema.Array, false, false, 4, 1},
		{"payload.note", schema.String, true, false, 4, 1},
		{"payload.owner.name", schema.String, false, false, 4, 2},
		{"payload.owner.nick", schema.String, false, true, 4, 2},
		{"payload.backup", schema.Object, false, true, 4, 1},
		{"payload.backup.name", schema.String, false, true, 4, 2},
		{"payload.heir", schema.Object, true, false, 4, 1},
		{"payload.heir.name", schema.String, false, true, 4, 2},
		{"state.key", schema.String, false, true, 4, 1},
		{"' payload.key '", schema.String, false, false, 6, 1},
		{"payload.broken", schema.Invalid, false, false, 4, 1},
	} {
		t.Run(test.path, func(t *testing.T) {
			t.Parallel()
			read, faults := expr.Read(node(t, "k: "+test.path), scope)
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			of := read.Type()
			if of.Use.Type.Kind != test.kind || of.Nullable != test.nullable || of.MayBeAbsent != test.mayLack {
				t.Errorf("type %v, nullable %v, may be absent %v", of.Use.Type.Kind, of.Nullable, of.MayBeAbsent)
			}
			if want := (diag.Pos{File: "f.yaml", Line: 1, Column: test.column}); read.Pos() != want {
				t.Errorf("at %v, want %v", read.Pos(), want)
			}
			if path := read.(*expr.Path); len(path.Fields) != test.fieldCount {
				t.Errorf("fields %v", path.Fields)
			}
		})
	}
}

func TestReadSaysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, want string }{
		{"payload.kye", "f.yaml:1:12: k: undefined field 'kye' (did you mean 'key'?) [CS1203]"},
		{"payload.owner.zzzzz", "f.yaml:1:18: k: undefined field 'zzzzz' ('payload.owner' has 'name', 'nick') [CS1203]"},
		{"payload.Key", "f.yaml:1:12: k: undefined field 'Key' (did you mean 'key'?) [CS1203]"},
		{"paylod.key", "f.yaml:1:4: k: 'paylod' is not in scope here (did you mean 'payload'?) [CS1202]"},
		{"result.key", "f.yaml:1:4: k: 'result' is not in scope here (in scope: payload, state) [CS1202]"},
		{"payload.key.size", "f.yaml:1:16: k: 'payload.key' is a string and has no fields [CS1204]"},
		{"payload.tags.x", "f.yaml:1:17: k: 'payload.tags' is an array and has no fields [CS1204]"},
		{"payload.", "f.yaml:1:12: k: only dotted paths are supported here (write a path such as payload.name) [CS1201]"},
		{"payload.tags[0]", "f.yaml:1:16: k: only dotted paths are supported here (write a path such as payload.name) [CS1201]"},
		{"payload .key", "f.yaml:1:11: k: only dotted paths are supported here (write a path such as payload.name) [CS1201]"},
		{"1", "f.yaml:1:5: k: only dotted paths are supported here (write a path such as payload.name) [CS1201]"},
		{"'${payload.key}'", "f.yaml:1:5: k: an expression, and not a template, stands here (leave out ${ and }) [CS1201]"},
		{"size(payload.tags)", "f.yaml:1:8: k: only dotted paths are supported here (write a path such as payload.name) [CS1201]"},
	} {
		t.Run(test.path, func(t *testing.T) {
			t.Parallel()
			src := "k: " + test.path
			if test.path == "1" {
				src = "k: '1'"
			}
			read, faults := expr.Read(node(t, src), scope)
			if read != nil || len(faults) != 1 || faults[0].String() != test.want {
				t.Errorf("got  %v\nwant %s", faults, test.want)
			}
		})
	}
}

func TestReadGoesOnPastASchemaAtFault(t *testing.T) {
	t.Parallel()
	if _, faults := expr.Read(node(t, "k: payload.broken.anything.at.all"), scope); len(faults) > 0 {
		t.Errorf("faults about what is reported already: %v", faults)
	}
}

func TestSplitCutsTemplates(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		template string
		want     []expr.Span
		unclosed int
	}{
		{"", nil, -1},
		{"text", []expr.Span{{Text: "text"}}, -1},
		{"a ${x.y} b", []expr.Span{{Text: "a "}, {Text: "x.y", Start: 4, Expr: true}, {Text: " b", Start: 8}}, -1},
		{"${a}${ b }", []expr.Span{{Text: "a", Start: 2, Expr: true}, {Text: "b", Start: 7, Expr: true}}, -1},
		{"$${a}", []expr.Span{{Text: "${a}"}}, -1},
		{"cost: 5$ {x} $", []expr.Span{{Text: "cost: 5$ {x} $"}}, -1},
		{"$$${a}", []expr.Span{{Text: "$${a}"}}, -1},
		{"a ${b", []expr.Span{{Text: "a "}}, 2},
		{"{\"json\": ${a}}", []expr.Span{{Text: "{\"json\": "}, {Text: "a", Start: 11, Expr: true}, {Text: "}", Start: 13}}, -1},
	} {
		t.Run(test.template, func(t *testing.T) {
			t.Parallel()
			spans, unclosed := expr.Split(test.template)
			if diff := cmp.Diff(test.want, spans); diff != "" || unclosed != test.unclosed {
				t.Errorf("unclosed %d (-want +got):\n%s", unclosed, diff)
			}
		})
	}
}

func TestReadTemplate(t *testing.T) {
	t.Parallel()
	template, faults := expr.ReadTemplate(node(t, "k: |\n  Set $${x} ${payload.key}\n  to ${state.note}\n"), scope)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var got []string
	for _, part := range template.Parts {
		if path, ok := part.Expr.(*expr.Path); ok {
			got = append(got, path.Pos().String()+path.String())
		} else {
			got = append(got, part.Text)
		}
	}
	want := []string{"Set ${x} ", "f.yaml:2:15: payload.key", "\nto ", "f.yaml:3:8: state.note"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadTemplateReportsEveryFault(t *testing.T) {
	t.Parallel()
	template, faults := expr.ReadTemplate(node(t, "k: \"\\u00e9 ${payload.x} and ${} and ${\""), scope)
	var got []string
	for _, d := range faults {
		got = append(got, d.Pos.String()+d.Code)
	}
	want := []string{"f.yaml:1:37: CS1205", "f.yaml:1:22: CS1203", "f.yaml:1:31: CS1201"}
	if diff := cmp.Diff(want, got); diff != "" || template != nil {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTextThatYAMLChangesIsRefused(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"k: >\n  payload\n  .key", "k: payload\n  .key", "k: \"payload\n  .key\"", "k: payload.key # c"} {
		if _, faults := expr.Read(node(t, src), scope); len(faults) != 1 || faults[0].Code != diag.FoldedText {
			t.Errorf("%q: %v", src, faults)
		}
		if _, faults := expr.ReadTemplate(node(t, src), scope); len(faults) != 1 || faults[0].Code != diag.FoldedText {
			t.Errorf("template %q: %v", src, faults)
		}
	}
}

// What Split gives covers the template: put together again it is the template.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"", "a ${b} c", "$${", "${", "${}", "$", "$$${a}", "${a}}", "${ a\n}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, template string) {
		spans, unclosed := expr.Split(template)
		var again strings.Builder
		for _, span := range spans {
			if span.Expr {
				if template[span.Start:span.Start+len(span.Text)] != span.Text {
					t.Fatalf("%q is not at %d", span.Text, span.Start)
				}
				again.WriteString(expr.Opening + span.Text + expr.Closing)
				continue
			}
			again.WriteString(strings.ReplaceAll(span.Text, expr.Opening, expr.Literal))
		}
		if unclosed >= 0 {
			if !strings.HasPrefix(template[unclosed:], expr.Opening) || strings.Contains(template[unclosed:], expr.Closing) {
				t.Fatalf("nothing is unclosed at %d", unclosed)
			}
			return
		}
		spaceless := strings.NewReplacer(" ", "", "\t", "", "\n", "")
		if got, want := spaceless.Replace(again.String()), spaceless.Replace(template); got != want {
			t.Errorf("put together: %q, want %q", got, want)
		}
	})
}

// Any text is a path or has one fault within it.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"payload", "payload.key", "payload..key", ".", "état.x", "payload.key + 1", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		holder := &document.Node{Kind: document.Text, Text: path}
		read, faults := expr.ReadSpan(holder, expr.Span{Text: path, Expr: true}, scope)
		if (read == nil) != (len(faults) == 1) {
			t.Errorf("%v, %v", read, faults)
		}
	})
}
