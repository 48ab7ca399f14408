package cli

import (
	"slices"
	"strings"
	"testing"
)

func FuzzParseAsksForSomethingOrFails(f *testing.F) {
	for _, line := range []string{
		"", "a.yaml", "generate\na.yaml\n-o\ndir", "-o=dir\na.yaml", "--\n-a.yaml", "--help", "-version", "-", "a.yaml\n-o", "genrate\na.yaml", "diff\na.yaml", "diff", "--=x", "-o\n\na.yaml",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		c, err := parse(strings.Split(line, "\n"))
		if err != nil {
			if err.Error() == "" || len(c.specs) > 0 {
				t.Errorf("parse() = %+v, %q", c, err)
			}
			return
		}
		if (c.action == generateFiles || c.action == diffFiles) && (len(c.specs) == 0 || slices.Contains(c.specs, "")) {
			t.Errorf("parse() = %+v, which names no spec", c)
		}
	})
}
