package expr_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// thing has a field of each kind.
var thing = &schema.Type{Kind: schema.Object, Fields: []*schema.Field{
	required("text", schema.Type{Kind: schema.String}),
	required("other", schema.Type{Kind: schema.String}),
	required("when", schema.Type{Kind: schema.String, DateTime: true}),
	required("count", schema.Type{Kind: schema.Integer}),
	required("wide", schema.Type{Kind: schema.WideInteger}),
	required("price", schema.Type{Kind: schema.Number}),
	required("ratio", schema.Type{Kind: schema.Float}),
	required("on", schema.Type{Kind: schema.Boolean}),
	required("status", schema.Type{Kind: schema.Enum, Base: schema.String, Values: []schema.Value{{Text: "open"}, {Text: "closed"}}}),
	required("level", schema.Type{Kind: schema.Enum, Base: schema.Integer, Values: []schema.Value{{Text: "1"}, {Text: "20"}}}),
	required("raw", schema.Type{Kind: schema.Raw}),
	required("broken", schema.Type{}),
	{Name: "tags", Use: schema.Use{Type: &schema.Type{Kind: schema.Array, Elem: text}}},
	{Name: "note", Use: text},
	{Name: "cleared", Use: schema.Use{Type: text.Type, Nullable: true}, Required: true},
	{Name: "owner", Use: schema.Use{Type: owner}},
}}

func required(name string, t schema.Type) *schema.Field {
	return &schema.Field{Name: name, Use: schema.Use{Type: &t}, Required: true}
}

var things = expr.Scope{
	{Root: expr.Payload, Use: schema.Use{Type: thing}},
	{Root: expr.State, Use: schema.Use{Type: thing}, MayBeAbsent: true},
}

