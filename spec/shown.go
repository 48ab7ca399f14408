package spec

import (
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// checkShown reports what a person is shown of the state although an approval is not bound to it: it could change after
// the preview, and the change would run all the same over something that nobody saw. Rows of context may show it, as
// they say nothing about what changes.
func (c *checker) checkShown(d *declaredOperation, op *Operation, r *resource) {
	c.checkShownText(d.summary, op.Summary, op, r)
	c.checkShownText(d.loses, op.Loses, op, r)
	for i, row := range op.Diff {
		if row.Context {
			continue
		}
		c.checkShownText(d.diff[i].label, row.Label, op, r)
		c.checkShownValue(d.diff[i].before, row.Before, op, r)
		c.checkShownValue(d.diff[i].after, row.After, op, r)
	}
}

func (c *checker) checkShownText(node *document.Node, text *expr.Template, op *Operation, r *resource) {
	for _, value := range text.Nodes() {
		c.checkShownValue(node, value, op, r)
	}
}

func (c *checker) checkShownValue(node *document.Node, value expr.Node, op *Operation, r *resource) {
	path, ok := value.(*expr.Path)
	if !ok || path.Root != expr.State || path.Type().Use.Type.Kind == schema.Invalid || r.binds(path) {
		return
	}
	d := node.Fault(diag.UnboundShown, "add it to bind, take it out of volatile, or show it in a row with context: true",
		"%s is shown, but may change before apply without being noticed", diag.Quote(path.String()))
	d.Pos = path.Pos()
	c.faultsOf(op, diag.List{d})
}

// binds tells whether an approval is bound to all that a path under the state leads to.
func (r *resource) binds(path *expr.Path) bool {
	names := path.Names()
	if r.Bind == nil {
		return !slices.ContainsFunc(r.Volatile, func(volatile []string) bool { return meet(names, volatile) })
	}
	return slices.ContainsFunc(r.Bind, func(bound []string) bool { return len(bound) <= len(names) && meet(names, bound) })
}

// checkPayloadShown reports fields of the payload that nobody sees: an approval would cover what was never shown.
func (c *checker) checkPayloadShown(op *Operation) {
	var shown [][]string
	for _, node := range op.shows() {
		if path, ok := node.(*expr.Path); ok && path.Root == expr.Payload {
			shown = append(shown, path.Names())
		}
	}
	c.checkFieldsShown(op, op.Payload, nil, shown)
}

// checkFieldsShown goes down to the fields of which some are shown. Null in the place of an object, and members that have
// no field, are shown only by a path to the object itself. So is an object that contains itself, which has no end, but for
// the part of it that paths go into, and one that may be left out, but where something shown tells that it is there.
func (c *checker) checkFieldsShown(op *Operation, of *schema.Type, above []string, shown [][]string, within ...*schema.Type) {
	if isShown(above, shown) {
		return
	}
	if of.Others != nil {
		c.faultUnshown(op, of.Pos, "a member of "+quotePath(above)+" that has no name here", above)
	}
	within = append(slices.Clip(within), of)
	for _, field := range of.Fields {
		names := append(slices.Clone(above), field.Name)
		t := field.Use.Type
		switch {
		case isShown(names, shown):
		case t.Kind != schema.Object || field.Use.Nullable || slices.Contains(within, t) && !goesInto(names, shown):
			c.faultUnshown(op, field.Pos, quotePath(names), names)
		case field.Required || tellsPresence(t, names, shown):
			c.checkFieldsShown(op, t, names, shown, within...)
		case goesInto(names, shown):
			c.faultUnshown(op, field.Pos, "whether "+quotePath(names)+" is there, empty or not at all,", names)
		default:
			c.faultUnshown(op, field.Pos, quotePath(names), names)
		}
	}
}

// tellsPresence tells whether a path leads to what an object that is not nullable always has, so that its value is there
// exactly if the object is.
func tellsPresence(of *schema.Type, above []string, shown [][]string) bool {
	return slices.ContainsFunc(of.Fields, func(field *schema.Field) bool {
		names := append(slices.Clone(above), field.Name)
		if !field.Required || field.Use.Nullable {
			return false
		}
		t := field.Use.Type
		return t.Kind != schema.Raw && isShown(names, shown) || t.Kind == schema.Object && goesInto(names, shown) && tellsPresence(t, names, shown)
	})
}

// isShown tells whether a path leads to a value, or to what holds it.
func isShown(names []string, shown [][]string) bool {
	return slices.ContainsFunc(shown, func(path []string) bool { return len(path) <= len(names) && meet(path, names) })
}

// goesInto tells whether a path leads to a part of a value.
func goesInto(names []string, shown [][]string) bool {
	return slices.ContainsFunc(shown, func(path []string) bool { return len(path) > len(names) && meet(path, names) })
}

func (c *checker) faultUnshown(op *Operation, pos diag.Pos, what string, names []string) {
	hint := "write a row of the diff with after: " + showing(names)
	if isCertain(op.Payload, names) {
		hint += ", or name it in the summary"
	} else if op.names(names) {
		hint += "; in a text, none, null and the string (none) look alike"
	}
	c.fault(diag.Diagnostic{
		Pos: pos, Where: "operations." + op.Name + ".payload", Code: diag.UnshownPayload,
		Message: what + " is never shown to the person who approves",
		Hint:    hint,
	})
}

func quotePath(names []string) string {
	return diag.Quote(strings.Join(append([]string{string(expr.Payload)}, names...), "."))
}

// showing is the shortest path that shows a field: what holds it, if its name cannot stand in a path.
func showing(names []string) string {
	path := string(expr.Payload)
	for _, name := range names {
		if !expr.IsName(name) {
			return path
		}
		path += "." + name
	}
	return path
}

// isCertain tells whether what names lead to, or what holds it, is always there in a value and never null.
func isCertain(of *schema.Type, names []string) bool {
	for _, name := range names {
		i := slices.IndexFunc(of.Fields, func(field *schema.Field) bool { return field.Name == name })
		if i < 0 {
			return true
		}
		if field := of.Fields[i]; !field.Required || field.Use.Nullable {
			return false
		}
		of = of.Fields[i].Use.Type
	}
	return true
}

// shows are the expressions whose values every preview shows. A row that may be missing shows for certain only the value
// that it is missing with.
func (op *Operation) shows() []expr.Node {
	nodes := textShows(op.Summary)
	for _, row := range op.Diff {
		nodes = append(nodes, row.After)
		if !row.SkipsAbsent() {
			nodes = append(append(nodes, textShows(row.Label)...), row.Before)
		}
	}
	return nodes
}

// textShows are the expressions whose values a text shows: those that are always there and never null. It has the same
// word for what is absent and what is null, and a string may be that word.
func textShows(text *expr.Template) []expr.Node {
	return slices.DeleteFunc(text.Nodes(), func(node expr.Node) bool {
		path, ok := node.(*expr.Path)
		return ok && (path.Of.MayBeAbsent || path.Of.Nullable)
	})
}

// names tells whether a text of the operation has what names lead to.
func (op *Operation) names(names []string) bool {
	nodes := op.Summary.Nodes()
	for _, row := range op.Diff {
		nodes = append(nodes, row.Label.Nodes()...)
	}
	return slices.ContainsFunc(nodes, func(node expr.Node) bool {
		path, ok := node.(*expr.Path)
		return ok && path.Root == expr.Payload && slices.Equal(path.Names(), names)
	})
}

// SkipsAbsent tells whether there is no row where After is absent: it is a value that a call may leave out of the
// payload, which asks for nothing.
func (r Row) SkipsAbsent() bool {
	path, ok := r.After.(*expr.Path)
	return ok && path.Root == expr.Payload && path.Type().MayBeAbsent
}
