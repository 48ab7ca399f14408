package exact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical reads one JSON value strictly and returns its canonical form. What cannot be carried exactly is an *Error:
// text that is not UTF-8, halves of surrogate pairs, names that appear twice, NaN, and whatever exceeds limits. The
// canonical form of a canonical form is itself.
func Canonical(raw []byte, limits Limits) ([]byte, error) {
	canonical, _, err := CanonicalTree(raw, limits)
	return canonical, err
}

// CanonicalTree is Canonical, and Tree of what it returns, for whoever looks into that too: it is read once.
func CanonicalTree(raw []byte, limits Limits) (canonical []byte, tree any, err error) {
	limits = limits.filled()
	if tree, err = read(raw, limits); err != nil {
		return nil, nil, err
	}
	if canonical, err = write(tree, limits); err != nil {
		return nil, nil, err
	}
	return canonical, tree, nil
}

// Tree reads canonical bytes into map[string]any, []any, json.Number, string, bool and nil. Bytes that Canonical gave
// under limits wider than DefaultLimits are read too, unless for their numbers.
func Tree(canonical []byte) (any, error) {
	return read(canonical, treeLimits)
}

// treeLimits are for values that have been accepted under limits of their own.
var treeLimits = Limits{Bytes: math.MaxInt, Depth: maxDepth}.filled()

// reader turns the tokens of a text into a tree whose numbers are canonical.
type reader struct {
	raw    []byte
	dec    *jsontext.Decoder
	limits Limits
	growth int // of the text, by writing its numbers out
}

// read takes limits that are filled.
func read(raw []byte, limits Limits) (any, error) {
	if len(raw) > limits.Bytes {
		return nil, &Error{Offset: int64(limits.Bytes), Cause: ErrTooLarge, Detail: tooLong(limits)}
	}
	dec := decoders.Get().(*jsontext.Decoder)
	dec.Reset(bytes.NewBuffer(raw))
	r := &reader{raw: raw, dec: dec, limits: limits}
	tree, err := r.value()
	if err == nil {
		err = r.end()
	}
	dec.Reset(bytes.NewBuffer(nil)) // lets go of raw
	decoders.Put(dec)
	return tree, err
}

// decoders are kept for the next text: making one takes longer than reading a short text with it.
var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

func (r *reader) value() (any, error) {
	token, err := r.dec.ReadToken()
	if err != nil {
		return nil, r.syntaxError(err)
	}
	switch token.Kind() {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return token.String(), nil
	case '0':
		return r.number(token.String())
	case 'n':
		return nil, nil
	default: // true or false
		return token.Bool(), nil
	}
}

func (r *reader) object() (any, error) {
	if err := r.checkDepth(); err != nil {
		return nil, err
	}
	members := map[string]any{}
	for r.dec.PeekKind() != '}' {
		name, err := r.dec.ReadToken()
		if err != nil {
			return nil, r.syntaxError(err)
		}
		key := name.String() // before the next read, which reuses the token
		if members[key], err = r.value(); err != nil {
			return nil, err
		}
	}
	return members, r.close()
}

func (r *reader) array() (any, error) {
	if err := r.checkDepth(); err != nil {
		return nil, err
	}
	items := []any{}
	for r.dec.PeekKind() != ']' {
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, r.close()
}

// close reads the end of an object or array.
func (r *reader) close() error {
	if _, err := r.dec.ReadToken(); err != nil {
		return r.syntaxError(err)
	}
	return nil
}

// checkDepth looks at the object or array that has just been opened.
func (r *reader) checkDepth() error {
	if r.dec.StackDepth() <= r.limits.Depth {
		return nil
	}
	return r.fault(1, ErrDepth, tooDeep(r.limits))
}

func (r *reader) number(literal string) (any, error) {
	number, err := jsonNumber(literal, r.limits)
	if err != nil {
		return nil, r.fault(len(literal), ErrNumber, fmt.Sprintf("%s %v", shorten(literal), err))
	}
	r.growth += max(0, len(number)-len(literal))
	if r.growth > r.limits.Bytes-len(r.raw) {
		return nil, r.fault(len(literal), ErrTooLarge, "with its numbers written out, "+tooLong(r.limits))
	}
	return json.Number(number), nil
}

// fault is about the token just read, which is length bytes long.
func (r *reader) fault(length int, cause error, detail string) error {
	return &Error{
		Path:   string(r.dec.StackPointer()),
		Offset: r.dec.InputOffset() - int64(length),
		Cause:  cause,
		Detail: detail,
	}
}

// end makes sure that nothing follows the value.
func (r *reader) end() error {
	consumed := r.dec.InputOffset()
	if _, err := r.dec.ReadToken(); errors.Is(err, io.EOF) {
		return nil
	}
	rest := bytes.TrimLeft(r.raw[consumed:], " \t\r\n")
	return &Error{
		Offset: int64(len(r.raw) - len(rest)),
		Cause:  ErrSyntax,
		Detail: "there is more text after the value; send exactly one value",
	}
}

func (r *reader) syntaxError(err error) error { return syntaxError(r.raw, err) }

// syntaxError places what the tokenizer found in raw.
func syntaxError(raw []byte, err error) error {
	var fault *jsontext.SyntacticError
	if !errors.As(err, &fault) { // io.EOF, before any value
		return &Error{Offset: int64(len(raw)), Cause: ErrSyntax, Detail: truncated}
	}
	detail, cause := classify(raw, fault)
	return &Error{Path: string(fault.JSONPointer), Offset: fault.ByteOffset, Cause: cause, Detail: detail}
}

const truncated = "the text ends before the value does"

// classify looks at the text itself to tell kinds of faults apart, as the tokenizer's own errors are prose.
func classify(raw []byte, fault *jsontext.SyntacticError) (detail string, cause error) {
	if errors.Is(fault, jsontext.ErrDuplicateName) {
		name := fault.JSONPointer.LastToken()
		return fmt.Sprintf("%q appears more than once in its object; keep one", shorten(name)), ErrDuplicateName
	}
	if errors.Is(fault, io.ErrUnexpectedEOF) {
		return truncated, ErrSyntax
	}
	rest := raw[min(fault.ByteOffset, int64(len(raw))):]
	if half, ok := surrogateEscape(rest); ok {
		return half + " is half of a surrogate pair; write the whole pair, or the character itself", ErrInvalidText
	}
	if b, ok := invalidByte(rest); ok {
		return fmt.Sprintf("byte 0x%02x is not UTF-8; encode the text as UTF-8", b), ErrInvalidText
	}
	if word, ok := nonFinite(rest); ok {
		return word + " is no number in JSON; use null or leave it out", ErrNumber
	}
	return fault.Err.Error(), ErrSyntax
}

// nonFinite returns the word at the start of text if some program writes it in place of a number.
func nonFinite(text []byte) (string, bool) {
	for _, word := range []string{"NaN", "Infinity", "Inf"} {
		if len(text) >= len(word) && strings.EqualFold(string(text[:len(word)]), word) {
			return string(text[:len(word)]), true
		}
	}
	return "", false
}
