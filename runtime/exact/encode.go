package exact

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Encode returns the canonical bytes of a Go value, as json v2 writes it: nil slices are [], nil maps are {}, nil
// pointers are null, and omitzero is honoured. A json.Number is a number; one that is empty or no number of JSON, a
// NaN, a string that is not UTF-8, and whatever exceeds DefaultLimits, but for the length, are an *Error.
func Encode(v any) ([]byte, error) {
	if canonical, ok := encodePlain(v); ok {
		return canonical, nil
	}
	canonical, _, err := EncodeTree(v)
	return canonical, err
}

// EncodeTree is Encode, and Tree of what it returns, for whoever looks into that too: it is read once.
func EncodeTree(v any) (canonical []byte, tree any, err error) {
	text, err := Marshal(v)
	if err != nil {
		return nil, nil, err
	}
	if tree, err = read(text, encodeLimits); err != nil {
		return nil, nil, encodeError(err)
	}
	if canonical, err = write(tree, encodeLimits); err != nil {
		return nil, nil, err
	}
	return canonical, tree, nil
}

// encodePlain writes what most values in a diff are, without asking json v2. It leaves texts that are not UTF-8 to that.
func encodePlain(v any) (canonical []byte, ok bool) {
	switch v := v.(type) {
	case string:
		quoted, err := jsontext.AppendQuote(nil, v)
		return quoted, err == nil
	case []string:
		return encodeTexts(v)
	case bool:
		return strconv.AppendBool(nil, v), true
	case int:
		return strconv.AppendInt(nil, int64(v), 10), true
	case int64:
		return strconv.AppendInt(nil, v, 10), true
	}
	return nil, false
}

func encodeTexts(texts []string) (canonical []byte, ok bool) {
	canonical = []byte{'['}
	for i, text := range texts {
		if i > 0 {
			canonical = append(canonical, ',')
		}
		var err error
		if canonical, err = jsontext.AppendQuote(canonical, text); err != nil {
			return nil, false
		}
	}
	return append(canonical, ']'), true
}

// Marshal is Encode without the canonical form, for a type that writes itself in MarshalJSON: whoever asked for it reads
// the text again, at each level of a value that holds itself.
func Marshal(v any) ([]byte, error) {
	text, err := jsonv2.Marshal(v, encodeOptions)
	if err != nil {
		return nil, encodeError(err)
	}
	return text, nil
}

// MarshalTo is Marshal into an encoder, for a type that writes itself in MarshalJSONTo.
func MarshalTo(enc *jsontext.Encoder, v any) error {
	return jsonv2.MarshalEncode(enc, v, encodeOptions)
}

var encodeOptions = jsonv2.WithMarshalers(jsonv2.MarshalToFunc(encodeNumber))

// encodeLimits leave the length to the caller, who knows what the value is for.
var encodeLimits = Limits{Bytes: math.MaxInt}.filled()

// encodeNumber writes the digits; json v2 itself takes a json.Number for a string.
func encodeNumber(enc *jsontext.Encoder, n json.Number) error {
	number, flaw := jsonNumber(n.String(), encodeLimits)
	if flaw == nil {
		return enc.WriteValue(jsontext.Value(number))
	}
	return numberError(n.String(), flaw)
}

// encodeError gives the errors of json v2 our form, as decodeError does. Offsets in a text that nobody sees are dropped.
func encodeError(err error) error {
	found := &Error{Offset: noOffset, Cause: ErrType, Detail: err.Error()}
	var ours *Error
	var syntax *jsontext.SyntacticError
	var semantic *jsonv2.SemanticError
	switch {
	case errors.As(err, &ours):
		found.Path, found.Cause, found.Detail = ours.Path, ours.Cause, ours.Detail
		if errors.As(err, &semantic) {
			found.Path = string(semantic.JSONPointer) + ours.Path
		}
	case errors.As(err, &syntax):
		found.Path, found.Cause, found.Detail = string(syntax.JSONPointer), syntaxCause(syntax), syntax.Err.Error()
	case errors.As(err, &semantic):
		found.Path = string(semantic.JSONPointer)
		found.Detail, found.Cause = unwritable(semantic)
	}
	return found
}

// unwritable says why a Go value has no JSON form.
func unwritable(e *jsonv2.SemanticError) (detail string, cause error) {
	detail = fmt.Sprintf("the Go type %v cannot be written", e.GoType)
	if e.Err != nil {
		detail += ": " + e.Err.Error()
	}
	if e.GoType != nil && (e.GoType.Kind() == reflect.Float64 || e.GoType.Kind() == reflect.Float32) {
		return detail, ErrNumber
	}
	return detail, ErrType
}

// errUTF8 is what jsontext says of text that is not UTF-8. It exports no name for it.
var errUTF8 = func() error {
	_, err := jsontext.AppendQuote(nil, "\xff")
	return errors.Unwrap(err)
}()

// syntaxCause is the cause of an error about text that is not at hand.
func syntaxCause(fault *jsontext.SyntacticError) error {
	switch {
	case errors.Is(fault, jsontext.ErrDuplicateName):
		return ErrDuplicateName
	case errors.Is(fault, errUTF8):
		return ErrInvalidText
	}
	return ErrSyntax
}
