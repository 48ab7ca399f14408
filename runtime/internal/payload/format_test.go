package payload_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
)

func TestFormatsAreAssertedWhereTheyAreToBe(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		format, value string
		valid         bool
	}{
		{"date", "2024-02-29", true},
		{"date", "2023-02-29", false},
		{"date-time", "2024-01-31T23:59:60+00:00", true},
		{"date-time", "2024-01-31 12:00:00Z", false},
		{"duration", "P1DT12H", true},
		{"duration", "1D", false},
		{"email", "a@example.com", true},
		{"email", "a@", false},
		{"hostname", "www.example.com", true},
		{"hostname", "www.example.com.", false},
		{"hostname", "-a.example", false},
		{"ipv4", "192.0.2.1", true},
		{"ipv4", "+1.2.3.4", false},
		{"ipv4", "192.0.2.01", false},
		{"ipv6", "::1", true},
		{"ipv6", "12345::", false},
		{"json-pointer", "/a~1b", true},
		{"json-pointer", "/a~2", false},
		{"relative-json-pointer", "1/a", true},
		{"relative-json-pointer", "-1/a", false},
		{"time", "08:30:06Z", true},
		{"time", "08:30:06", false},
		{"uri", "https://user@[2001:db8::1]:8080/a%20b?c=d#e", true},
		{"uri", "urn:isbn:0451450523", true},
		{"uri", "https://example.com/a b", false},
		{"uri", "https://example.com/é", false},
		{"uri", `https://example.com/a\b`, false},
		{"uri", "http:/[::1]", false},
		{"uri", "//example.com", false},
		{"uri-reference", "/a?b", true},
		{"uri-reference", "//a@b@example.com/", false},
		{"uri-reference", "/[::1]", false},
		{"uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", true},
		{"uuid", "2eb8aa08-aa98-11ea-b4aa73b441d16380", false},
	} {
		t.Run(test.format+" "+test.value, func(t *testing.T) {
			t.Parallel()
			schema := fmt.Appendf(nil, `{"properties":{"a":{"format":%q}}}`, test.format)
			raw := fmt.Appendf(nil, `{"a":%q}`, test.value)
			s, err := payload.Compile("test", schema, payload.Options{AssertFormats: true})
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Accept(raw, exact.DefaultLimits)
			var invalid *payload.Invalid
			if test.valid && err != nil || !test.valid && !errors.As(err, &invalid) {
				t.Errorf("got %v; valid should be %v", err, test.valid)
			}
			if invalid != nil && !strings.HasPrefix(invalid.Error(), fmt.Sprintf("/a: expected a string of the format %q, found ", test.format)) {
				t.Errorf("got %v", invalid)
			}
			if _, err := compile(t, string(schema)).Accept(raw, exact.DefaultLimits); err != nil {
				t.Errorf("asserted where it is an annotation: %v", err)
			}
		})
	}
}

func TestFormatsThatCannotBeAssertedAreRefused(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"regex", "uri-template", "iri", "iri-reference", "idn-email", "idn-hostname", "period", "colour"} {
		schema := fmt.Appendf(nil, `{"properties":{"a":{"format":%q}}}`, format)
		_, err := payload.Compile("test", schema, payload.Options{AssertFormats: true})
		if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("/properties/a: the format %q cannot be asserted; write a pattern, or one of ", format)) {
			t.Errorf("%s: got %v", format, err)
		}
		if _, err := payload.Compile("test", schema, payload.Options{}); err != nil {
			t.Errorf("%s as an annotation: %v", format, err)
		}
	}
}
