package state

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
	"github.com/changesetgen/changesetgen/runtime/internal/secret"
	"github.com/changesetgen/changesetgen/runtime/internal/tree"
)

// Compare lists the bound fields that differ between two states, in the order of their names. A field path goes
// through arrays: it means that field of every element. Both states are canonical JSON, so equal bytes are equal
// values.
func (b Binding) Compare(was, now []byte) ([]Difference, error) {
	if bytes.Equal(was, now) {
		return nil, nil
	}
	w, err := exact.Tree(was)
	if err != nil {
		return nil, fmt.Errorf("the earlier state: %w", err)
	}
	n, err := exact.Tree(now)
	if err != nil {
		return nil, fmt.Errorf("the later state: %w", err)
	}
	c := comparison{Binding: b}
	if err := c.visit(nil, nil, stateValue(w), stateValue(n)); err != nil {
		return nil, err
	}
	hidden := &place.Set{}
	for _, pointer := range slices.Concat(secret.Find(b.schema, was).Pointers, secret.Find(b.schema, now).Pointers) {
		hidden.Add(place.At(pointer))
	}
	found := Without(c.found, hidden)
	if len(found) == 1 && len(found[0].At) == 0 && (w == nil) != (n == nil) {
		fields, err := c.fields(stateValue(w), stateValue(n))
		if err != nil {
			return nil, err
		}
		found[0].fields = Without(fields, hidden)
	}
	return found, nil
}

// stateValue is a whole state, which is absent where it is null.
func stateValue(state any) tree.Value { return tree.Value{Tree: state, Present: state != nil} }

// comparison walks two states side by side. Names are the steps that field paths know; at has the indices too.
type comparison struct {
	Binding
	found []Difference
}

func (c *comparison) visit(names, at place.Path, was, now tree.Value) error {
	if c.reach(names) == outside {
		return nil
	}
	if was.IsObject() && now.IsObject() {
		for _, name := range tree.Names(was, now) {
			if err := c.visit(names.Below(name), at.Below(name), was.Member(name), now.Member(name)); err != nil {
				return err
			}
		}
		return nil
	}
	if was.IsArray() && now.IsArray() && was.Items() == now.Items() {
		for i := range was.Items() {
			if err := c.visit(names, at.Below(strconv.Itoa(i)), was.Item(i), now.Item(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return c.leaf(names, at, was, now)
}

// leaf compares what cannot be taken further apart.
func (c *comparison) leaf(names, at place.Path, was, now tree.Value) error {
	w, err := c.bound(names, was)
	if err != nil {
		return err
	}
	n, err := c.bound(names, now)
	if err != nil {
		return err
	}
	if !bytes.Equal(w, n) {
		c.found = append(c.found, Difference{Was: w, Now: n, At: at})
	}
	return nil
}

// bound is the canonical JSON of what is bound of v; nil when it is absent.
func (c *comparison) bound(names place.Path, v tree.Value) ([]byte, error) {
	if !v.Present {
		return nil, nil
	}
	return exact.FromTree(c.project(names, v.Tree))
}

// project copies of a tree what is bound.
func (c *comparison) project(names place.Path, tree any) any {
	switch t := tree.(type) {
	case map[string]any:
		kept := make(map[string]any, len(t))
		for name, member := range t {
			if below := names.Below(name); c.reach(below) != outside {
				kept[name] = c.project(below, member)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(t))
		for i, row := range t {
			kept[i] = c.project(names, row)
		}
		return kept
	}
	return tree
}

// fields are the differences in each bound field of a state that is there on one side only, nil where it has none. They
// only tell more of the difference in the whole state, which stays what is counted: a field that the state has not got is
// in it too.
func (c *comparison) fields(was, now tree.Value) ([]Difference, error) {
	here, only := was, onlyBefore
	if now.Present {
		here, only = now, onlyNow
	}
	var found []Difference
	for _, name := range tree.Names(here, tree.Value{}) {
		if c.reach(place.Path{name}) == outside {
			continue
		}
		d := Difference{At: place.Path{name}, side: only}
		var err error
		if d.Was, err = c.bound(d.At, was.Member(name)); err == nil {
			d.Now, err = c.bound(d.At, now.Member(name))
		}
		if err != nil {
			return nil, err
		}
		found = append(found, d)
	}
	return found, nil
}
