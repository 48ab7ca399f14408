// Package sqltext reads the SQL of a spec as far as safety needs it: where its quotes and comments are, so that what
// is meant to be a parameter is one, and that the text is a single statement that reads.
package sqltext

import (
	"strconv"

	"github.com/changesetgen/changesetgen/spec/expr"
)

// Dialect is what differs between the databases.
type Dialect struct {
	quotes         map[byte]byte // opening and closing quote, but for the string's
	dollarQuotes   bool          // $tag$…$tag$
	escapeStrings  bool          // E'…' with backslashes
	nestedComments bool
	named          string             // characters that begin a parameter of the database's own when a name or number follows
	bare           string             // characters that are a parameter by themselves
	placeholder    func(n int) string // of the nth parameter, from 1
}

// The dialects.
var (
	SQLite = Dialect{
		quotes:      map[byte]byte{'"': '"', '`': '`', '[': ']'},
		named:       ":@$",
		bare:        "?",
		placeholder: func(int) string { return "?" },
	}
	Postgres = Dialect{
		quotes:         map[byte]byte{'"': '"'},
		dollarQuotes:   true,
		escapeStrings:  true,
		nestedComments: true,
		named:          "$",
		placeholder:    func(n int) string { return "$" + strconv.Itoa(n) },
	}
)

// Statement is a statement that has been read.
type Statement struct {
	Text       string      // with parameters in the dialect's form, each of its own, and without space around it
	Normal     string      // the same for every layout and comment, with parameters as they were written
	Parameters []expr.Span // what is bound, in the order of the parameters
	Keys       []bool      // of each parameter: what is found surely has its value in a column
}

// Fault is something wrong with the text.
type Fault struct {
	Offset  int // in bytes, from 0
	Code    string
	Message string
	Hint    string
}

// Read reads text that must be a single statement that only reads.
func Read(text string, dialect Dialect) (Statement, []Fault) {
	s := &scanner{dialect: dialect, src: text}
	for s.at < len(s.src) {
		s.token()
	}
	s.checkQuery()
	return s.statement(), s.faults
}
