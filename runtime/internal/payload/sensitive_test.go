package payload_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
)

const markedSecret = `{"type":"string","enum":["hunter2","swordfish"],"x-sensitive":true}`

func TestSensitiveFindsValuesWhereverTheirSchemaStands(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, schema, value string
		want                []string
	}{
		{"none", `{"properties":{"a":{}}}`, `{"a":1}`, nil},
		{"switched off", `{"properties":{"a":{"x-sensitive":false}}}`, `{"a":1}`, nil},
		{"property", `{"properties":{"a":{"x-sensitive":true},"b":{}}}`, `{"a":1,"b":2}`, []string{"/a"}},
		{"property that is not there", `{"properties":{"a":{"x-sensitive":true}}}`, `{"b":2}`, nil},
		{"the whole", `{"x-sensitive":true}`, `{"a":1}`, []string{""}},
		{"object as a whole", `{"properties":{"a":{"x-sensitive":true,"properties":{"b":{"x-sensitive":true}}}}}`, `{"a":{"b":1}}`, []string{"/a"}},
		{"name with a slash", `{"properties":{"a/b~c":{"x-sensitive":true}}}`, `{"a/b~c":1}`, []string{"/a~1b~0c"}},
		{"items", `{"items":{"properties":{"a":{"x-sensitive":true}}}}`, `[{"a":1},{},{"a":2}]`, []string{"/0/a", "/2/a"}},
		{"prefix and rest", `{"prefixItems":[{}],"items":{"x-sensitive":true}}`, `[1,2,3]`, []string{"/1", "/2"}},
		{"contains", `{"contains":{"x-sensitive":true,"type":"string"}}`, `[1,"a"]`, []string{"/0", "/1"}},
		{"reference", `{"$defs":{"s":{"x-sensitive":true}},"properties":{"a":{"$ref":"#/$defs/s"}}}`, `{"a":1}`, []string{"/a"}},
		{"recursion", `{"$defs":{"n":{"properties":{"s":{"x-sensitive":true},"n":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`,
			`{"n":{"n":{"s":1},"s":2}}`, []string{"/n/n/s", "/n/s"}},
		{"branch that fits", `{"anyOf":[{"type":"object","properties":{"a":{"x-sensitive":true}}},{"type":"null"}]}`, `{"a":1}`, []string{"/a"}},
		{"branch that does not fit", `{"oneOf":[{"required":["k"],"properties":{"a":{"x-sensitive":true}}},{"properties":{"a":{"type":"integer"}}}]}`, `{"a":1}`, []string{"/a"}},
		{"all of", `{"allOf":[{"properties":{"a":{"x-sensitive":true}}}]}`, `{"a":1}`, []string{"/a"}},
		{"then, though the condition does not hold", `{"if":{"required":["k"]},"then":{"properties":{"a":{"x-sensitive":true}}}}`, `{"a":1}`, []string{"/a"}},
		{"not", `{"not":{"properties":{"a":{"x-sensitive":true,"const":2}},"required":["a"]}}`, `{"a":1}`, []string{"/a"}},
		{"dependent", `{"dependentSchemas":{"k":{"properties":{"a":{"x-sensitive":true}}}}}`, `{"a":1}`, []string{"/a"}},
		{"any other property", `{"properties":{"b":{}},"additionalProperties":{"x-sensitive":true}}`, `{"a":1,"b":2}`, []string{"/a"}},
		{"property by pattern", `{"patternProperties":{"^s_":{"x-sensitive":true}}}`, `{"s_a":1,"b":2}`, []string{"/s_a"}},
		{"what nothing else speaks of", `{"properties":{"b":{}},"unevaluatedProperties":{"x-sensitive":true}}`, `{"a":1,"b":2}`, []string{"/a"}},
		{"names", `{"properties":{"m":{"propertyNames":{"x-sensitive":true}},"b":{}}}`, `{"m":{"a":1},"b":2}`, []string{"/m"}},
		{"null instead of an object", `{"properties":{"o":{"type":["object","null"],"properties":{"a":{"x-sensitive":true}}}}}`, `{"o":null}`, nil},
		{"text instead of an object", `{"properties":{"o":{"properties":{"a":{"x-sensitive":true}}}}}`, `{"o":"a"}`, []string{"/o"}},
		{"text instead of a list", `{"properties":{"o":{"items":{"x-sensitive":true}}}}`, `{"o":"a"}`, []string{"/o"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := compile(t, test.schema).Sensitive([]byte(test.value))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestSensitiveIsTheWholeWhereItTakesTooLong(t *testing.T) {
	t.Parallel()
	schema := `{"patternProperties":{"^(a|b|ab)*c{900}$":{"x-sensitive":true}}}`
	value := `{"` + strings.Repeat("ab", 100_000) + `":1}`
	got, err := compile(t, schema).Sensitive([]byte(value))
	if diff := cmp.Diff([]string{""}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func TestSensitiveKeywordIsTrueOrFalse(t *testing.T) {
	t.Parallel()
	_, err := payload.Compile("test", []byte(`{"properties":{"a":{"x-sensitive":"yes"}}}`), payload.Options{})
	if err == nil || !strings.Contains(err.Error(), "/properties/a: x-sensitive is not true or false") {
		t.Errorf("error: %v", err)
	}
}

// What a violation says goes into answers and logs.
func TestViolationsSayNothingSensitive(t *testing.T) {
	t.Parallel()
	of := func(property string) string {
		return fmt.Sprintf(`{"type":"object","properties":{"a":%s},"unevaluatedProperties":false}`, property)
	}
	for _, test := range []struct{ name, schema, value string }{
		{"enum", of(markedSecret), `{"a":"t0psecret"}`},
		{"const", of(`{"const":"hunter2","x-sensitive":true}`), `{"a":"t0psecret"}`},
		{"type", of(`{"type":"integer","x-sensitive":true}`), `{"a":"t0psecret"}`},
		{"pattern", of(`{"pattern":"^a+$","x-sensitive":true}`), `{"a":"t0psecret"}`},
		{"length", of(`{"type":"string","maxLength":3,"x-sensitive":true}`), `{"a":"t0psecret"}`},
		{"inside", of(`{"type":"object","x-sensitive":true,"additionalProperties":{"type":"integer"}}`), `{"a":{"t0psecret":"t0psecret"}}`},
		{"names", of(`{"type":"object","propertyNames":{"maxLength":3,"x-sensitive":true}}`), `{"a":{"t0psecret":1}}`},
		{"around", of(`{"type":"array","items":{"properties":{"b":{"x-sensitive":true}}}}`), `{"a":{"b":"t0psecret"}}`},
		{"beside", of(`{"properties":{"b":{"x-sensitive":true}},"maxProperties":1,"enum":[{"b":"hunter2"}]}`), `{"a":{"b":"t0psecret"}}`},
		{"equal items", of(`{"type":"array","uniqueItems":true,"items":{"x-sensitive":true}}`), `{"a":["t0psecret","t0psecret"]}`},
		{"contains", of(`{"type":"array","contains":{"enum":["hunter2"],"x-sensitive":true}}`), `{"a":["t0psecret"]}`},
		{"union", of(`{"anyOf":[{"const":"hunter2","x-sensitive":true},{"type":"integer"}]}`), `{"a":"t0psecret"}`},
		{"tag", of(`{"oneOf":[{"required":["k"],"properties":{"k":{"const":"hunter2","x-sensitive":true}}},{"required":["k"],"properties":{"k":{"const":"swordfish"}}}]}`), `{"a":{"k":"t0psecret"}}`},
		{"not", of(`{"not":{"enum":["t0psecret","hunter2"],"x-sensitive":true}}`), `{"a":"t0psecret"}`},
		{"text instead of an object", of(`{"type":"object","properties":{"b":{"x-sensitive":true}}}`), `{"a":"t0psecret"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := compile(t, test.schema).Accept([]byte(test.value), exact.DefaultLimits)
			var invalid *payload.Invalid
			if !errors.As(err, &invalid) {
				t.Fatalf("error: %v", err)
			}
			said := fmt.Sprintf("%+v %v", invalid.Violations, err)
			for _, secret := range []string{"t0psecret", "hunter2"} {
				if strings.Contains(said, secret) {
					t.Errorf("%s is in %s", secret, said)
				}
			}
			if strings.Contains(said, "swordfish") && test.name != "tag" {
				t.Errorf("an allowed value is in %s", said)
			}
		})
	}
}

func FuzzSensitive(f *testing.F) {
	f.Add(`{"properties":{"a":{"x-sensitive":true}}}`, `{"a":"t0psecret"}`)
	f.Add(`{"anyOf":[{"items":{"x-sensitive":true}},{"x-sensitive":true}]}`, `["t0psecret"]`)
	f.Add(`{"$defs":{"n":{"properties":{"s":{"x-sensitive":true},"n":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`, `{"n":{"s":1}}`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, err := payload.Compile("fuzz", []byte(schema), payload.Options{})
		if err != nil {
			return
		}
		canonical, err := exact.Canonical([]byte(value), exact.DefaultLimits)
		if err != nil {
			return
		}
		pointers, err := s.Sensitive(canonical)
		if err != nil {
			t.Fatal(err)
		}
		if len(pointers) > 0 && !s.IsSensitive() {
			t.Errorf("%q of a schema that has nothing sensitive", pointers)
		}
		for i, p := range pointers {
			for _, other := range pointers[:i] {
				if p == other || strings.HasPrefix(p, other+"/") {
					t.Errorf("%q is in %q", p, other)
				}
			}
		}
	})
}
