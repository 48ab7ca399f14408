package sqltext

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/expr"
)

// scanner goes through a statement once, token by token.
type scanner struct {
	dialect    Dialect
	src        string
	at         int
	out        strings.Builder // Statement.Text
	normal     strings.Builder // Statement.Normal
	gap        bool            // space or a comment came before the token
	ended      bool            // a semicolon has come
	words      []word          // every token that is code, for what the statement does
	parameters []expr.Span
	faults     []Fault
}

// word is a token as far as the statement's meaning needs it: a bare word in upper case, or one other character.
type word struct {
	text   string
	offset int
}

var (
	bareWord  = regexp.MustCompile(`^[A-Za-z_\x{80}-\x{10FFFF}](?:[A-Za-z0-9_\x{80}-\x{10FFFF}]|\$[A-Za-z0-9_])*`)
	dollarTag = regexp.MustCompile(`^\$(?:[A-Za-z_\x{80}-\x{10FFFF}][A-Za-z0-9_\x{80}-\x{10FFFF}]*)?\$`)
)

// cast is how some databases write CAST. To the others its second colon begins a parameter.
const cast = "::"

func (s *scanner) fault(offset int, code, hint, message string) {
	s.faults = append(s.faults, Fault{Offset: offset, Code: code, Message: message, Hint: hint})
}

// token takes the next token.
func (s *scanner) token() {
	rest := s.src[s.at:]
	switch c := rest[0]; {
	case strings.IndexByte(" \t\r\n\f\v", c) >= 0:
		s.out.WriteByte(c)
		s.at, s.gap = s.at+1, true
	case strings.HasPrefix(rest, "--"):
		s.lineComment()
	case strings.HasPrefix(rest, "/*"):
		s.blockComment()
	case c == ';' && !s.ended:
		s.at, s.ended = s.at+1, true
	case s.ended:
		s.fault(s.at, diag.NotOneStatement, "write one statement", "a second statement begins here")
		s.at = len(s.src)
	default:
		s.code(rest)
	}
}

// code takes a token that is neither space nor a comment nor the end.
func (s *scanner) code(rest string) {
	c := rest[0]
	closing, quoted := s.dialect.quotes[c]
	switch {
	case strings.HasPrefix(rest, expr.Literal):
		s.fault(s.at, diag.MisplacedCharacter, "write ${ for a parameter; give a dollar-quoted text that begins with { a tag: $q${…$q$",
			"'$${' stands for a literal '${', which has no meaning outside quotes")
		s.at = len(s.src)
	case strings.HasPrefix(rest, expr.Opening):
		s.parameter()
	case strings.HasPrefix(rest, cast) && strings.Contains(s.dialect.named, ":"):
		s.fault(s.at, diag.LiteralParameter, "write CAST(x AS text)", "'::' is no cast here")
		s.emit(cast)
	case c == '\'':
		s.quoted("'", s.dialect.escapeStrings && s.afterEscape())
	case quoted:
		s.quoted(string(closing), false)
	case s.dialect.dollarQuotes && dollarTag.MatchString(rest):
		s.quoted(dollarTag.FindString(rest), false)
	case bareWord.MatchString(rest):
		text := bareWord.FindString(rest)
		s.words = append(s.words, word{strings.ToUpper(text), s.at})
		s.emit(text)
	default:
		s.checkLiteral(rest)
		s.words = append(s.words, word{rest[:1], s.at})
		s.emit(rest[:1])
	}
}

// emit takes the next token as it is written.
func (s *scanner) emit(text string) {
	s.out.WriteString(text)
	s.write(text)
	s.at += len(text)
}

// write adds to the normal form, with one space where there was any.
func (s *scanner) write(text string) {
	if s.gap && s.normal.Len() > 0 {
		s.normal.WriteByte(' ')
	}
	s.gap = false
	s.normal.WriteString(text)
}

// checkLiteral reports a parameter in the database's own form: no value would be bound to it.
func (s *scanner) checkLiteral(rest string) {
	named := strings.IndexByte(s.dialect.named, rest[0]) >= 0 && inWord(utf8.DecodeRuneInString(rest[1:]))
	if named || strings.IndexByte(s.dialect.bare, rest[0]) >= 0 {
		s.fault(s.at, diag.LiteralParameter, "write ${payload.name}", "a parameter that is not written as ${…}")
	}
}

// afterEscape tells whether the string that begins here is one with backslashes: E'…'.
func (s *scanner) afterEscape() bool {
	if len(s.words) == 0 {
		return false
	}
	last := s.words[len(s.words)-1]
	return last.text == "E" && last.offset+1 == s.at
}

// parameter takes a ${…}.
func (s *scanner) parameter() {
	span, length := expr.Expression(s.src, s.at)
	if length == 0 {
		s.fault(s.at, diag.Unclosed, "close it", "'${' is not closed by a '}'")
		s.at = len(s.src)
		return
	}
	s.parameters = append(s.parameters, span)
	s.words = append(s.words, word{expr.Opening, s.at})
	s.write(expr.Opening + span.Text + expr.Closing)
	if inWord(utf8.DecodeLastRuneInString(s.out.String())) {
		s.out.WriteByte(' ')
	}
	s.out.WriteString(s.dialect.placeholder(len(s.parameters)))
	s.at += length
	if inWord(utf8.DecodeRuneInString(s.src[s.at:])) {
		s.out.WriteByte(' ')
	}
}

// inWord tells whether a placeholder grows together with a character that touches it: ?5 is another parameter than ?.
// To a database every character beyond ASCII is part of a word, a letter or not. At an end, size is 0.
func inWord(r rune, size int) bool {
	return size > 0 && (r == '_' || r == '$' || r >= utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsDigit(r))
}
