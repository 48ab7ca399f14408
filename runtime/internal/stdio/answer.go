package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// What the sender of a line that is no message is told to do.
const hintLine = "Send one JSON-RPC 2.0 message a line, in UTF-8, and send this one again."

// judge gives the message of a line that the SDK can be handed, or else the line to answer it with.
func (o *Options) judge(f frame) (passed jsonrpc.Message, answer []byte, err error) {
	message, fault := f.decode()
	if fault == nil {
		return message, nil, nil
	}
	if call, unreadable := unreadableCall(f); call != nil {
		answer, err = o.refusalLine(call, unreadable)
		return nil, answer, err
	}
	e := readEnvelope(f.text)
	if id := e.requestID(); e.answers && id.IsValid() {
		return &jsonrpc.Response{ID: id, Error: o.wire(fault)}, nil, nil
	}
	answer, err = o.faultLine(&e, fault)
	return nil, answer, err
}

// wire is a fault as the sender of the line is told it.
func (o *Options) wire(fault *lineFault) *jsonrpc.Error {
	return &jsonrpc.Error{Code: fault.code, Message: fmt.Sprintf("This line was not read: %s. %s", o.Hide(fault.text), hintLine)}
}

// faultLine is the line of a JSON-RPC error. An id that is not known is null, which the SDK would leave out. What is not
// seen to be a request has no id here: as the id of an answer it could be that of another request of the client.
func (o *Options) faultLine(e *envelope, fault *lineFault) ([]byte, error) {
	out := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{Version: "2.0", Error: o.wire(fault)}
	if e.asks && !e.answers {
		out.ID = e.id
	}
	return visible.Marshal(out)
}

// refusalLine is the line of a result that refuses.
func (o *Options) refusalLine(call *jsonrpc.Request, unreadable *exact.Error) ([]byte, error) {
	result, err := o.Refuse(unreadable)
	if err != nil {
		return nil, err
	}
	raw, err := visible.Marshal(result)
	if err != nil {
		return nil, err
	}
	return jsonrpc.EncodeMessage(&jsonrpc.Response{ID: call.ID, Result: raw})
}

// unreadableCall is a call of a tool that would be one if its arguments were others, and what is wrong with those. It is
// nil for any other line. That way an agent is told, where a fault of the protocol may only be told to its client.
func unreadableCall(f frame) (*jsonrpc.Request, *exact.Error) {
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
	if !ok || !call.IsCall() || call.Method != callTool {
		return nil, nil
	}
	var unreadable *exact.Error
	if _, err := exact.Canonical(bytes.TrimLeft(text[start:end], jsonSpace+":"), exact.DefaultLimits); !errors.As(err, &unreadable) {
		return nil, nil
	}
	return call, unreadable
}
