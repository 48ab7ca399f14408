package spec

import (
	"go/build"
	"io"
	"regexp"
	"strings"
	"unicode"

	"github.com/changesetgen/changesetgen/spec/diag"
)

// fileStem is what generated files may be named after.
var fileStem = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// checkFile reports a file after which no Go files can be named: they would be overlooked, belong to one platform, or
// take the place of the spec itself.
func (c *checker) checkFile() {
	report := func(hint, format string, args ...any) {
		c.fault(c.declared.root.Fault(diag.BadFileName, hint, format, args...))
	}
	stem, generated := c.spec.Stem, c.spec.Stem+".changeset"
	switch {
	case !fileStem.MatchString(stem) || strings.ContainsFunc(c.spec.File, unicode.IsControl): // it stands in a comment
		report("rename the file, as settings.changeset.yaml", "generated files cannot be named after %s", diag.Quote(c.spec.File))
	case !builtEverywhere(generated + ".go"):
		report("rename the file, without the platform at its end", "Go would build %s for one platform only", diag.Quote(generated+".go"))
	case c.spec.File == generated+".json" || strings.HasSuffix(c.spec.File, ".go"):
		report("rename the file, as "+stem+".spec.json", "a generated file would take the place of %s", diag.Quote(c.spec.File))
	}
}

// builtEverywhere tells whether Go builds a file of that name on every platform.
func builtEverywhere(name string) bool {
	nowhere := build.Context{ // a platform that there is not, which no constraint in a name holds for
		GOOS: "none", GOARCH: "none", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil },
	}
	matches, err := nowhere.MatchFile("", name)
	return err == nil && matches
}
