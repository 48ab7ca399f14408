package spec

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// Read checks src, the content of the file that the user named name. On any fault the Spec is nil, and the list says
// all of them in the order of the file.
//
// It goes from one form to the next, and no later one sees what an earlier one is made of: the file becomes a tree with
// places, which is held against the language's own schema, taken apart into the declarations it holds, and checked into
// a Spec.
func Read(name string, src []byte) (*Spec, diag.List) {
	tree, faults := document.Read(name, src)
	if tree == nil {
		return nil, faults
	}
	form := make(chan diag.List, 1)
	go func() { form <- language().Check(tree) }() // beside the rest, as it takes about as long; both only read the tree
	c := check(name, decode(tree))
	faults = slices.Concat(faults, <-form, c.faults)
	if len(faults) == 0 {
		faults = c.suspects()
	}
	if len(faults) > 0 {
		faults.Sort()
		return nil, faults
	}
	return c.spec, nil
}
