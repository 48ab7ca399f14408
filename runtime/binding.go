package runtime

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
	"github.com/changesetgen/changesetgen/runtime/internal/secret"
	"github.com/changesetgen/changesetgen/runtime/internal/tree"
)

// wholeState is the field that differs when there is a state on one side only.
const wholeState = "(whole state)"

// binding says which parts of a state an approval is bound to.
type binding struct {
	bind     [][]string // field paths; none: everything
	volatile [][]string // field paths that are never compared
	// schema tells what of a state is sensitive; nil: nothing is.
	schema *payload.Schema
}

// difference is one bound field that is not what it was. Values are canonical JSON; nil is absent.
type difference struct {
	was, now  []byte
	at        place.Path   // the steps to the field
	sensitive bool         // the values are not to be shown, and are not there
	fields    []difference // of a whole state that is there on one side only: what differs in it
	side      side         // of a field of such a state
}

func newBinding(bind, volatile []string) binding {
	return binding{bind: splitPaths(bind), volatile: splitPaths(volatile)}
}

func splitPaths(dotted []string) [][]string {
	paths := make([][]string, len(dotted))
	for i, d := range dotted {
		paths[i] = strings.Split(d, ".")
	}
	return paths
}

// everything is the binding that compares all but the volatile fields.
func (b binding) everything() binding { return binding{volatile: b.volatile, schema: b.schema} }

// compare lists the bound fields that differ between two states, in the order of their names. A field path goes
// through arrays: it means that field of every element. Both states are canonical JSON, so equal bytes are equal
// values.
func (b binding) compare(was, now []byte) ([]difference, error) {
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
	c := comparison{binding: b}
	if err := c.visit(nil, nil, stateValue(w), stateValue(n)); err != nil {
		return nil, err
	}
	hidden := &place.Set{}
	for _, pointer := range slices.Concat(secret.Find(b.schema, was).Pointers, secret.Find(b.schema, now).Pointers) {
		hidden.Add(place.At(pointer))
	}
	found := without(c.found, hidden)
	if len(found) == 1 && len(found[0].at) == 0 && (w == nil) != (n == nil) {
		fields, err := c.fields(stateValue(w), stateValue(n))
		if err != nil {
			return nil, err
		}
		found[0].fields = without(fields, hidden)
	}
	return found, nil
}

// without takes the values out of differences in what is hidden. Several in one hidden value are one.
func without(found []difference, hidden *place.Set) []difference {
	var kept []difference
	told := &place.Set{}
	for _, d := range found {
		at, isWithin := hidden.Around(d.at)
		switch {
		case isWithin && told.Touches(at):
			continue
		case isWithin:
			told.Add(at)
			d = difference{at: at, sensitive: true, side: d.side}
		case hidden.Touches(d.at):
			d = difference{at: d.at, sensitive: true, side: d.side}
		}
		kept = append(kept, d)
	}
	return kept
}

// reach says how a field path relates to what is bound.
type reach int

const (
	outside reach = iota // not bound
	partly               // something below it may be bound
	inside               // bound
)

func (b binding) reach(path []string) reach {
	if slices.ContainsFunc(b.volatile, func(v []string) bool { return hasPrefix(path, v) }) {
		return outside
	}
	if len(b.bind) == 0 {
		return inside
	}
	found := outside
	for _, bound := range b.bind {
		switch {
		case hasPrefix(path, bound):
			return inside
		case hasPrefix(bound, path):
			found = partly
		}
	}
	return found
}

func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}

// stateValue is a whole state, which is absent where it is null.
func stateValue(state any) tree.Value { return tree.Value{Tree: state, Present: state != nil} }

// comparison walks two states side by side. Names are the steps that field paths know; at has the indices too.
type comparison struct {
	binding
	found []difference
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
		c.found = append(c.found, difference{was: w, now: n, at: at})
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

// field names a field to people and agents: one at the top of the state by its name, what is deeper, or has a name that
// could be taken for more than one, by its JSON Pointer (RFC 6901) in the state. A key of a map may be as long as the
// state, and be on the way to thousands of differences, so what is long is cut, and nothing is written beforehand.
func (d difference) field() string {
	switch {
	case len(d.at) == 0:
		return wholeState
	case len(d.at) == 1 && d.at[0] != "" && !strings.ContainsAny(d.at[0], "/~("):
		return payload.CutPointer(d.at[0])
	}
	short := make(place.Path, len(d.at))
	for i, s := range d.at {
		short[i] = payload.CutPointer(s)
	}
	return payload.CutPointer(short.Pointer())
}

// fieldList names the first fields that differ, for operators. Of what is sensitive within a field it names no more than
// what that is in: its own name may be a key that somebody chose.
func fieldList(changed []difference) string {
	var names []string
	first := head(changed)
	for _, d := range first {
		if d.sensitive && len(d.at) > 1 {
			d.at = d.at[:len(d.at)-1]
		}
		if name := d.field(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if more := len(changed) - len(first); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
