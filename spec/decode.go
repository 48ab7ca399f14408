package spec

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/document"
)

// declared is a document taken apart. What is missing or of the wrong kind is nil or empty: the language's schema has
// said so already. Nodes are text unless they say otherwise.
type declared struct {
	root        *document.Node // the whole, for its place
	pkg         *document.Node
	name, title *document.Node // of the server
	tools       *document.Node
	prefix      *document.Node
	defs        *document.Node // a map of schemas
	connections []declaredConnection
	resources   []*declaredResource
	operations  []*declaredOperation
	unused      *declaredOperation // of the defaults, what no operation takes
}

type declaredConnection struct {
	node    *document.Node
	dialect *document.Node
}

// declaredResource is a resource with a name, or one that an operation declares for itself.
type declaredResource struct {
	node     *document.Node // of the resource or the operation
	observe  *declaredObserve
	state    *document.Node // a schema
	bind     []*document.Node
	volatile []*document.Node
	open     bool // with the operation that declares it
	formats  bool // are asserted, by the operation that declares it or one that names it
}

// declaredObserve is one way to look.
type declaredObserve struct {
	node                 *document.Node
	db, sql              *document.Node
	goes, none           bool // observe: go, observe: none
	absent, exists, many *document.Node
	after                *declaredObserve // nil: none
}

type declaredOperation struct {
	node               *document.Node
	title, description *document.Node
	payload, result    *document.Node // schemas
	resource           *document.Node
	inline             *declaredResource // nil if resource names one
	summary            *document.Node
	diff               []*declaredRow
	auto               *document.Node // diff: auto, the only text that it may be; nil if there are rows
	apply, undo        *document.Node
	inverse            *document.Node // a map
	kind, loses        *document.Node // of the inverse
	ttl, undoTTL       *document.Node
	timeout            *document.Node
	open               bool // its objects are not closed
	formats            bool // are asserted
	prepare            *document.Node
	policy             declaredPolicy
}

type declaredRow struct {
	node            *document.Node
	each            *document.Node
	label           *document.Node
	before, after   *document.Node
	knownAfterApply bool
	context         bool
}

func decode(tree *document.Node) *declared {
	d := &declared{
		root: tree, pkg: text(tree.Get("package")),
		name: text(tree.Get("server").Get("name")), title: text(tree.Get("server").Get("title")),
		tools: text(tree.Get("tools")), prefix: text(tree.Get("prefix")), defs: tree.Get("$defs"),
	}
	for _, node := range members(tree.Get("connections")) {
		d.connections = append(d.connections, declaredConnection{node, text(node.Get("sql"))})
	}
	for _, node := range members(tree.Get("resources")) {
		d.resources = append(d.resources, decodeResource(node, node.Get))
	}
	defaults := tree.Get("defaults")
	unused := &document.Node{Kind: document.Map, Children: slices.Clone(members(defaults))}
	for _, node := range members(tree.Get("operations")) {
		d.operations = append(d.operations, decodeOperation(node, defaults))
		unused.Children = slices.DeleteFunc(unused.Children, func(key *document.Node) bool { return inherits(node, key.Key) })
	}
	d.unused = decodeOperation(unused, nil)
	d.assertFormats()
	return d
}

// assertFormats lets the formats of a resource count where an operation that names it wants that.
func (d *declared) assertFormats() {
	for _, op := range d.operations {
		for _, r := range d.resources {
			if op.formats && op.resource != nil && r.node.Key == op.resource.Text {
				r.formats = true
			}
		}
	}
}

func decodeResource(node *document.Node, get func(string) *document.Node) *declaredResource {
	return &declaredResource{
		node:     node,
		observe:  decodeObserve(get("observe")),
		state:    get("state"),
		bind:     texts(get("bind")),
		volatile: texts(get("volatile")),
		open:     isTrue(get("open")),
		formats:  isTrue(get("assert_formats")),
	}
}

