package stdio

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// envelope is what can be read of a line, up to its fault if it is no message.
type envelope struct {
	id        json.RawMessage // a string or a number; nil if it was not there, or there twice
	inexactID bool            // the SDK would answer under another id
	repeated  string          // pointer to the first member that is there twice, or to its object; "" if none is
	misspelt  misspelling     // of the parameters, as those of a call of a tool
	asks      bool            // it is a request or a notification
	calls     bool            // it calls a tool
	answers   bool            // it is the response to a request of ours
	arguments int             // offset behind the name of params.arguments; 0 if it was not there
}

// readEnvelope reads as the SDK does: names may appear twice, and text need not be UTF-8.
func readEnvelope(text []byte) envelope {
	var e envelope
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_ = e.eachMember(dec, func(name string) error {
		switch name {
		case "id":
			return e.readID(dec)
		case "method":
			e.asks = true
			return e.readMethod(dec)
		case "params":
			return e.readParams(dec)
		case "result", "error":
			e.answers = true
		}
		return dec.SkipValue()
	})
	return e
}

func (e *envelope) readMethod(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '"' {
		return dec.SkipValue()
	}
	method, err := dec.ReadToken()
	e.calls = err == nil && method.String() == callTool
	return err
}

// readID takes an id that is there once.
func (e *envelope) readID(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	e.id, e.inexactID = nil, !exactID(value)
	if value.IsValid() && (value.Kind() == '"' || value.Kind() == '0') && e.repeated == "" {
		e.id = json.RawMessage(value.Clone())
	}
	return nil
}

// maxID is the largest integer up to which a double holds every one; the SDK takes an id through a double.
const maxID = 1 << 53

// exactID tells whether an answer to a request of that id has the same id.
func exactID(id jsontext.Value) bool {
	switch id.Kind() {
	case '"':
		return id.IsValid()
	case '0':
		n, err := strconv.ParseInt(string(id), 10, 64)
		return err == nil && -maxID <= n && n <= maxID
	}
	return false
}

func (e *envelope) readParams(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '{' {
		return dec.SkipValue()
	}
	return e.eachMember(dec, func(name string) error {
		if name == "arguments" {
			e.arguments = int(dec.InputOffset())
		}
		for _, known := range callParams {
			if name != known && strings.EqualFold(name, known) {
				e.misspelt = misspelling{at: string(dec.StackPointer()), known: known}
			}
		}
		return dec.SkipValue()
	})
}

// callTool is the method of a call of a tool.
const callTool = "tools/call"

// callParams are the names that the parameters of a call of a tool have.
var callParams = []string{"name", "arguments", "_meta"}

// misspelling is a name that differs from a known one in case only. The SDK passes over it, and a call without its
// arguments may be a good one.
type misspelling struct{ at, known string }

// eachMember calls read behind the name of each member of the object that comes next, until one is faulty. It keeps the
// place of a member whose name was there before.
func (e *envelope) eachMember(dec *jsontext.Decoder, read func(name string) error) error {
	if dec.PeekKind() != '{' {
		return nil
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		if seen[name] && e.repeated == "" {
			e.repeated = string(quotable(dec.StackPointer()))
		}
		seen[name] = true
		if err := read(name); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// maxName is the longest name that an answer repeats, in bytes.
const maxName = 24

// quotable is a place whose name is short enough to be repeated to the client, or else that of its object.
func quotable(p jsontext.Pointer) jsontext.Pointer {
	if len(p.LastToken()) > maxName {
		return p.Parent() + "/"
	}
	return p
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
