package generator

import (
	"fmt"
	"go/build"
	"io"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// declaration is one Go name of the package, or of the Operations interface, and what it is declared for.
type declaration struct {
	name string
	what string
	pos  diag.Pos
}

// checkNames reports two declarations of one name. The spec's reader sees to the names of types; those of functions are
// known here only.
func checkNames(m *model) error {
	seen := map[string]declaration{}
	for _, d := range declarations(m) {
		if first, twice := seen[d.name]; twice {
			return fmt.Errorf("%sthe Go name %s of %s is also that of %s: rename one of them", d.pos, d.name, d.what, first.what)
		}
		seen[d.name] = d
	}
	return nil
}

// declarations are all names that the generated package declares. A method of Operations has the interface's name
// before its own, as it does not meet the others.
func declarations(m *model) []declaration {
	var all []declaration
	add := func(what string, pos diag.Pos, names ...string) {
		for _, name := range names {
			if name != "" && !strings.HasSuffix(name, ".") {
				all = append(all, declaration{name, what, pos})
			}
		}
	}
	types := func(what string, types []*schema.Type) {
		for _, t := range types {
			add(what, t.Pos, t.GoName)
			for _, v := range t.Values {
				add(what, t.Pos, v.GoName)
			}
		}
	}
	add("every spec", diag.Pos{File: m.File}, operationsName, configName, registerName, specName, schemasName)
	for _, r := range m.resources {
		add("resource "+r.Name, r.Pos, r.columns, r.observe)
		if r.queriesAfter() {
			add("resource "+r.Name, r.Pos, r.after)
		}
		types("resource "+r.Name, r.Types)
	}
	for _, op := range m.operations {
		what, method := "operation "+op.Name, operationsName+"."
		add(what, op.Pos, op.build, op.change, op.applied, method+op.observeMethod,
			method+op.observeAfterMethod, method+op.applyMethod, method+op.undoMethod)
		types(what, op.Types)
	}
	types("$defs", m.Defs)
	return all
}

// checkFileName reports a name under which Go would overlook a file, or build it for one platform only, and one that
// cannot be embedded.
func checkFileName(name string) error {
	const notEmbeddable = "\"*<>?`'|/\\:[] "
	ignoring := build.Context{ // of no platform, so any constraint in the name is one that does not hold
		GOOS: "none", GOARCH: "none", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil },
	}
	built, err := ignoring.MatchFile("", name)
	if err != nil || !built || strings.ContainsAny(name, notEmbeddable) {
		return fmt.Errorf("a Go file cannot be called %q (such a name is overlooked, is tied to a platform, or cannot be embedded): rename the spec, to letters, digits and dashes", name)
	}
	return nil
}
