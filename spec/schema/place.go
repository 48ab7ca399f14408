package schema

import "github.com/changesetgen/changesetgen/spec/goname"

// Place is where a schema stands, which is what its types are named after.
type Place struct {
	GoName string // of the type itself, where it has one
	Prefix string // of the names of types within it
	Path   string // payload, $defs.Money
}

// property is the place of a property's schema.
func (p Place) property(name string) Place { return p.inner(goname.Exported(name), "."+name) }

// item is the place of the schema of an array's items.
func (p Place) item() Place { return p.inner("Item", "[]") }

func (p Place) inner(goName, path string) Place {
	return Place{GoName: p.Prefix + goName, Prefix: p.Prefix + goName, Path: p.Path + path}
}

// definition is the place of a schema in $defs, whose types have bare names.
func definition(path, name string) Place {
	goName := goname.Exported(name)
	return Place{GoName: goName, Prefix: goName, Path: path + "." + name}
}
