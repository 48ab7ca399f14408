package spec

import (
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/goname"
	"github.com/changesetgen/changesetgen/spec/schema"
	"github.com/changesetgen/changesetgen/spec/sqltext"
)

// resource is a checked resource with what its operations need to check their part of it.
type resource struct {
	*Resource
	declared  *declaredResource
	look      query // of Observe
	lookAfter query // of After
	canonical string
	schema    Schema
	used      bool
}

// query is the SQL of a look.
type query struct {
	node      *document.Node // nil without SQL
	statement sqltext.Statement
}

func (c *checker) checkResources() {
	for _, d := range c.declared.resources {
		c.checkName(d.node)
		r := c.checkResource(d, d.node.Key)
		c.resources[r.Name] = r
	}
}

// checkUnused reports resources that no operation uses: the parameters of their queries are typed by the payloads of
// operations. An operation of which too little is known could use any.
func (c *checker) checkUnused() {
	unknown := func(d *declaredOperation) bool {
		return !d.node.Is(document.Map) || d.node.Get("resource") != nil && d.resource == nil
	}
	if slices.ContainsFunc(c.declared.operations, unknown) {
		return
	}
	for _, d := range c.declared.resources {
		if !c.resources[d.node.Key].used {
			c.fault(d.node.KeyFault(diag.UnusedResource, "name it in an operation, or take it out", "no operation uses resource %s", diag.Quote(d.node.Key)))
		}
	}
}

// checkResource checks a resource called name, or that of the operation called name.
func (c *checker) checkResource(d *declaredResource, name string) *resource {
	r := &resource{declared: d, Resource: &Resource{Name: name, GoName: goname.Exported(name), Pos: d.node.KeyPos}}
	c.spec.Resources = append(c.spec.Resources, r.Resource)
	if d.observe != nil {
		r.Observe, r.look = c.checkObserve(d.observe, nil)
		r.Many = textOf(d.observe.many) == wordList
		r.Absent = c.checkAbsence(d.observe)
		if d.observe.after != nil {
			after, query := c.checkObserve(d.observe.after, r.Observe.Connection)
			r.After, r.lookAfter = &after, query
		}
	}
	c.checkState(r)
	c.checkBindings(r)
	return r
}

// checkState reads the state, which is there exactly when something is looked at.
func (c *checker) checkState(r *resource) {
	d := r.declared
	known := d.observe != nil && d.observe.ways() == 1 // or else it is reported
	looks := known && (!d.observe.none || d.observe.after != nil)
	switch {
	case !known:
		r.State = new(schema.Type)
	case d.state == nil && looks:
		c.fault(d.observe.node.KeyFault(diag.StateMismatch, "write state: and the schema of what observe gives", "what is observed has no 'state'"))
		r.State = new(schema.Type)
	case d.state != nil && !looks:
		c.fault(d.state.KeyFault(diag.StateMismatch, "take it out", "a state that nothing observes"))
	}
	if d.state == nil {
		return
	}
	options := schema.Options{Open: d.open, Formats: d.formats, Columns: r.queries()}
	if r.Many {
		options.Shape = schema.ListOfObjects
	}
	root := c.schemas.Read(d.state, suffixed(r.Name, "State", "state"), options)
	r.State, r.Types, r.canonical = root.Type, root.Named, root.Canonical
	r.schema = Schema{Name: r.Name + ".state", JSON: root.JSON}
}

// queries tells whether a query gives the state, before or after apply.
func (r *resource) queries() bool {
	return r.Observe.Kind == ObserveSQL || r.After != nil && r.After.Kind == ObserveSQL
}

// stateScope is the state as expressions see it: nothing where nothing is looked at before apply.
func (r *resource) stateScope(root expr.Root) expr.Scope {
	if r.State == nil || r.declared.observe != nil && r.declared.observe.none {
		return nil
	}
	return expr.Scope{{Root: root, Use: schema.Use{Type: r.State}, MayBeAbsent: r.Absent != AbsentRefused}}
}

// checkBindings reads bind and volatile, which name different fields of the state.
func (c *checker) checkBindings(r *resource) {
	bind, volatile := r.declared.bind, r.declared.volatile
	if r.declared.state == nil {
		for _, node := range slices.Concat(bind, volatile) {
			c.fault(node.Fault(diag.BadBinding, "take it out", "there is no state to name fields of"))
		}
		return
	}
	r.Bind = c.checkPaths(r, bind, nil)
	r.Volatile = c.checkPaths(r, volatile, r.Bind)
	if r.Bind == nil && r.State.Kind == schema.Object && len(r.State.Fields) > 0 && r.State.Others == nil && allVolatile(r) {
		c.fault(volatile[0].Fault(diag.BadBinding, "leave out what may not change", "every field of the state is volatile, so that nothing is bound"))
	}
}

func allVolatile(r *resource) bool {
	return !slices.ContainsFunc(r.State.Fields, func(field *schema.Field) bool {
		return !slices.ContainsFunc(r.Volatile, func(path []string) bool { return len(path) == 1 && path[0] == field.Name })
	})
}

// checkPaths reads paths under the state that meet neither each other nor those in taken.
func (c *checker) checkPaths(r *resource, nodes []*document.Node, taken [][]string) [][]string {
	scope := expr.Scope{{Root: expr.State, Use: schema.Use{Type: r.State}}}
	var paths [][]string
	for _, node := range nodes {
		read, faults := expr.Read(node, scope)
		c.faults = append(c.faults, faults...)
		if read == nil {
			continue
		}
		names := strings.Split(strings.TrimSpace(node.Text), ".")[1:] // a path ends early in a schema that is at fault
		if len(names) == 0 {
			c.fault(node.Fault(diag.BadBinding, "write state.x", "name a field of the state"))
			continue
		}
		all := slices.Concat(taken, paths)
		if i := slices.IndexFunc(all, func(other []string) bool { return meet(names, other) }); i >= 0 {
			c.fault(node.Fault(diag.BadBinding, "name each field once, in bind or in volatile", "%s", overlap(names, all[i])))
			continue
		}
		paths = append(paths, names)
	}
	return paths
}

// overlap says how a path under the state meets another that came before.
func overlap(names, other []string) string {
	path, named := dotted(names), dotted(other)
	switch {
	case len(names) > len(other):
		return path + " is a part of " + named + ", which is named already"
	case len(names) < len(other):
		return path + " holds " + named + ", which is named already"
	default:
		return path + " is named already"
	}
}

func dotted(names []string) string {
	return diag.Quote(string(expr.State) + "." + strings.Join(names, "."))
}

// meet tells whether one path leads to or into the other.
func meet(a, b []string) bool {
	shared := min(len(a), len(b))
	return slices.Equal(a[:shared], b[:shared])
}
