package spec

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/sqltext"
)

// checkObserve checks one way to look. SQL without a db of its own runs on inherited, if there is one.
func (c *checker) checkObserve(d *declaredObserve, inherited *Connection) (Observe, query) {
	observe := Observe{Pos: d.node.Pos}
	if !c.checkWay(d) {
		return observe, query{}
	}
	c.checkLookKeys(d)
	switch {
	case d.goes:
		observe.Kind = ObserveGo
	case d.sql != nil:
		observe.Kind = ObserveSQL
		observe.Connection = c.connection(d, inherited)
		return c.checkSQL(d.sql, observe)
	}
	return observe, query{}
}

// ways counts the ways to look that are declared; there must be one.
func (d *declaredObserve) ways() int {
	count := 0
	for _, declared := range []bool{d.sql != nil, d.goes, d.none} {
		if declared {
			count++
		}
	}
	return count
}

// checkWay tells whether there is one way to look, and reports if not, but for what the language's schema has said.
func (c *checker) checkWay(d *declaredObserve) bool {
	tried := slices.ContainsFunc([]string{"sql", "go", "none"}, func(key string) bool { return d.node.Get(key) != nil })
	switch ways := d.ways(); {
	case ways == 1:
		return true
	case ways > 1:
		c.fault(d.node.KeyFault(diag.ExclusiveKeys, "keep one of them", "'sql', 'go' and 'none' exclude each other"))
	case d.node.Is(document.Map) && !tried:
		c.fault(d.node.KeyFault(diag.MissingKey, "write sql: and a SELECT, or go: true", "no way to look"))
	}
	return false
}

// checkLookKeys reports keys that mean nothing for a way to look.
func (c *checker) checkLookKeys(d *declaredObserve) {
	if d.db != nil && d.sql == nil {
		c.fault(d.db.KeyFault(diag.ExclusiveKeys, "take it out", "'db' is for 'sql'"))
	}
	for _, found := range []*document.Node{d.absent, d.exists} {
		if d.none && found != nil {
			c.fault(found.KeyFault(diag.AbsenceConflict, "take it out", "nothing is looked at, so that nothing can be found"))
		}
	}
}

// connection is the one that SQL runs on; nil if it is not known, which is then reported.
func (c *checker) connection(d *declaredObserve, inherited *Connection) *Connection {
	if d.db == nil {
		if inherited == nil && d.node.Get("db") == nil {
			c.fault(d.node.KeyFault(diag.MissingKey, "name a connection", "missing key 'db'"))
		}
		return inherited
	}
	found := c.connections[d.db.Text]
	if found == nil {
		hint := nearest(d.db.Text, c.spec.Connections, func(c *Connection) string { return c.Name }, "declared")
		if hint == "" {
			hint = "declare it under connections"
		}
		c.fault(d.db.Fault(diag.UnknownConnection, hint, "no connection is called %s", diag.Quote(d.db.Text)))
	}
	return found
}

// dialects are how SQL is read for each dialect of connections.
var dialects = map[Dialect]sqltext.Dialect{SQLite: sqltext.SQLite, Postgres: sqltext.Postgres}

// checkSQL reads the statement of a look. Without a connection its dialect is not known, and nothing is said about it.
func (c *checker) checkSQL(node *document.Node, observe Observe) (Observe, query) {
	c.checkCode(node)
	c.faults = append(c.faults, expr.CheckBlock(node)...)
	if observe.Connection == nil || node.Broken || node.Folded() {
		return observe, query{}
	}
	dialect, ok := dialects[observe.Connection.Dialect]
	if !ok {
		return observe, query{}
	}
	statement, faults := sqltext.Read(node.Text, dialect)
	for _, f := range faults {
		d := node.Fault(f.Code, f.Hint, "%s", f.Message)
		d.Pos = node.At(f.Offset)
		c.fault(d)
	}
	observe.SQL = statement.Text
	return observe, query{node: node, statement: statement}
}

// checkAbsence is what finding nothing, or something, means.
func (c *checker) checkAbsence(d *declaredObserve) Absence {
	absent, exists := textOf(d.absent), textOf(d.exists)
	switch {
	case exists == wordRefuse && absent == wordRefuse:
		c.fault(d.exists.KeyFault(diag.AbsenceConflict, "keep one of them", "with 'absent: refuse' as well, no state is left to act on"))
		return ExistsRefused
	case exists == wordRefuse:
		return ExistsRefused
	case absent == wordAllow || d.none:
		return AbsentAllowed
	default:
		return AbsentRefused
	}
}
