package runtime

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// envelope is what can be read of a line that is no message, up to its fault.
type envelope struct {
	id        json.RawMessage // a string or a number; nil if it was not there
	asks      bool            // it is a request or a notification
	answers   bool            // it is the response to a request of ours
	arguments int             // offset behind the name of params.arguments; 0 if it was not there
}

// readEnvelope reads as the SDK does: names may appear twice, and text need not be UTF-8.
func readEnvelope(text []byte) envelope {
	var e envelope
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_ = eachMember(dec, func(name string) error {
		switch name {
		case "id":
			return e.readID(dec)
		case "method":
			e.asks = true
		case "params":
			return e.readParams(dec)
		case "result", "error":
			e.answers = true
		}
		return dec.SkipValue()
	})
	return e
}

func (e *envelope) readID(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err == nil && value.IsValid() && (value.Kind() == '"' || value.Kind() == '0') {
		e.id = json.RawMessage(value.Clone())
	}
	return err
}

func (e *envelope) readParams(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '{' {
		return dec.SkipValue()
	}
	return eachMember(dec, func(name string) error {
		if name == "arguments" {
			e.arguments = int(dec.InputOffset())
		}
		return dec.SkipValue()
	})
}

// eachMember calls read behind the name of each member of the object that comes next, until one is faulty.
func eachMember(dec *jsontext.Decoder, read func(name string) error) error {
	if dec.PeekKind() != '{' {
		return nil
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if err := read(name.String()); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// requestID is the id as the SDK knows it; it is none if the SDK cannot know it.
func (e *envelope) requestID() jsonrpc.ID {
	var value any
	if json.Unmarshal(e.id, &value) != nil {
		return jsonrpc.ID{}
	}
	id, err := jsonrpc.MakeID(value)
	if err != nil {
		return jsonrpc.ID{}
	}
	return id
}

// valueLength is how much of a text one value takes up, whether it is JSON or not: up to a comma or a bracket that is
// not its own.
func valueLength(text []byte) int {
	depth, quoted, escaped := 0, false, false
	for i, b := range text {
		switch {
		case escaped:
			escaped = false
		case quoted:
			quoted, escaped = b != '"', b == '\\'
		case b == '"':
			quoted = true
		case b == '{', b == '[':
			depth++
		case b == '}', b == ']', b == ',':
			if depth == 0 {
				return i
			}
			if b != ',' {
				depth--
			}
		}
	}
	return len(text)
}
