package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"text/template"
)

//go:embed templates
var templates embed.FS

// perResource is how many operations look at the same resource: a server that changes a hundred things in as many ways
// knows some ten of them.
const perResource = 10

// contents is what templates of specs are filled with.
type contents struct {
	Resources  []int
	Operations []operation
}

// operation is one operation of a spec. All have the same eight fields.
type operation struct {
	Number   int
	Resource int
	Summary  string // how the sentence begins that a person reads
	AmountIs string // the description of a field
}

// operations are those of a spec of some size.
func operations(size int) contents {
	var c contents
	for i := range size {
		if i%perResource == 0 {
			c.Resources = append(c.Resources, i/perResource)
		}
		c.Operations = append(c.Operations, operation{
			Number: i, Resource: i / perResource, Summary: "Change product", AmountIs: "How many are in stock",
		})
	}
	return c
}

// write puts a spec into a file.
func (c contents) write(path, name string) (err error) {
	t, err := template.ParseFS(templates, "templates/"+name)
	if err != nil {
		return fmt.Errorf("read the template of a spec: %w", err)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := t.Execute(file, c); err != nil {
		return fmt.Errorf("fill in the template of a spec: %w", err)
	}
	return nil
}
