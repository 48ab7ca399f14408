package spec

import (
	"time"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// Spec is a checked spec: every name is resolved, every expression typed. It holds no YAML.
type Spec struct {
	File        string // base name of the spec file: settings.changeset.yaml
	Stem        string // what generated files are named after: settings
	Package     string
	Server      Server
	Tools       ToolStyle
	Prefix      string // of every tool name; "" for none
	Connections []*Connection
	Resources   []*Resource // named and inline ones, in document order
	Operations  []*Operation
	Defs        []*schema.Type // the named types that the document's $defs declare, in document order
	Schemas     []Schema       // what the runtime validates with, in output order
}

// Server describes the server to people.
type Server struct{ Name, Title string }

// ToolStyle says which apply and undo tools there are.
type ToolStyle string

// The styles of tools.
const (
	PerOperation ToolStyle = "per_operation" // apply_<op> and undo_<op>
	SharedTools  ToolStyle = "shared"        // one apply_change and one undo_change
)

// Dialect is the SQL dialect of a connection.
type Dialect string

// The dialects; they decide how parameters are written.
const (
	SQLite   Dialect = "sqlite"   // ?
	Postgres Dialect = "postgres" // $1
)

// Connection is a database that a spec names; the server's configuration gives it.
type Connection struct {
	Name    string
	GoName  string // of its field in Config
	Dialect Dialect
	Pos     diag.Pos
}

// Schema is one entry of the generated schema file.
type Schema struct {
	// Name is set_setting.payload, set_setting.result or setting.state; set_setting.arguments is what clients are shown
	// where they would not take set_setting.payload.
	Name string
	JSON []byte // compact, members in the order of the spec, objects closed
}

// Resource is what operations look at.
type Resource struct {
	Name     string
	GoName   string // Setting, of type SettingState and function observeSetting
	Inline   bool   // declared inside its only operation, and named after it
	Observe  Observe
	After    *Observe       // how to look after apply; nil: as Observe does
	State    *schema.Type   // nil where nothing is observed, before or after; with Many a named Array of Objects
	Types    []*schema.Type // the named types of State, itself first; none that are in Defs
	Many     bool
	Absent   Absence
	Bind     [][]string // field paths under state; nil: all but Volatile
	Volatile [][]string
	Pos      diag.Pos
}

// Absence says what finding nothing, or something, means at preview and claim.
type Absence int

// The meanings of finding nothing or something.
const (
	AbsentRefused Absence = iota // there must be something
	AbsentAllowed                // both are fine
	ExistsRefused                // there must be nothing: a create
)

// ObserveKind is how an operation looks at its resource.
type ObserveKind int

// The ways to look.
const (
	ObserveNone ObserveKind = iota
	ObserveSQL
	ObserveGo
)

// Observe is one way to look, as a resource or an operation declares it.
type Observe struct {
	Kind       ObserveKind
	Connection *Connection // with ObserveSQL
	SQL        string      // with ObserveSQL: the text with parameters in the dialect's form
	Pos        diag.Pos
}

// BodyKind is how apply or undo is written.
type BodyKind int

// The kinds of bodies.
const (
	BodyNone BodyKind = iota // undo: none
	BodyGo
)

// InverseKind says how far an undo can be trusted.
type InverseKind string

// The kinds of inverses.
const (
	Exact        InverseKind = "exact"
	Compensating InverseKind = "compensating"
)

// Operation is one kind of change.
type Operation struct {
	Name        string
	GoName      string // SetSetting
	Title       string
	Description string
	Resource    *Resource // never nil; with ObserveNone and no State where the operation looks at nothing
	Payload     *schema.Type
	Result      *schema.Type // nil: none
	// Types are the named types of Payload and then of Result, each before those of its fields; none that are in
	// Spec.Defs or belong to the resource.
	Types       []*schema.Type
	ObserveArgs []expr.Node // the parameters of Resource.Observe, from payload
	AfterArgs   []expr.Node // the parameters of Resource.After, from payload, before and result
	Summary     *expr.Template
	Diff        []Row
	// AssertFormats makes formats count in payload, state and result; they are annotations otherwise.
	AssertFormats bool
	Prepare       BodyKind // what is done with a payload before it is looked by, shown and stored
	Apply         BodyKind
	Undo          BodyKind
	Inverse       InverseKind
	Loses         *expr.Template // what an undo cannot bring back; nil: nothing is said
	TTL           time.Duration  // 0: the guard's default
	UndoTTL       time.Duration  // 0: the guard's default
	UndoForever   bool           // undo_ttl: never
	Timeout       time.Duration  // 0: the guard's default
	Digest        string         // of the behaviour that an approval is bound to
	UndoDigest    string         // of what an undo depends on: state and undo
	Pos           diag.Pos

	Policy
}

// Row is one row of the diff.
type Row struct {
	Label           *expr.Template
	Before          expr.Node // nil: no value
	After           expr.Node
	KnownAfterApply bool
	Context         bool
	Each            *expr.Path // the list for each item of which there is a row, which sees it as item; nil: one row
	Sensitive       bool       // it shows whether its value changes, and nothing of the value
	Hidden          []string   // without Sensitive: where its values are; see [schema.Use.Hidden]
	Parts           bool       // its values are objects, shown by their members
	Pos             diag.Pos
}
