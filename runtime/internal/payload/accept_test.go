package payload_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
)

func compile(t testing.TB, schema string) *payload.Schema {
	t.Helper()
	s, err := payload.Compile("test", []byte(schema), payload.Options{})
	if err != nil {
		t.Fatalf("Compile(%s): %v", schema, err)
	}
	return s
}

// accept fails the test if raw is not accepted.
func accept(t testing.TB, s *payload.Schema, raw string) string {
	t.Helper()
	canonical, err := s.Accept([]byte(raw), exact.DefaultLimits)
	if err != nil {
		t.Fatalf("Accept(%s): %v", raw, err)
	}
	return string(canonical)
}

func TestAcceptReturnsTheCanonicalForm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, schema, raw, want string }{
		{"members in order", `{"type":"object"}`, `{"b":1,"a":"\u0041"}`, `{"a":"A","b":1}`},
		{"an integer beyond 2^53", `{"properties":{"id":{"type":"integer"}}}`, `{"id":9007199254740993}`, `{"id":9007199254740993}`},
		{"an integer spelt with a point", `{"properties":{"id":{"type":"integer"}}}`, `{"id":1.0}`, `{"id":1}`},
		{"no arguments", `{"type":"object"}`, ``, `{}`},
		{"null for arguments", `{"type":"object"}`, ` null `, `{}`},
		{"format says nothing about what is valid", `{"properties":{"a":{"format":"email"}}}`, `{"a":"x"}`, `{"a":"x"}`},
		{"content says nothing about what is valid", `{"properties":{"a":{"contentEncoding":"base64"}}}`, `{"a":"!"}`, `{"a":"!"}`},
		{"any value", `true`, `[1]`, `[1]`},
		{"a name in another case where names are open", `{"properties":{"amount":{}}}`, `{"amount":10,"Amount":9999}`, `{"Amount":9999,"amount":10}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := accept(t, compile(t, test.schema), test.raw); got != test.want {
				t.Errorf("got %s; want %s", got, test.want)
			}
		})
	}
}

func TestAcceptFillsInDefaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, schema, raw, want string }{
		{"of a property that is missing", `{"properties":{"a":{"default":1},"b":{}}}`, `{}`, `{"a":1}`},
		{"and keeps digits elsewhere", `{"properties":{"a":{"default":1}}}`, `{"id":9007199254740993}`, `{"a":1,"id":9007199254740993}`},
		{"with all their digits", `{"properties":{"a":{"default":12345678901234567890.50}}}`, `{}`, `{"a":12345678901234567890.5}`},
		{"never over what is there", `{"properties":{"a":{"default":1}}}`, `{"a":2}`, `{"a":2}`},
		{"never over null", `{"properties":{"a":{"default":1}}}`, `{"a":null}`, `{"a":null}`},
		{"null is a default", `{"properties":{"a":{"default":null}}}`, `{}`, `{"a":null}`},
		{"before required is checked", `{"required":["a"],"properties":{"a":{"default":1}}}`, `{}`, `{"a":1}`},
		{"in an object that is there", `{"properties":{"o":{"properties":{"a":{"default":1}}}}}`, `{"o":{}}`, `{"o":{"a":1}}`},
		{"not in an object that is missing", `{"properties":{"o":{"properties":{"a":{"default":1}}}}}`, `{}`, `{}`},
		{"not in a value that is no object", `{"properties":{"o":{"properties":{"a":{"default":1}}}}}`, `{"o":[]}`, `{"o":[]}`},
		{"in a default object", `{"properties":{"o":{"default":{"b":2},"properties":{"a":{"default":1},"b":{"default":3}}}}}`, `{}`, `{"o":{"a":1,"b":2}}`},
		{"in the items of a list", `{"properties":{"l":{"items":{"properties":{"a":{"default":1}}}}}}`, `{"l":[{},{"a":2},3]}`, `{"l":[{"a":1},{"a":2},3]}`},
		{"by place in a list", `{"properties":{"l":{"prefixItems":[{"properties":{"a":{"default":1}}}],"items":{"properties":{"b":{"default":2}}}}}}`, `{"l":[{},{}]}`, `{"l":[{"a":1},{"b":2}]}`},
		{"in the values of a map", `{"properties":{"p":{}},"patternProperties":{"^x":{"properties":{"a":{"default":1}}}},"additionalProperties":{"properties":{"b":{"default":2}}}}`, `{"p":{},"x":{},"y":{}}`, `{"p":{},"x":{"a":1},"y":{"b":2}}`},
		{"through $ref", `{"properties":{"o":{"$ref":"#/$defs/o"}},"$defs":{"o":{"properties":{"a":{"$ref":"#/$defs/a"}}},"a":{"default":1}}}`, `{"o":{}}`, `{"o":{"a":1}}`},
		{"its own before that of a $ref", `{"properties":{"a":{"$ref":"#/$defs/a","default":2}},"$defs":{"a":{"default":1}}}`, `{}`, `{"a":2}`},
		{"through a $ref to an escaped name", `{"properties":{"b":{"$ref":"#/$defs/b~1c%20d"}},"$defs":{"b/c d":{"default":2}}}`, `{}`, `{"b":2}`},
		{"through a $ref that recurs", `{"properties":{"a":{"default":1},"next":{"$ref":"#"}}}`, `{"next":{"next":{"a":2}}}`, `{"a":1,"next":{"a":1,"next":{"a":2}}}`},
		{"through allOf, in order", `{"allOf":[{"properties":{"a":{"default":1}}},{"properties":{"a":{"default":2},"b":{"default":3}}}]}`, `{}`, `{"a":1,"b":3}`},
		{"through a union with null", `{"properties":{"o":{"anyOf":[{"type":"null"},{"properties":{"a":{"default":1}}}]}}}`, `{"o":{}}`, `{"o":{"a":1}}`},
		{"not through any other union", `{"anyOf":[{"properties":{"a":{"default":1}}},{"properties":{"b":{"default":1}}}]}`, `{}`, `{}`},
		{"not under a condition", `{"if":{"properties":{"a":{"default":1}}},"then":{"properties":{"a":{"default":1}}}}`, `{}`, `{}`},
		{"not of the whole", `{"default":{"a":1}}`, ``, `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := compile(t, test.schema)
			got := accept(t, s, test.raw)
			if got != test.want {
				t.Fatalf("got %s; want %s", got, test.want)
			}
			if again := accept(t, s, got); again != got {
				t.Errorf("accepted again, %s became %s", got, again)
			}
		})
	}
}

