package sqlite

import (
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
)

// shape is a kind of statement, and for each column that it sets whether the value is an argument of it or a word in it. Most
// changes have few of the texts, times and documents that a change can have, and what is the same in most of them costs the
// driver nothing in a statement that is prepared.
type shape []byte

// The kinds, which begin a shape.
const (
	addsChange = 'c'
	addsEvent  = 'e'
	moves      = 'm' // a change
	movesOn    = 'o' // a change, whose claim stays as it is
)

// What the values are.
const (
	given = '?' // an argument
	empty = 'e' // an empty text
	none  = 'n' // NULL
)

var words = map[byte]string{given: "?", empty: "''", none: "NULL"}

// ofKind is a shape of that kind whose values are all given.
func ofKind(kind byte, list string) shape {
	return append(shape{kind}, strings.Repeat(string(given), columns.Count(list))...)
}

// as is the same values in a statement of that kind.
func (s shape) as(kind byte) shape {
	s[0] = kind
	return s
}

// marks are what stands in the statement for each column.
func (s shape) marks() (marks []string) {
	for _, value := range s[1:] {
		marks = append(marks, words[value])
	}
	return marks
}

// query is the statement. What follows the columns among its arguments is where the change is: its row, revision and id.
func (s shape) query() string {
	marks := s.marks()
	switch s[0] {
	case addsChange:
		return "INSERT INTO changes (" + recordColumns + ") VALUES (" + strings.Join(marks, ", ") + ")"
	case addsEvent:
		return "INSERT INTO events (" + eventColumns + ") VALUES (" + strings.Join(marks, ", ") + ")"
	case movesOn:
		return s.withItsClaim(marks)
	}
	return "UPDATE changes SET revision = revision + 1, (" + mutableColumns + ") = (" + strings.Join(marks, ", ") + ") " + thisChange
}

// withItsClaim leaves out the first column, the time of the claim: where that stays as it is, so does its index. The statement has
// the same arguments, and makes sure that it is so.
func (s shape) withItsClaim(marks []string) string {
	claimed, rest := marks[0], slices.Clone(marks[1:])
	if s[1] == given {
		claimed = "?1"
		rest[slices.Index(rest, words[given])] = "?2"
	}
	return "UPDATE changes SET revision = revision + 1, (" + unclaimed + ") = (" + strings.Join(rest, ", ") + ") " + thisChange +
		" AND claimed_at IS " + claimed
}
