package sqltext

import (
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/expr"
)

// quoted takes quoted text up to its closing quote; a quote of one character is doubled where it is meant itself.
func (s *scanner) quoted(closing string, backslashes bool) {
	start := s.at
	opening := len(closing) // as long as what closes it
	doubled := strings.Repeat(closing, 2)
	for at := start + opening; at < len(s.src); {
		rest := s.src[at:]
		switch {
		case backslashes && rest[0] == '\\':
			at = min(at+2, len(s.src))
		case opening == 1 && closing != "]" && strings.HasPrefix(rest, doubled):
			at += len(doubled)
		case strings.HasPrefix(rest, closing):
			s.words = append(s.words, word{"'", start})
			s.write(s.verbatim(opening) + s.take(at) + s.verbatim(len(closing)))
			return
		default:
			at++
		}
	}
	s.unterminated("a quote")
}

// verbatim puts out the next bytes as they are.
func (s *scanner) verbatim(length int) string {
	text := s.src[s.at : s.at+length]
	s.out.WriteString(text)
	s.at += length
	return text
}

// take puts out the source up to an offset, as text in which ${…} would be no parameter.
func (s *scanner) take(end int) string {
	var text strings.Builder
	for s.at < end {
		rest := s.src[s.at:end]
		switch {
		case strings.HasPrefix(rest, expr.Literal):
			text.WriteString(expr.Opening)
			s.at += len(expr.Literal)
			continue
		case strings.HasPrefix(rest, expr.Opening):
			s.fault(s.at, diag.ParameterInText, "take it out of the quotes or the comment; write $${ for a literal ${",
				"'${' in quotes or in a comment is no parameter")
		}
		text.WriteByte(rest[0])
		s.at++
	}
	s.out.WriteString(text.String())
	return text.String()
}

func (s *scanner) unterminated(what string) {
	s.fault(s.at, diag.UnterminatedSQL, "", what+" begins here and does not end")
	s.at = len(s.src)
}

// lineComment takes a comment up to the end of its line.
func (s *scanner) lineComment() {
	end := len(s.src)
	if i := strings.IndexByte(s.src[s.at:], '\n'); i >= 0 {
		end = s.at + i
	}
	s.take(end)
	s.gap = true
}

// blockComment takes a comment between marks, which some dialects nest.
func (s *scanner) blockComment() {
	depth := 0
	for at := s.at; at < len(s.src); {
		rest := s.src[at:]
		switch {
		case strings.HasPrefix(rest, "/*") && (depth == 0 || s.dialect.nestedComments):
			depth, at = depth+1, at+2
		case strings.HasPrefix(rest, "*/"):
			depth, at = depth-1, at+2
		default:
			at++
		}
		if depth == 0 {
			s.take(at)
			s.gap = true
			return
		}
	}
	s.unterminated("a comment")
}