func TestAcceptGivesEachPayloadItsOwnDefault(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"properties":{"l":{"items":{"properties":{"o":{"default":{},"properties":{"n":{"default":[]}}}}}}}}`)
	want := `{"l":[{"o":{"n":[]}},{"o":{"n":[]}}]}`
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if got, err := s.Accept([]byte(`{"l":[{},{}]}`), exact.DefaultLimits); err != nil || string(got) != want {
				t.Errorf("got %s, %v; want %s", got, err, want)
			}
		})
	}
	group.Wait()
}

func TestAcceptRefusesTextThatCannotBeCarried(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"properties":{"a":{"default":"`+strings.Repeat("x", 100)+`"},"o":{"default":[[[]]]}}}`)
	for _, test := range []struct {
		name, raw string
		limits    exact.Limits
		want      error
	}{
		{"a name twice", `{"a":1,"a":2}`, exact.DefaultLimits, exact.ErrDuplicateName},
		{"a lone surrogate", `{"a":"\ud800"}`, exact.DefaultLimits, exact.ErrInvalidText},
		{"NaN", `{"a":NaN}`, exact.DefaultLimits, exact.ErrNumber},
		{"an absurd number", `{"a":1e999999999}`, exact.DefaultLimits, exact.ErrNumber},
		{"white space alone", ` `, exact.DefaultLimits, exact.ErrSyntax},
		{"more than the limit", `{"a":"123456789"}`, exact.Limits{Bytes: 10}, exact.ErrTooLarge},
		{"defaults for which there is no room", `{}`, exact.Limits{Bytes: 50}, exact.ErrTooLarge},
		{"defaults that fill it over the limit", `{"z":1}`, exact.Limits{Bytes: 115}, exact.ErrTooLarge},
		{"defaults that nest too deeply", `{}`, exact.Limits{Depth: 3}, exact.ErrDepth},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := s.Accept([]byte(test.raw), test.limits)
			var fault *exact.Error
			if !errors.As(err, &fault) || !errors.Is(err, test.want) {
				t.Errorf("got %s, %v; want %v", got, err, test.want)
			}
		})
	}
}

