package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"
)

// File is one Go file.
type File struct {
	Header  string   // the line above everything else, without slashes
	Doc     string   // of the package; "" for none
	Package string   // its name
	Blank   []string // paths of packages that are imported for their effect
	Decls   []Decl   // in output order, a blank line between them
}

// Render prints the file, formatted as gofmt does, with the imports that its declarations use. It fails if the result
// is not a Go file, or if an expression of it is Bad.
func (f *File) Render() ([]byte, error) {
	u := &uses{blank: f.Blank, named: map[Package]bool{}}
	decls := make([]*jen.Statement, len(f.Decls))
	for i, d := range f.Decls {
		decls[i] = d.build(u)
	}
	if u.err != nil {
		return nil, u.err
	}
	file := jen.NewFile(f.Package)
	file.NoFormat = true // go/format is called below: the library's error would quote the whole file
	file.HeaderComment(lineComment(f.Header))
	if f.Doc != "" {
		for _, line := range docLines([]string{f.Doc}) {
			file.PackageComment(line)
		}
	}
	file.Add(u.imports())
	for _, d := range decls {
		file.Line()
		file.Add(d)
	}
	var source bytes.Buffer
	if err := file.Render(&source); err != nil {
		return nil, fmt.Errorf("print a Go file: %w", err)
	}
	formatted, err := format.Source(source.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the generated code is not Go: %w", err)
	}
	return formatted, nil
}

// Package is a package that generated code refers to.
type Package struct{ Path, Name string }

// Dot is a name that the package exports.
func (p Package) Dot(name string) Expr {
	return Expr{
		width: len(p.Name) + len(".") + len(name),
		build: func(u *uses) *jen.Statement {
			u.named[p] = true
			return jen.Id(p.Name).Dot(name)
		},
	}
}

// uses gathers what the declarations of one file need, while they are built.
type uses struct {
	blank []string
	named map[Package]bool
	err   error // the first Bad expression
}

// imports is the import declaration: the standard library, then all others, each sorted by path.
func (u *uses) imports() *jen.Statement {
	specs := map[string]string{}
	for _, path := range u.blank {
		specs[path] = "_ " + strconv.Quote(path)
	}
	for p := range u.named {
		specs[p.Path] = strconv.Quote(p.Path)
	}
	var standard, others []jen.Code
	for _, path := range slices.Sorted(maps.Keys(specs)) {
		if isStandard(path) {
			standard = append(standard, jen.Op(specs[path]))
		} else {
			others = append(others, jen.Op(specs[path]))
		}
	}
	lines := standard
	if len(standard) > 0 && len(others) > 0 {
		lines = append(lines, jen.Empty())
	}
	lines = append(lines, others...)
	switch len(lines) {
	case 0:
		return jen.Null()
	case 1:
		return jen.Id("import").Add(lines[0])
	}
	return jen.Id("import").Custom(jen.Options{Open: "(", Close: ")", Multi: true}, lines...)
}

// isStandard says whether a path is one of the standard library: those have no dot in their first element.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
