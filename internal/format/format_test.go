package format_test

import (
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/internal/format"
)

func TestFormatsThatAreTakenForOthersElsewhereHaveNoCheck(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "regex", "uri-template", "iri", "idn-hostname", "Date"} {
		if format.Check(name) != nil {
			t.Errorf("there is a check for %q", name)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, text := range []string{
		"", "2024-02-29", "08:30:06Z", "P1DT12H", "a@example.com", "www.example.com", "192.0.2.1", "::1", "/a~1b", "1#",
		"https://user@[::1]:80/a?b#c", "//", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "\xff", "é",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range format.Names() {
			if format.Check(name)(text) && strings.ContainsAny(text, "\x00\n") && name != "json-pointer" && name != "relative-json-pointer" {
				t.Errorf("%q is taken for %s", text, name)
			}
		}
	})
}