func TestNumbersAreComparedWithAllTheirDigits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, schema, raw string
		valid             bool
	}{
		{"maximum, reached", `{"maximum":9007199254740993}`, `9007199254740993`, true},
		{"maximum, exceeded by one", `{"maximum":9007199254740992}`, `9007199254740993`, false},
		{"int64, exceeded by one", `{"maximum":9223372036854775807}`, `9223372036854775808`, false},
		{"exclusive minimum, missed by the last digit", `{"exclusiveMinimum":0.10000000000000000001}`, `0.10000000000000000002`, true},
		{"const of another integer in the same float64", `{"const":9007199254740993}`, `9007199254740992`, false},
		{"enum with another spelling", `{"enum":[1.50]}`, `15e-1`, true},
		{"unique items in the same float64", `{"uniqueItems":true}`, `[9007199254740993,9007199254740992]`, true},
		{"multiple of a decimal fraction", `{"multipleOf":0.01}`, `1234567890123456.78`, true},
		{"no multiple of a decimal fraction", `{"multipleOf":0.01}`, `1234567890123456.785`, false},
		{"the largest number", `{"type":"integer","minimum":1e308}`, `1e308`, true},
		{"the smallest step", `{"exclusiveMinimum":0,"multipleOf":1e-400}`, `1e-400`, true},
		{"an integer spelt as a fraction", `{"type":"integer"}`, `100.00e-1`, true},
		{"a fraction for an integer", `{"type":"integer"}`, `9007199254740993.5`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := compile(t, test.schema).Accept([]byte(test.raw), exact.DefaultLimits)
			var invalid *payload.Invalid
			if test.valid && err != nil || !test.valid && !errors.As(err, &invalid) {
				t.Errorf("got %v; valid should be %v", err, test.valid)
			}
		})
	}
}

