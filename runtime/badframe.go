package runtime

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// frameDepth is how deep a message may nest: as deep as the SDK reads.
const frameDepth = 1000

// What the sender of a line that is no message is told to do.
const hintLine = "Send one JSON-RPC 2.0 message a line, in UTF-8, and send this one again."

// judgeFrame gives the message of a line that the SDK can be handed, or else the line to answer it with.
func judgeFrame(f frame) (passed jsonrpc.Message, answer []byte, err error) {
	message, fault := f.decode()
	if fault == nil {
		return message, nil, nil
	}
	if call, no := refuseUnreadable(f); no != nil {
		answer, err = refusalLine(call, no)
		return nil, answer, err
	}
	e := readEnvelope(f.text)
	if id := e.requestID(); e.answers && id.IsValid() {
		return &jsonrpc.Response{ID: id, Error: fault.wire()}, nil, nil
	}
	answer, err = faultLine(&e, fault)
	return nil, answer, err
}

// faultyID is said of an id that an answer could not repeat.
const faultyID = "an id is a string, or an integer of at most 2^53 (at /id)"

// lineFault is why a line is no message.
type lineFault struct {
	code int64 // of JSON-RPC
	text string
}

func (f *lineFault) wire() *jsonrpc.Error {
	return &jsonrpc.Error{Code: f.code, Message: fmt.Sprintf("This line was not read: %s. %s", hideTokens(f.text), hintLine)}
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

// faultLine is the line of a JSON-RPC error. An id that is not known is null, which the SDK would leave out. What is not
// seen to be a request has no id here: as the id of an answer it could be that of another request of the client.
func faultLine(e *envelope, fault *lineFault) ([]byte, error) {
	out := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{Version: "2.0", Error: fault.wire()}
	if e.asks && !e.answers {
		out.ID = e.id
	}
	return visible.Marshal(out)
}

// refusalLine is the line of a result that refuses.
func refusalLine(call *jsonrpc.Request, no *refusal) ([]byte, error) {
	result, err := toResult(no)
	if err != nil {
		return nil, err
	}
	raw, err := visible.Marshal(result)
	if err != nil {
		return nil, err
	}
	return jsonrpc.EncodeMessage(&jsonrpc.Response{ID: call.ID, Result: raw})
}

// refuseUnreadable refuses a call of a tool that would be one if its arguments were others. It is nil for any other
// line. That way an agent is told, where a fault of the protocol may only be told to its client.
func refuseUnreadable(f frame) (*jsonrpc.Request, *refusal) {
	text, start := f.text, readEnvelope(f.text).arguments
	if start == 0 || f.cut {
		return nil, nil
	}
	end := start + valueLength(text[start:])
	message, fault := frame{text: slices.Concat(text[:start], []byte(":{}"), text[end:])}.decode()
	if fault != nil {
		return nil, nil
	}
	call, ok := message.(*jsonrpc.Request)
	if !ok || !call.IsCall() || call.Method != methodCallTool {
		return nil, nil
	}
	var place *exact.Error
	if _, err := exact.Canonical(bytes.TrimLeft(text[start:end], jsonSpace+":"), exact.DefaultLimits); !errors.As(err, &place) {
		return nil, nil
	}
	v := unreadable(place)
	v.Pointer, v.Found, v.Message = hideTokens(v.Pointer), hideTokens(v.Found), hideTokens(v.Message)
	return call, refuseArguments([]payload.Violation{v})
}

// anyToken matches what mintToken makes.
var anyToken = regexp.MustCompile(fmt.Sprintf(`(%s|%s)_[A-Za-z0-9_-]{%d}`, forApply, forUndo, base64.RawURLEncoding.EncodedLen(tokenBytes)))

// hideTokens makes a text that repeats what a client sent fit for an answer.
func hideTokens(text string) string { return anyToken.ReplaceAllString(text, "${1}_…") }
