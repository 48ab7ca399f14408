package expr

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// ConstantKind is the kind of a Constant.
type ConstantKind int

// The kinds of literals.
const (
	NullConstant ConstantKind = iota
	BooleanConstant
	IntegerConstant // of 64 bits
	NumberConstant  // with a fraction or an exponent
	TextConstant
)

// Constant is a literal: a value that is written in the expression itself.
type Constant struct {
	Kind ConstantKind
	Text string // of text what it says; of anything else as it is written
	At   diag.Pos
}

// Pos is where the literal begins.
func (l *Constant) Pos() diag.Pos { return l.At }

// Type is the type of its value; null has none of its own.
func (l *Constant) Type() Type {
	kind := map[ConstantKind]schema.Kind{
		NullConstant: schema.Invalid, BooleanConstant: schema.Boolean, IntegerConstant: schema.Integer,
		NumberConstant: schema.Number, TextConstant: schema.String,
	}[l.Kind]
	return Type{Use: schema.Use{Type: &schema.Type{Kind: kind}, Nullable: l.Kind == NullConstant}}
}

// The literals that are words.
const (
	wordTrue  = "true"
	wordFalse = "false"
	wordNull  = "null"
)

// isWord tells whether a name is none, as it is a literal.
func isWord(text string) bool { return slices.Contains([]string{wordTrue, wordFalse, wordNull}, text) }

// number is how JSON and CEL both write numbers.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// readLiteral reads a literal. What is written as one and is none is reported; is tells apart what is no literal at all.
func readLiteral(node *document.Node, span Span) (literal *Constant, d diag.Diagnostic, is bool) {
	at := node.At(span.Start)
	switch first, _ := utf8.DecodeRuneInString(span.Text); {
	case span.Text == wordNull:
		return &Constant{NullConstant, span.Text, at}, d, true
	case isWord(span.Text):
		return &Constant{BooleanConstant, span.Text, at}, d, true
	case first == '\'' || first == '"':
		text, fault := unquote(span.Text)
		if fault == nil {
			return &Constant{TextConstant, text, at}, d, true
		}
		d = node.Fault(diag.NotACondition, fault.hint, "%s", fault.message)
		d.Pos = node.At(span.Start + fault.offset)
		return nil, d, true
	case number.MatchString(span.Text):
		kind, ok := numberKind(span.Text)
		if ok {
			return &Constant{kind, span.Text, at}, d, true
		}
		d = node.Fault(diag.NotACondition, "", "%s is beyond 64 bits", diag.Quote(span.Text))
		d.Pos = at
		return nil, d, true
	}
	return nil, d, false
}

// numberKind tells integers from other numbers, and whether CEL has the number.
func numberKind(text string) (kind ConstantKind, ok bool) {
	if strings.ContainsAny(text, ".eE") {
		value, err := strconv.ParseFloat(text, 64)
		return NumberConstant, err == nil && !math.IsInf(value, 0)
	}
	_, err := strconv.ParseInt(text, 10, 64)
	return IntegerConstant, err == nil
}

// quoteFault is what is wrong in quoted text, and where.
type quoteFault struct {
	offset        int
	message, hint string
}

// escapes are what may follow a backslash in quoted text.
var escapes = map[byte]string{'\\': `\`, '\'': "'", '"': `"`, 'n': "\n", 'r': "\r", 't': "\t"}

// unquote reads text in single or double quotes, with the escapes that CEL and JSON have alike.
func unquote(quoted string) (string, *quoteFault) {
	quote, text := quoted[0], strings.Builder{}
	for at := 1; at < len(quoted); at++ {
		switch c := quoted[at]; c {
		case quote:
			return text.String(), after(quoted, at+1)
		case '\\':
			escaped, length := unescape(quoted[at:])
			if length == 0 {
				return "", &quoteFault{at, "an escape that is not supported", `write the character itself, or \\ for a backslash`}
			}
			text.WriteString(escaped)
			at += length - 1
		case '\n', '\r':
			return "", &quoteFault{at, "a line break in quotes", `write \n or \r`}
		default:
			text.WriteByte(c)
		}
	}
	return "", &quoteFault{0, "text whose quote is not closed", "close it with " + string(quote)}
}

// after reports what follows quoted text. Close to its quote, that is likely to be meant as a part of the text.
func after(quoted string, at int) *quoteFault {
	switch {
	case at == len(quoted):
		return nil
	case strings.ContainsRune(space, rune(quoted[at])):
		return &quoteFault{at + len(quoted[at:]) - len(strings.TrimLeft(quoted[at:], space)), onlyEquals, WriteEquals}
	default:
		return &quoteFault{at, "text goes on after its quote", "write \\" + quoted[:1] + " for a quote within it"}
	}
}

// unescape reads the escape that a text begins with: a backslash and one character, or \u and four hexadecimal digits.
// Its length is 0 if it is none.
func unescape(text string) (escaped string, length int) {
	const short, long = len(`\n`), len(`\u0041`)
	if len(text) < short {
		return "", 0
	}
	if escaped, ok := escapes[text[1]]; ok {
		return escaped, short
	}
	if text[1] != 'u' || len(text) < long {
		return "", 0
	}
	code, err := strconv.ParseUint(text[short:long], 16, 16)
	if err != nil || !utf8.ValidRune(rune(code)) {
		return "", 0
	}
	return string(rune(code)), long
}