func TestConditionsCompareAPathWithAPathOrALiteral(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string]string{
		"state.text == payload.text":        "state.text payload.text",
		"state.text==payload.text  ":        "state.text payload.text",
		"state.text == 'closed'":            `state.text "closed"`,
		`state.text == "it's == 'x' // é"`:  `state.text "it's == 'x' // é"`,
		`state.text == 'a\'b\\\"\n\u00e9'`:  `state.text "a'b\\\"\né"`,
		"state.text == payload.status":      "state.text payload.status",
		"state.status == 'closed'":          `state.status "closed"`,
		"state.level == 20":                 "state.level 20",
		"state.count == -3":                 "state.count -3",
		"state.wide == 9223372036854775807": "state.wide 9223372036854775807",
		"state.price == 2.50":               "state.price 2.50",
		"state.price == 3":                  "state.price 3",
		"state.ratio == 1e3":                "state.ratio 1e3",
		"state.count == payload.price":      "state.count payload.price",
		"state.on == true":                  "state.on true",
		"state.on == payload.on":            "state.on payload.on",
		"state.note == null":                "state.note null",
		"state.cleared == null":             "state.cleared null",
		"state.tags == null":                "state.tags null",
		"state.owner.nick == null":          "state.owner.nick null",
		"state.owner.name == 'x'":           `state.owner.name "x"`,
		"state == null":                     "state null",
		"state.broken == payload.count":     "state.broken payload.count",
	} {
		t.Run(condition, func(t *testing.T) {
			t.Parallel()
			read, faults := expr.ReadCondition(node(t, "k: |\n  "+condition+"\n"), things)
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			got := read.Left.String() + " "
			switch right := read.Right.(type) {
			case *expr.Path:
				got += right.String()
			case *expr.Constant:
				got += map[bool]string{true: strconv.Quote(right.Text), false: right.Text}[right.Kind == expr.TextConstant]
			}
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestConditionsThatAreNoneAreRefusedWhereTheyGoWrong(t *testing.T) {
	t.Parallel()
	const none = "k: only one path that equals one path or literal is supported here " +
		"(write a path, one ==, and a path or a literal, as in state.status == 'closed' or state.value == payload.value) [CS1207]"
	for _, test := range []struct{ condition, want string }{
		{"state.text", "f.yaml:2:3: " + none},
		{"state.text != 'x'", "f.yaml:2:3: " + none},
		{"state.text === 'x'", "f.yaml:2:16: " + none},
		{"'x' == state.text", "f.yaml:2:3: " + none},
		{"true == state.on", "f.yaml:2:3: " + none},
		{"== 'x'", "f.yaml:2:3: " + none},
		{"state.text ==", "f.yaml:2:16: " + none},
		{"state.text == 'x' && state.on", "f.yaml:2:21: " + none},
		{"state.text == 'it's'", "f.yaml:2:21: k: text goes on after its quote (write \\' for a quote within it) [CS1207]"},
		{"state.on == state.on && true", "f.yaml:2:23: " + none},
		{"state.on == true && true", "f.yaml:2:19: " + none},
		{"size(state.text) == 3", "f.yaml:2:7: " + none},
		{"state.text == lower(payload.text)", "f.yaml:2:22: " + none},
		{"state.tags[0] == 'x'", "f.yaml:2:13: " + none},
		{"state.count == 0x10", "f.yaml:2:18: " + none},
		{"state.count == 007", "f.yaml:2:18: " + none},
		{"state.count == 3u", "f.yaml:2:18: " + none},
		{"state.price == .5", "f.yaml:2:18: " + none},
		{"state.wide == 9223372036854775808", "f.yaml:2:17: k: '9223372036854775808' is beyond 64 bits [CS1207]"},
		{"state.price == 1e999", "f.yaml:2:18: k: '1e999' is beyond 64 bits [CS1207]"},
		{`state.text == 'a`, `f.yaml:2:17: k: text whose quote is not closed (close it with ') [CS1207]`},
		{`state.text == 'a\`, `f.yaml:2:19: k: an escape that is not supported (write the character itself, or \\ for a backslash) [CS1207]`},
		{`state.text == 'a\x41'`, `f.yaml:2:19: k: an escape that is not supported (write the character itself, or \\ for a backslash) [CS1207]`},
		{`state.text == '\ud800'`, `f.yaml:2:18: k: an escape that is not supported (write the character itself, or \\ for a backslash) [CS1207]`},
		{`state.text == r'a'`, "f.yaml:2:18: " + none},
		{"state.txt == 'x'", "f.yaml:2:9: k: undefined field 'txt' (did you mean 'text'?) [CS1203]"},
		{"state.text == down", "f.yaml:2:17: k: 'down' is not in scope here (quote it if it is text: 'down'; in scope: payload, state) [CS1202]"},
		{"state.text == stale", "f.yaml:2:17: k: 'stale' is not in scope here (quote it if it is text: 'stale'; did you mean 'state'?) [CS1202]"},
		{"state.text == paylaod.text", "f.yaml:2:17: k: 'paylaod' is not in scope here (did you mean 'payload'?) [CS1202]"},
	} {
		t.Run(test.condition, func(t *testing.T) {
			t.Parallel()
			expectFault(t, test.condition, test.want)
		})
	}
}

func TestConditionsThatNeverHoldAreRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ condition, want string }{
		{"state.text == 3", "f.yaml:2:17: k: 'state.text' is a string, and '3' is an integer: they are never equal [CS1208]"},
		{"state.count == '3'", "f.yaml:2:18: k: 'state.count' is an integer, and '3' is a string: they are never equal [CS1208]"},
		{"state.on == 'true'", "f.yaml:2:15: k: 'state.on' is a boolean, and 'true' is a string: they are never equal [CS1208]"},
		{"state.count == 3.0", "f.yaml:2:18: k: 'state.count' is an integer (write a whole number, in plain digits) [CS1208]"},
		{"state.level == 3", "f.yaml:2:18: k: 'state.level' is never '3' (it has '1', '20') [CS1208]"},
		{"state.status == 'closd'", "f.yaml:2:19: k: 'state.status' is never 'closd' (did you mean 'closed'?) [CS1208]"},
		{"state.text == null", "f.yaml:2:17: k: 'state.text' is always there and never null [CS1208]"},
		{"payload == null", "f.yaml:2:14: k: 'payload' is always there and never null [CS1208]"},
		{"state.owner.name == null", "f.yaml:2:23: k: 'state.owner.name' is always there and never null [CS1208]"},
		{"state.raw == null", "f.yaml:2:3: k: 'state.raw' is a value of any type, which is not compared here [CS1208]"},
		{"state.tags == payload.tags", "f.yaml:2:3: k: 'state.tags' is an array, which is not compared here [CS1208]"},
		{"state.text == payload.owner", "f.yaml:2:17: k: 'payload.owner' is an object, which is not compared here (compare a field of it) [CS1208]"},
		{"state.when == payload.when", "f.yaml:2:3: k: 'state.when' is a date-time, which is not compared here [CS1208]"},
		{"state.text == payload.count", "f.yaml:2:3: k: 'state.text' is a string, and 'payload.count' is an integer: they are never equal [CS1208]"},
	} {
		t.Run(test.condition, func(t *testing.T) {
			t.Parallel()
			expectFault(t, test.condition, test.want)
		})
	}
}

func TestLineBreaksInLiteralsAreEscaped(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`\n`, `\r`} {
		_, faults := expr.ReadCondition(node(t, `k: "state.text == 'a`+raw+`b'"`), things)
		if len(faults) != 1 || !strings.Contains(faults[0].String(), `a line break in quotes (write \n or \r)`) {
			t.Errorf("%s: %v", raw, faults)
		}
	}
}

// expectFault reads a condition that stands in a block and has one fault.
func expectFault(t *testing.T, condition, want string) {
	t.Helper()
	read, faults := expr.ReadCondition(node(t, "k: |\n  "+condition+"\n"), things)
	if read != nil || len(faults) != 1 || faults[0].String() != want {
		t.Errorf("got  %v\nwant %s", faults, want)
	}
}

// Any text is a condition or has a fault within it, and a condition is read again as it is.
func FuzzReadCondition(f *testing.F) {
	for _, seed := range []string{"state.text == payload.text", `state.text == 'a\n'`, "state.on == true", "state.count == 3", "==", "state == null", "state.price == 1e3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, condition string) {
		quoted, err := json.Marshal(condition)
		if err != nil {
			t.Fatal(err)
		}
		tree, faults := document.Read("f.yaml", []byte(`{"k": `+string(quoted)+`}`))
		if len(faults) > 0 {
			return // no text of a document
		}
		read, faults := expr.ReadCondition(tree.Get("k"), things)
		if (read == nil) != (len(faults) > 0) {
			t.Fatalf("%v, %v", read, faults)
		}
		for _, d := range faults {
			if d.Code == "" || d.Message == "" || d.Code == diag.BadYAML {
				t.Errorf("a fault without a meaning: %v", d)
			}
		}
		if read != nil && (read.Type().Use.Type.Kind != schema.Boolean || read.Left == nil || read.Right == nil || len(read.Paths()) == 0) {
			t.Errorf("half a condition: %v", read)
		}
	})
}
