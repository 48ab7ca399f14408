package exact

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode stores canonical bytes in the Go value that v points to, as json v2 does: names match exactly and are never
// case-folded, null is the zero value, and members without a field go into the map with the tag option embed, or are
// ignored if there is none. A json.Number takes every digit, also inside an any. An integer takes only what fits its
// type and a float only what it gives back unchanged; anything else is an *Error of cause ErrNumber. Another kind of
// value than that of the Go type is one of cause ErrType. On an error v may be partly filled in.
//
// A type defined as json.Number cannot be told from one defined as string, and takes strings; one defined as a float
// rounds. A type may read itself by calling Decode in UnmarshalJSON.
func Decode(canonical []byte, v any) error {
	if err := jsonv2.Unmarshal(canonical, v, decodeOptions); err != nil {
		return decodeError(canonical, err)
	}
	return nil
}

// UnmarshalFrom is Decode from a decoder, for a type that reads itself in UnmarshalJSONFrom.
func UnmarshalFrom(dec *jsontext.Decoder, v any) error {
	return jsonv2.UnmarshalDecode(dec, v, decodeOptions)
}

var decodeOptions = jsonv2.WithUnmarshalers(jsonv2.JoinUnmarshalers(
	jsonv2.UnmarshalFromFunc(decodeNumber),
	jsonv2.UnmarshalFromFunc(decodeFloat[float32]),
	jsonv2.UnmarshalFromFunc(decodeFloat[float64]),
	jsonv2.UnmarshalFromFunc(decodeAny),
))

// decodeNumber keeps the digits; json v2 itself takes a json.Number for a string.
func decodeNumber(dec *jsontext.Decoder, n *json.Number) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	switch value.Kind() {
	case '0':
		*n = json.Number(value)
		return nil
	case 'n':
		*n = ""
		return nil
	}
	return decodeFault(value, ErrType, "where a number is expected")
}

func decodeFloat[F float32 | float64](dec *jsontext.Decoder, f *F) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	switch value.Kind() {
	case '0':
		exactly, ok := exactFloat(string(value), reflect.TypeFor[F]().Bits())
		if !ok {
			return decodeFault(value, ErrNumber, fmt.Sprintf("has more digits than a %T keeps; write fewer, or hold it in a json.Number", *f))
		}
		*f = F(exactly)
		return nil
	case 'n':
		*f = 0
		return nil
	}
	return decodeFault(value, ErrType, "where a number is expected")
}

// exactFloat returns the float nearest to a number, if the shortest text of that float is the number again.
func exactFloat(literal string, bits int) (float64, bool) {
	number, err := Number(literal)
	if err != nil {
		return 0, false
	}
	f, err := strconv.ParseFloat(literal, bits)
	if err != nil {
		return 0, false
	}
	back, err := Number(strconv.FormatFloat(f, 'e', -1, bits))
	return f, err == nil && back == number
}

// decodeAny keeps numbers as json.Number; json v2 itself makes them float64.
func decodeAny(dec *jsontext.Decoder, v *any) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if *v, err = read(value, treeLimits); err == nil {
		return nil
	}
	return err
}

// decodeFault is about a value just read; decodeError knows where that is.
func decodeFault(value jsontext.Value, cause error, flaw string) error {
	return &Error{Cause: cause, Detail: visible(shorten(string(value))) + " " + flaw}
}

// decodeError gives the errors of json v2 our form. One that is ours already, from the functions above or from a type
// that decodes itself, is placed within the value that json v2 names.
func decodeError(canonical []byte, err error) error {
	var ours *Error
	var semantic *jsonv2.SemanticError
	isSemantic := errors.As(err, &semantic)
	if errors.As(err, &ours) {
		if isSemantic {
			ours.Path = string(semantic.JSONPointer) + ours.Path
			ours.Offset = semantic.ByteOffset + max(0, ours.Offset)
		}
		return ours
	}
	if isSemantic {
		detail, cause := mismatch(semantic)
		return &Error{Path: string(semantic.JSONPointer), Offset: semantic.ByteOffset, Cause: cause, Detail: detail}
	}
	return syntaxError(canonical, err)
}

// mismatch says why a value does not fit a Go type.
func mismatch(e *jsonv2.SemanticError) (detail string, cause error) {
	found := visible(shorten(string(e.JSONValue)))
	if found == "" {
		found = kindName(e.JSONKind)
	}
	detail = fmt.Sprintf("%s does not fit the Go type %v", found, e.GoType)
	if e.JSONKind == '0' && (errors.Is(e.Err, strconv.ErrRange) || errors.Is(e.Err, strconv.ErrSyntax)) {
		return detail, ErrNumber
	}
	if e.Err != nil {
		detail += ": " + e.Err.Error()
	}
	return detail, ErrType
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	}
	return "the value"
}
