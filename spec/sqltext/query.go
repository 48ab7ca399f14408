package sqltext

import (
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
)

// queries are the words that a statement which reads begins with.
var queries = []string{"SELECT", "WITH", "VALUES"}

// writes are words of statements and clauses that write: an INSERT within WITH, a SELECT INTO.
var writes = []string{"INSERT", "UPDATE", "DELETE", "MERGE", "INTO"}

// checkQuery reports a statement that does something else than read.
func (s *scanner) checkQuery() {
	if len(s.faults) > 0 {
		return
	}
	if len(s.words) == 0 {
		s.fault(0, diag.NotOneStatement, "write a SELECT", "there is no statement")
		return
	}
	if first := s.words[0]; !slices.Contains(queries, first.text) {
		hint := "observe only reads; write in apply"
		if first.text == "(" {
			hint = "leave out the brackets it begins with"
		}
		s.fault(first.offset, diag.NotAQuery, hint, "an observe statement begins with SELECT, WITH or VALUES")
		return
	}
	for i, w := range s.words {
		if s.isWrite(i) {
			s.fault(w.offset, diag.QueryWrites, "write in apply; quote a name that is such a word", "observe must not write or lock: "+w.text)
			return
		}
	}
}

// isWrite tells whether a word makes the statement write or lock. A name after a dot does not.
func (s *scanner) isWrite(i int) bool {
	if i > 0 && s.words[i-1].text == "." {
		return false
	}
	if slices.Contains(writes, s.words[i].text) {
		return true
	}
	locks := i+1 < len(s.words) && (s.words[i+1].text == "SHARE" || s.words[i+1].text == "KEY")
	return s.words[i].text == "FOR" && locks
}

func (s *scanner) statement() Statement {
	return Statement{Text: strings.TrimSpace(s.out.String()), Normal: s.normal.String(), Parameters: s.parameters, Keys: s.keys()}
}
