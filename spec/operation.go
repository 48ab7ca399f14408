package spec

import (
	"strings"
	"unicode"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/goname"
	"github.com/changesetgen/changesetgen/spec/schema"
)

func (c *checker) checkOperations() {
	for _, d := range c.declared.operations {
		c.checkName(d.node)
		op := &Operation{
			Name:        d.node.Key,
			GoName:      goname.Exported(d.node.Key),
			Title:       strings.TrimSpace(textOf(d.title)),
			Description: strings.TrimSpace(textOf(d.description)),
			Pos:         d.node.KeyPos,
		}
		if op.Title == "" {
			op.Title = sentence(op.Name)
		}
		c.checkProse(d)
		if d.node.Is(document.Map) { // or else nothing is known of it
			c.checkComplete(d)
		}
		c.checkOperation(d, op)
		c.spec.Operations = append(c.spec.Operations, op)
	}
}

// sentence is a name as words: set_setting is Set setting.
func sentence(name string) string {
	words := []rune(strings.ReplaceAll(name, "_", " "))
	if len(words) > 0 {
		words[0] = unicode.ToUpper(words[0])
	}
	return string(words)
}

// checkProse reports texts of an operation that people could not read.
func (c *checker) checkProse(d *declaredOperation) {
	c.checkLine(d.title)
	c.checkLines(d.description)
	c.checkLine(d.summary)
	c.checkLines(d.loses)
	for _, row := range d.diff {
		c.checkLine(row.label)
	}
}

// checkComplete reports the keys that an operation must have, of its own or by default. One at fault may have had them.
func (c *checker) checkComplete(d *declaredOperation) {
	if d.node.Broken {
		return
	}
	missing := func(key, hint string) {
		c.fault(d.node.KeyFault(diag.MissingKey, hint, "missing key %s", diag.Quote(key)))
	}
	for _, needed := range []struct {
		key  string
		node *document.Node
	}{{"payload", d.payload}, {"summary", d.summary}, {"apply", d.apply}, {"undo", d.undo}} {
		if needed.node == nil && d.node.Get(needed.key) == nil {
			missing(needed.key, "")
		}
	}
	switch {
	case d.node.Get("resource") != nil && d.node.Get("observe") != nil, d.resource != nil && d.inline != nil:
		c.fault(d.node.KeyFault(diag.ExclusiveKeys, "keep one of them", "'resource' excludes 'observe', 'state', 'bind' and 'volatile'"))
	case d.resource == nil && d.node.Get("resource") == nil && (d.inline == nil || d.inline.observe == nil):
		missing("resource", "or observe: none if there is nothing to look at")
	}
}

func (c *checker) checkOperation(d *declaredOperation, op *Operation) {
	r := c.resourceOf(d, op)
	op.Resource = r.Resource
	payload := c.readSchema(d.payload, op, payloadPlace(op), schema.Options{Open: d.open, Formats: d.formats, Arguments: true, Reserved: requestID})
	op.Payload = payload.Type
	op.Types = payload.Named
	var result schema.Root
	if d.result != nil {
		result = c.readSchema(d.result, op, suffixed(op.Name, "Result", "result"), schema.Options{Open: d.open, Formats: d.formats})
		op.Result = result.Type
		op.Types = append(op.Types, result.Named...)
	}
	if r.schema.JSON != nil && !r.used {
		c.spec.Schemas = append(c.spec.Schemas, r.schema)
	}
	r.used = true
	op.AssertFormats = d.formats
	if textOf(d.prepare) == wordGo {
		op.Prepare = BodyGo
	}
	c.checkTimes(d, op)
	c.checkInverse(d, op)
	c.checkExpressions(d, op, r)
	c.checkReserved(payload, op)
	c.checkPolicy(d, op, r)
	op.Digest, op.UndoDigest = digests(op, r, payload.Canonical, result.Canonical)
}

// payloadPlace is the place of a payload. Types within it are named after the operation alone.
func payloadPlace(op *Operation) schema.Place {
	place := suffixed(op.Name, "Payload", "payload")
	place.Prefix = place.Words[:1]
	return place
}

// suffixed is the place of a schema whose types are named after name and a word for what it is.
func suffixed(name, word, path string) schema.Place {
	words := []schema.Word{{Text: name}, {Text: word, Verbatim: true}}
	return schema.Place{Words: words, Prefix: words, Path: path}
}

// readSchema reads the payload or the result of an operation.
func (c *checker) readSchema(node *document.Node, op *Operation, place schema.Place, options schema.Options) schema.Root {
	if node == nil {
		return schema.Root{Type: new(schema.Type)}
	}
	root := c.schemas.Read(node, place, options)
	if root.Arguments != nil {
		c.spec.Schemas = append(c.spec.Schemas, Schema{Name: op.Name + ".arguments", JSON: root.Arguments})
	}
	if root.JSON != nil {
		c.spec.Schemas = append(c.spec.Schemas, Schema{Name: op.Name + "." + place.Path, JSON: root.JSON})
	}
	return root
}

