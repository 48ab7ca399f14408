package sqltext

import (
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/expr"
)

// keys tells of each parameter, in their order, whether what is found surely has its value in a column: all of the outer
// query's WHERE must hold, and a column = ${…} is one part of it. Of what is written in any other way nothing is sure.
func (s *scanner) keys() []bool {
	keys := make([]bool, len(s.parameters))
	outer := s.outer()
	where := indexOf(outer, "WHERE")
	if where < 0 || !findsRows(outer[:where]) || hasAny(outer, combined) || hasAny(outer[where:], doubtful) {
		return keys
	}
	for i, w := range outer[where:] {
		if w.text == expr.Opening && s.isKey(outer, where+i) {
			keys[s.parameterAt(w.offset)] = true
		}
	}
	return keys
}

// outer are the words of the outer query. What is in brackets is left out, but for the brackets themselves.
func (s *scanner) outer() []word {
	var outer []word
	depth := 0
	for i, w := range s.words {
		if w.text == ")" {
			depth--
		}
		if depth == 0 {
			outer = append(outer, w)
		}
		if w.text == "(" {
			depth++
			if depth == 1 && i+1 < len(s.words) && s.words[i+1].text == "SELECT" {
				outer[len(outer)-1].text = subquery
			}
		}
	}
	return outer
}

// subquery is the bracket that begins one.
const subquery = "(SELECT"

// combined are words by which the outer query is more than one, and doubtful those after WHERE by which one of its parts
// need not hold, or is about other rows.
var (
	combined = []string{"UNION", "EXCEPT", "INTERSECT"}
	doubtful = []string{"OR", "CASE", "BETWEEN", "GROUP", "HAVING"}
)

// ofOneRow are functions that are surely of one row. Any other might count rows, of which there may be none.
var ofOneRow = []string{"CAST", "COALESCE", "IFNULL", "NULLIF", "LOWER", "UPPER", "TRIM", "LENGTH", "ROUND", "ABS", "DATE", "DATETIME", "STRFTIME", "JSON", "JSON_EXTRACT", "TO_CHAR", "HEX"}

// findsRows tells whether what is selected is surely of a row that is there.
func findsRows(selected []word) bool {
	from := indexOf(selected, "FROM")
	for i := 1; i < from; i++ {
		if selected[i].text == "(" && !slices.Contains(ofOneRow, selected[i-1].text) {
			return false
		}
	}
	return from > 0
}

// isKey tells of a parameter whether it is the right side of a whole part of a condition, and a column the left one.
func (s *scanner) isKey(words []word, at int) bool {
	return at >= 3 && words[at-1].text == "=" && s.isWholeColumn(words, at-2) && endsPart(words, at+1)
}

// isWholeColumn tells whether the name of a column ends at a word, and a part of the condition begins with it.
func (s *scanner) isWholeColumn(words []word, at int) bool {
	for ; at > 0; at -= 2 {
		first := s.src[words[at].offset]
		isName := bareWord.MatchString(words[at].text) || words[at].text == "'" && strings.IndexByte("\"`[", first) >= 0
		if !isName {
			return false
		}
		if words[at-1].text != "." {
			return words[at-1].text == "WHERE" || words[at-1].text == "AND"
		}
	}
	return false
}

// endsPart tells whether a part of the condition ends before a word, or after a cast that begins there.
func endsPart(words []word, at int) bool {
	const castLength = len(cast) + 1 // with the name of the type
	if at+castLength <= len(words) && words[at].text+words[at+1].text == cast {
		at += castLength
	}
	return at >= len(words) || slices.Contains([]string{"AND", "ORDER", "LIMIT", "OFFSET", "FETCH"}, words[at].text)
}

func (s *scanner) parameterAt(offset int) int {
	return slices.IndexFunc(s.parameters, func(p expr.Span) bool { return p.Start >= offset })
}

func hasAny(words []word, texts []string) bool {
	return slices.ContainsFunc(words, func(w word) bool { return slices.Contains(texts, w.text) })
}

func indexOf(words []word, text string) int {
	return slices.IndexFunc(words, func(w word) bool { return w.text == text })
}