func TestValidateLeavesDefaultsOut(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"required":["a"],"properties":{"a":{"default":1}}}`)
	if err := s.Validate([]byte(`{"a":2}`)); err != nil {
		t.Errorf("got %v", err)
	}
	var invalid *payload.Invalid
	if err := s.Validate([]byte(`{}`)); !errors.As(err, &invalid) {
		t.Errorf("got %v; want an *Invalid", err)
	}
	if err := s.Validate([]byte(`null`)); err != nil {
		t.Errorf("null became something else: %v", err)
	}
	if err := s.Validate([]byte(`{`)); !errors.Is(err, exact.ErrSyntax) {
		t.Errorf("got %v; want ErrSyntax", err)
	}
}

func TestCompileRefusesWithThePlace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, schema, want string }{
		{"what is no JSON", `{`, "not JSON: the text ends before the value does (byte 1)"},
		{"a name twice", `{"type":"object","type":"string"}`, `duplicate name: "type" appears more than once in its object; keep one (at /type, byte 17)`},
		{"a keyword that is wrong", `{"properties":{"a":{"type":"text"}}}`, `/properties/a/type: value must be one of "array", "boolean", "integer", "null", "number", "object", "string"`},
		{"a pattern of another dialect", `{"pattern":"(?=a)"}`, `/pattern: '(?=a)' is not valid 'regex'`},
		{"an address", `{"$ref":"https://example.com/a.json"}`, "the root: $ref to https://example.com/a.json: a schema can refer only to its own parts, as in #/$defs/name"},
		{"a file", `{"$ref":"file:///etc/passwd"}`, "the root: $ref to file:///etc/passwd: a schema can refer only to its own parts, as in #/$defs/name"},
		{"a relative address", `{"$ref":"a.json#/b"}`, "the root: $ref to a.json#/b: a schema can refer only to its own parts, as in #/$defs/name"},
		{"the metaschema", `{"properties":{"a":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}}`, "/properties/a: $ref to https://json-schema.org/draft/2020-12/schema: a schema can refer only to its own parts, as in #/$defs/name"},
		{"an id", `{"$id":"https://example.com/a"}`, "the root: $id is not supported; leave it out, and refer to parts as in #/$defs/name"},
		{"more than can be read in good time", `{"anyOf":[` + strings.Repeat("true,", 5000) + `true]}`, "there are more than 5000 schemas in one; describe less"},
		{"an id inside", `{"properties":{"a":{"$id":"b"}}}`, "/properties/a: $id is not supported; leave it out, and refer to parts as in #/$defs/name"},
		{"an anchor", `{"properties":{"a":{"$anchor":"b"}}}`, "/properties/a: $anchor is not supported; refer to the part as in #/$defs/name"},
		{"a reference that depends on who follows it", `{"$dynamicAnchor":"a","items":{"$dynamicRef":"#a"}}`, "the root: $dynamicAnchor is not supported; leave it out"},
		{"a keyword of another draft", `{"properties":{"a":{"dependencies":{"a":["b"]}}}}`, "/properties/a: dependencies is not supported; write dependentRequired or dependentSchemas"},
		{"a reference to nothing", `{"$ref":"#/$defs/a"}`, "#/$defs/a not found"},
		{"a reference to itself", `{"properties":{"a":{"$ref":"#/properties/a"}}}`, "infinite loop #/properties/a/$ref"},
		{"another draft", `{"$schema":"http://json-schema.org/draft-07/schema#"}`, `$schema is "http://json-schema.org/draft-07/schema#"; write schemas for https://json-schema.org/draft/2020-12/schema`},
		{"an enum that allows nothing", `{"properties":{"a":{"enum":[]}}}`, "/properties/a: enum is empty and allows nothing; list its values"},
		{"a count beyond counting", `{"properties":{"a/b":{"maxLength":1e20}}}`, "/properties/a~1b: maxLength is beyond what can be counted; leave it out"},
		{"a default that does not fit", `{"properties":{"a":{"type":"string","default":1}}}`, "/properties/a: the default does not fit: the whole value: expected a string, found 1"},
		{"a default that does not fit once it is filled in", `{"properties":{"a":{"default":{},"properties":{"b":{"default":1}},"maxProperties":0}}}`, "/properties/a: the default does not fit: the whole value: expected an object of at most 0 properties, found 1 property"},
		{"a default that holds itself", `{"properties":{"a":{"$ref":"#","default":{}}}}`, "/properties/a: the default holds itself without end; leave it out"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := payload.Compile("test", []byte(test.schema), payload.Options{})
			if err == nil {
				t.Fatal("the schema was compiled")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func BenchmarkAccept(b *testing.B) {
	s := compile(b, productSchema)
	raw := []byte(`{"id":9007199254740993,"name":"A product","price":12.50,"tags":["a","b","c"],"kind":"goods"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Accept(raw, exact.DefaultLimits); err != nil {
			b.Fatal(err)
		}
	}
}

func TestCompleteAsksForEveryDefault(t *testing.T) {
	t.Parallel()
	schema := compile(t, `{"type":"object","required":["k"],"properties":{
		"k":{"type":"string"},"mode":{"default":"hard"},"parts":{"items":{"properties":{"n":{"default":1}}}}}}`)
	for raw, want := range map[string]error{
		`{"k":"a","mode":"soft"}`: nil,
		`{"k":"a"}`:               payload.ErrIncomplete,
		`{"k":"a","mode":"soft","parts":[{"n":1},{"m":1}]}`:      payload.ErrIncomplete,
		`{"k":"a","mode":null,"parts":[{"n":null},{"n":false}]}`: nil,
	} {
		if err := schema.Complete([]byte(raw)); err != want {
			t.Errorf("%s: %v; want %v", raw, err, want)
		}
		accepted, err := schema.Accept([]byte(raw), exact.DefaultLimits)
		if err != nil || schema.Complete(accepted) != nil {
			t.Errorf("%s: what Accept returns is not complete: %s, %v", raw, accepted, err)
		}
	}
	var invalid *payload.Invalid
	if err := schema.Complete([]byte(`{"k":1}`)); !errors.As(err, &invalid) {
		t.Errorf("got %v; want an *Invalid", err)
	}
}