func decodeObserve(node *document.Node) *declaredObserve {
	switch {
	case node == nil:
		return nil
	case node.Is(document.Text):
		return &declaredObserve{node: node, goes: node.Text == wordGo, none: node.Text == wordNone}
	}
	return &declaredObserve{
		node: node, db: text(node.Get("db")), sql: text(node.Get("sql")),
		goes: isTrue(node.Get("go")), none: isTrue(node.Get("none")),
		absent: text(node.Get("absent")), exists: text(node.Get("exists")), many: text(node.Get("many")),
		after: decodeObserve(node.Get("after")),
	}
}

// inlineKeys are the keys of a resource that an operation declares for itself.
var inlineKeys = []string{"observe", "state", "bind", "volatile"}

// inherits tells whether an operation takes the default for a key. A resource and the keys that declare one are
// alternatives, so that having one keeps the defaults of the other out. One that looks at nothing is complete without a
// state, so that there is nothing to take either.
func inherits(operation *document.Node, key string) bool {
	inline := slices.ContainsFunc(inlineKeys, func(key string) bool { return operation.Get(key) != nil })
	complete := operation.Get("resource") != nil || decodeObserve(operation.Get("observe")).isNothing()
	excluded := key == "resource" && inline || slices.Contains(inlineKeys, key) && complete
	return operation.Get(key) == nil && !excluded
}

// isNothing tells whether nothing is looked at, before or after apply.
func (d *declaredObserve) isNothing() bool { return d != nil && d.none && d.after == nil }

// decodeOperation takes an operation apart, with the defaults for the keys that it does not have.
func decodeOperation(node, defaults *document.Node) *declaredOperation {
	get := func(key string) *document.Node {
		if inherits(node, key) {
			return defaults.Get(key)
		}
		return node.Get(key)
	}
	op := &declaredOperation{
		node: node, title: text(get("title")), description: text(get("description")),
		payload: get("payload"), result: get("result"), resource: text(get("resource")),
		summary: text(get("summary")), apply: text(get("apply")), undo: text(get("undo")),
		inverse: get("inverse"), kind: text(get("inverse").Get("kind")), loses: text(get("inverse").Get("loses")),
		ttl: text(get("ttl")), undoTTL: text(get("undo_ttl")), timeout: text(get("timeout")),
		open: isTrue(get("open")), formats: isTrue(get("assert_formats")), prepare: text(get("prepare")),
		auto: text(get("diff")), policy: decodePolicy(get),
	}
	if slices.ContainsFunc(inlineKeys, func(key string) bool { return get(key) != nil }) {
		op.inline = decodeResource(node, get)
	}
	for _, row := range items(get("diff")) {
		op.diff = append(op.diff, &declaredRow{
			node: row, each: text(row.Get("each")), label: text(row.Get("label")), before: text(row.Get("before")), after: text(row.Get("after")),
			knownAfterApply: isTrue(row.Get("known_after_apply")), context: isTrue(row.Get("context")),
		})
	}
	return op
}

// row is what the row of that number of the diff is declared by; one of an auto, by that.
func (d *declaredOperation) row(i int) *declaredRow {
	if d.auto != nil {
		return &declaredRow{node: d.auto, each: d.auto, label: d.auto, before: d.auto, after: d.auto}
	}
	return d.diff[i]
}

func text(node *document.Node) *document.Node {
	if node.Is(document.Text) {
		return node
	}
	return nil
}

func texts(list *document.Node) []*document.Node {
	var all []*document.Node
	for _, item := range items(list) {
		if item.Is(document.Text) {
			all = append(all, item)
		}
	}
	return all
}

func isTrue(node *document.Node) bool { return node.Is(document.Boolean) && node.Text == "true" }

func members(node *document.Node) []*document.Node {
	if node.Is(document.Map) {
		return node.Children
	}
	return nil
}

func items(node *document.Node) []*document.Node {
	if node.Is(document.List) {
		return node.Children
	}
	return nil
}
