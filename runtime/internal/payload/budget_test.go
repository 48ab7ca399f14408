package payload

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// counted validates, and returns the steps that the verdict took.
func counted(t *testing.T, schema, raw string) (fits bool, steps int, err error) {
	t.Helper()
	s, err := Compile("test", []byte(schema), Options{})
	if err != nil {
		t.Fatal(err)
	}
	canonical, err := exact.Canonical([]byte(raw), exact.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := exact.Tree(canonical)
	if err != nil {
		t.Fatal(err)
	}
	r := newRun()
	fits = r.fits(s.root, placed(tree))
	return fits, r.spent, r.err()
}

// nested is depth times open, the inside, and as often closed.
func nested(opening, inside, closing string, depth int) string {
	return strings.Repeat(opening, depth) + inside + strings.Repeat(closing, depth)
}

func each(n int, one func(i int) string) string {
	var all []string
	for i := range n {
		all = append(all, one(i))
	}
	return strings.Join(all, ",")
}

// twice is a definition of which both branches lead on to the next one.
func twice(i int) string {
	return fmt.Sprintf(`"d%d":{"anyOf":[{"allOf":[{"$ref":"#/$defs/d%[2]d"}]},{"allOf":[{"$ref":"#/$defs/d%[2]d"}]}]}`, i, i+1)
}

func TestNoValueIsAskedAboutOneSchemaTwice(t *testing.T) {
	t.Parallel()
	const deepest = 63
	for _, test := range []struct {
		name, schema, raw string
		most              int // steps; without remembering there would be 2 to the power of the depth
	}{
		{"a union of which several branches go on",
			`{"anyOf":[{"properties":{"l":{"$ref":"#"}},"required":["x"]},{"properties":{"l":{"$ref":"#"}},"required":["y"]}]}`,
			nested(`{"l":`, "0", "}", deepest), 1000},
		{"branches that look at everything before they fail",
			`{"anyOf":[{"items":{"$ref":"#"},"contains":{"type":"string"}},{"items":{"$ref":"#"},"contains":{"type":"null"}},{"type":"integer"}]}`,
			nested(`[`, "0", "]", deepest), 2000},
		{"conditions", `{"if":{"items":{"$ref":"#"}},"then":{"items":{"$ref":"#"}},"else":{"items":{"$ref":"#"}}}`, nested("[", "", "]", deepest), 1000},
		{"parts in place of one another", `{"$ref":"#/$defs/d0","$defs":{` + each(60, twice) + `,"d60":{"type":"string"}}}`, "1", 1000},
		{"parts in place that tell what they spoke of",
			`{"allOf":[{"properties":{"l":{"$ref":"#"}}},{"properties":{"l":{"$ref":"#"}}}],"unevaluatedProperties":false}`,
			nested(`{"l":`, "{}", "}", deepest), 2000},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, steps, err := counted(t, test.schema, test.raw)
			if err != nil || steps > test.most {
				t.Errorf("%d steps, %v; want at most %d", steps, err, test.most)
			}
			s, _ := Compile("test", []byte(test.schema), Options{})
			var invalid *Invalid
			if err := s.Validate([]byte(test.raw)); err != nil && !errors.As(err, &invalid) {
				t.Errorf("the explanation: %v", err)
			}
		})
	}
}

func TestWorkGrowsNoFasterThanThePayload(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, schema string
		raw          func(n int) string
	}{
		{"items", `{"items":{"type":"integer"}}`, func(n int) string { return "[" + each(n, func(int) string { return "1" }) + "]" }},
		{"unique items", `{"uniqueItems":true}`, func(n int) string { return "[" + each(n, func(i int) string { return fmt.Sprint(i) }) + "]" }},
		{"unique items within unique items", `{"uniqueItems":true,"items":{"$ref":"#"}}`, func(n int) string {
			return nested("[", each(n, func(i int) string { return fmt.Sprint(i) }), "]", 20)
		}},
		{"properties", `{"allOf":[{"properties":{"k1":true}},{"patternProperties":{"^k":true}}],"unevaluatedProperties":false}`, func(n int) string {
			return "{" + each(n, func(i int) string { return fmt.Sprintf(`"k%d":1`, i) }) + "}"
		}},
		{"text", `{"pattern":"(x+x+)+y"}`, func(n int) string { return `"` + strings.Repeat("x", n) + `"` }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			const small, times = 1000, 10
			_, few, err := counted(t, test.schema, test.raw(small))
			if err != nil {
				t.Fatal(err)
			}
			_, many, err := counted(t, test.schema, test.raw(small*times))
			if slack := few; err != nil || many > few*times+slack {
				t.Errorf("%d steps became %d, %v", few, many, err)
			}
		})
	}
}

func TestAPayloadThatWouldTakeTooLongIsRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, schema, raw, at string }{
		{"a long text against a large pattern", `{"properties":{"a":{"pattern":"(a{0,500}b){1,2}c{300}$"}}}`, `{"a":"` + strings.Repeat("a", 1<<19) + `"}`, "/a"},
		{"many names against many patterns", `{"properties":{"a":{"patternProperties":{` + each(300, func(i int) string { return fmt.Sprintf(`"^x%d":true`, i) }) + `}}}}`,
			`{"a":{` + each(40_000, func(i int) string { return fmt.Sprintf(`"k%d":1`, i) }) + `}}`, "/a/k"},
		{"many values against many alternatives", `{"items":{"anyOf":[` + each(50, func(i int) string { return fmt.Sprintf(`{"const":%d}`, i) }) + `]}}`,
			`[` + each(200_000, func(int) string { return "49" }) + `]`, "/"},
		{"defaults on ways that meet", `{"allOf":[{"properties":{"l":{"$ref":"#"}}},{"properties":{"l":{"$ref":"#"},"d":{"default":1}}}]}`, nested(`{"l":`, "{}", "}", 60), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, err := Compile("test", []byte(test.schema), Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Accept([]byte(test.raw), exact.DefaultLimits)
			var hard *TooComplex
			if !errors.As(err, &hard) || !strings.HasPrefix(hard.Pointer, test.at) {
				t.Fatalf("got %v; want a *TooComplex at %q", err, test.at)
			}
			if _, err := s.Accept([]byte(`{}`), exact.DefaultLimits); err != nil {
				t.Errorf("the next payload: %v", err)
			}
		})
	}
}

func TestViolationsAreBounded(t *testing.T) {
	t.Parallel()
	s, err := Compile("test", []byte(`{"items":{"anyOf":[{"required":["a"]},{"required":["b"]}]}}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Accept([]byte("["+each(50_000, func(int) string { return "{}" })+"]"), exact.DefaultLimits)
	var invalid *Invalid
	if !errors.As(err, &invalid) || len(invalid.Violations) != maxViolations || !invalid.More {
		t.Errorf("got %d violations, more: %v, %.100v", len(invalid.Violations), invalid.More, err)
	}
}
