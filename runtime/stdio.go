package runtime

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/stdio"
)

// DefaultMaxLine is the longest line that a LineTransport reads, in bytes: the longest that the SDK reads.
const DefaultMaxLine = mcp.DefaultMaxLineLength

// LineTransport is a connection over a reader and a writer, one JSON-RPC message a line. It serves one client, and is
// for one call of Server.Run or Server.Connect.
//
// A line that is no message is answered and the session goes on; mcp.IOTransport ends the session, and with it the
// server. A call of a tool whose only fault is inside its arguments gets the result of a refusal, with the code
// invalid_arguments and the place. Anything else gets a JSON-RPC error that says what is wrong, where, and what to do:
// with the id of the request if that could be read, and null otherwise. An answer of the client that cannot be read
// fails the request it belongs to. Batches are refused; the protocol has none since 2025-06-18.
//
// What the arguments of a tool may hold is not decided here: a name that appears twice, say, reaches the tool.
//
// The session ends without an error when the reader does, and when nobody reads what is written.
type LineTransport struct {
	Reader io.ReadCloser
	Writer io.WriteCloser

	// MaxLine is the longest line that is read, in bytes; DefaultMaxLine. A longer one is answered with an error, and
	// no more of it than this is held in memory.
	MaxLine int
}

// StdioTransport is a LineTransport over the standard input and output. Use it in place of mcp.StdioTransport.
func StdioTransport() *LineTransport {
	return &LineTransport{Reader: os.Stdin, Writer: keptOpen{os.Stdout}}
}

// keptOpen is a writer that closing a session does not close.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// Connect implements mcp.Transport.
func (t *LineTransport) Connect(context.Context) (mcp.Connection, error) {
	return stdio.Connect(t.Reader, t.Writer, stdio.Options{
		MaxLine: cmp.Or(t.MaxLine, DefaultMaxLine),
		Refuse:  refuseUnreadable,
		Hide:    hideTokens,
	}), nil
}

// refuseUnreadable refuses a call of a tool whose arguments cannot be read, so that an agent is told of it.
func refuseUnreadable(fault *exact.Error) (*mcp.CallToolResult, error) {
	v := unreadable(fault)
	v.Pointer, v.Found, v.Message = hideTokens(v.Pointer), hideTokens(v.Found), hideTokens(v.Message)
	return toResult(refuseArguments([]payload.Violation{v}))
}

// anyToken matches what mintToken makes.
var anyToken = regexp.MustCompile(fmt.Sprintf(`(%s|%s)_[A-Za-z0-9_-]{%d}`, forApply, forUndo, base64.RawURLEncoding.EncodedLen(tokenBytes)))

// hideTokens makes a text that repeats what a client sent fit for an answer.
func hideTokens(text string) string { return anyToken.ReplaceAllString(text, "${1}_…") }
