package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// frameDepth is how deep a message may nest: as deep as the SDK reads.
const frameDepth = 1000

// faultyID is said of an id that an answer could not repeat.
const faultyID = "an id is a string, or an integer of at most 2^53 (at /id)"

// lineFault is why a line is no message.
type lineFault struct {
	code int64 // of JSON-RPC
	text string
}

// decode reads a line as the SDK would: what it returns a message for, the SDK takes.
func (f frame) decode() (jsonrpc.Message, *lineFault) {
	switch {
	case f.cut:
		return nil, &lineFault{jsonrpc.CodeInvalidRequest, fmt.Sprintf("it is longer than %d bytes; send less at once", f.limit)}
	case !json.Valid(f.text):
		return nil, &lineFault{jsonrpc.CodeParseError, syntaxFault(f.text)}
	case bytes.TrimLeft(f.text, jsonSpace)[0] == '[':
		return nil, &lineFault{jsonrpc.CodeInvalidRequest, "it is a batch, which is not taken; send each message on a line of its own"}
	}
	message, err := jsonrpc.DecodeMessage(f.text)
	if err != nil {
		return nil, &lineFault{jsonrpc.CodeInvalidRequest, envelopeFault(f.text)}
	}
	switch e := readEnvelope(f.text); {
	case e.repeated != "":
		return nil, &lineFault{jsonrpc.CodeInvalidRequest, fmt.Sprintf("a name appears more than once in its object (at %s); keep one", visible.Value(e.repeated))}
	case e.calls && e.misspelt.known != "":
		return nil, &lineFault{jsonrpc.CodeInvalidRequest, fmt.Sprintf("a name is %q but for its case (at %s); write it so", e.misspelt.known, e.misspelt.at)}
	case e.inexactID && e.asks:
		return nil, &lineFault{jsonrpc.CodeInvalidRequest, faultyID}
	}
	return message, nil
}

// syntaxFault says where a text that is no JSON goes wrong. The strict reader knows the path as well; of a very long
// text it would build more than an explanation is worth.
func syntaxFault(text []byte) string {
	if len(text) <= exact.DefaultLimits.Bytes {
		if _, err := exact.Canonical(text, exact.Limits{Depth: frameDepth}); err != nil {
			return err.Error()
		}
	}
	err := json.Unmarshal(text, new(json.RawMessage))
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("not JSON: %v (byte %d)", err, syntax.Offset-1)
	}
	return "not JSON"
}

// envelopeFault says which member keeps JSON from being a message.
func envelopeFault(text []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members == nil {
		return "it is not an object"
	}
	kind := func(name string) jsontext.Kind { return jsontext.Value(members[name]).Kind() }
	e := readEnvelope(text)
	hasID := e.requestID().IsValid()
	switch {
	case string(members["jsonrpc"]) != `"2.0"`:
		return `it has no "jsonrpc": "2.0" (at /jsonrpc)`
	case members["id"] != nil && !hasID && kind("id") != 'n':
		return faultyID
	case members["method"] != nil && kind("method") != '"':
		return "a method is a string (at /method)"
	case members["method"] == nil && !hasID:
		return "it has neither a method nor an id"
	case members["error"] != nil && kind("error") != '{':
		return "an error is an object with a code and a message (at /error)"
	}
	return fmt.Sprintf("it is no request, notification or response, or nests more than %d objects and arrays", frameDepth)
}