// resourceOf is what an operation looks at: a resource with a name, one of its own, or one about which nothing is known
// where that is at fault.
func (c *checker) resourceOf(d *declaredOperation, op *Operation) *resource {
	if d.resource == nil && d.inline != nil {
		r := c.checkResource(d.inline, op.Name)
		r.Inline = true
		return r
	}
	unknown := &resource{Resource: &Resource{State: new(schema.Type)}, declared: &declaredResource{}}
	if d.resource == nil {
		return unknown
	}
	if r := c.resources[d.resource.Text]; r != nil {
		return r
	}
	hint := nearest(d.resource.Text, c.declared.resources, func(r *declaredResource) string { return r.node.Key }, "declared")
	if hint == "" {
		hint = "declare it under resources"
	}
	c.fault(d.resource.Fault(diag.UnknownResource, hint, "no resource is called %s", diag.Quote(d.resource.Text)))
	return unknown
}

// checkInverse reads how apply is carried out and taken back.
func (c *checker) checkInverse(d *declaredOperation, op *Operation) {
	op.Apply = BodyGo
	if textOf(d.undo) != wordGo {
		for _, key := range []string{"inverse", "undo_ttl", "undo_approval", "undo_needs_result"} {
			if own := d.node.Get(key); textOf(d.undo) == wordNone && own != nil {
				c.fault(own.KeyFault(diag.BadInverse, "take it out, or write undo: go", "%s is about an undo, and there is none", diag.Quote(key)))
			}
		}
		return
	}
	op.Undo = BodyGo
	op.Inverse = Exact
	if d.kind != nil {
		op.Inverse = InverseKind(d.kind.Text)
	}
}

// checkExpressions reads everything that refers to payload, state, before and result.
func (c *checker) checkExpressions(d *declaredOperation, op *Operation, r *resource) {
	shown := append(op.payloadScope(), r.stateScope(expr.State)...)
	faults := len(c.faults)
	op.Summary = c.template(d.summary, op, shown)
	if op.Undo != BodyNone {
		op.Loses = c.template(d.loses, op, shown)
	}
	op.ObserveArgs = c.arguments(r.look, op, op.payloadScope())
	for _, row := range d.diff {
		op.Diff = append(op.Diff, c.checkRow(row, op, shown))
	}
	if d.auto != nil {
		op.Diff = c.autoRows(d.auto, op, r)
	}
	if len(c.faults) == faults { // what cannot be read may be what shows a field
		c.checkShown(d, op, r)
		c.checkHidden(d, op)
		c.checkPayloadShown(d, op)
	}
	after := op.payloadScope()
	if r.Absent != ExistsRefused { // where there was nothing, a look by it would find nothing
		after = append(after, r.stateScope(expr.Before)...)
	}
	if op.Result != nil {
		after = append(after, expr.Binding{Root: expr.Result, Use: schema.Use{Type: op.Result}})
	}
	op.AfterArgs = c.arguments(r.lookAfter, op, after)
}

// payloadScope is what every expression of an operation sees.
func (op *Operation) payloadScope() expr.Scope {
	return expr.Scope{{Root: expr.Payload, Use: schema.Use{Type: op.Payload}}}
}

// arguments are the parameters of a query, as an operation gives them.
func (c *checker) arguments(q query, op *Operation, scope expr.Scope) []expr.Node {
	var all []expr.Node
	for _, span := range q.statement.Parameters {
		node, faults := expr.ReadSpan(q.node, span, scope)
		c.faultsOf(op, faults)
		all = append(all, node)
	}
	return all
}

func (c *checker) template(node *document.Node, op *Operation, scope expr.Scope) *expr.Template {
	if node == nil {
		return nil
	}
	template, faults := expr.ReadTemplate(node, scope)
	c.faultsOf(op, faults)
	return template
}

func (c *checker) expression(node *document.Node, op *Operation, scope expr.Scope) expr.Node {
	if node == nil {
		return nil
	}
	read, faults := expr.Read(node, scope)
	c.faultsOf(op, faults)
	return read
}

// faultsOf reports faults of an operation, which is named where they are in what it shares with others. One without a
// name takes nothing from defaults.
func (c *checker) faultsOf(op *Operation, faults diag.List) {
	for _, d := range faults {
		if rest, ok := strings.CutPrefix(d.Where, "defaults."); ok && op.Name != "" {
			d.Where = "operations." + op.Name + "." + rest
		} else if strings.HasPrefix(d.Where, "resources.") {
			d.Message += ", in operation " + diag.Quote(op.Name)
		}
		c.fault(d)
	}
}
