// Package stdio carries messages of MCP over a reader and a writer, one JSON-RPC message a line. A line that is none is
// answered and the session goes on; the transport of the SDK ends the session there, and with it the server.
package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// Options say what becomes of lines that are no message.
type Options struct {
	// MaxLine is the longest line that is read, in bytes. A longer one is answered with an error, and no more of it than
	// this is held in memory.
	MaxLine int
	// Refuse makes the result of a call of a tool whose only fault is inside its arguments, which cannot be read.
	Refuse func(fault *exact.Error) (*mcp.CallToolResult, error)
	// Hide makes a text that repeats what a client sent fit for an answer.
	Hide func(text string) string
}

// Connect is a connection over a reader and a writer, for one session with one client. It reads on its own until the
// reader ends or the connection is closed.
//
// A call of a tool that cannot be read in its arguments is refused. Anything else that is no message gets a JSON-RPC error
// that says what is wrong, where, and what to do: with the id of the request if that could be read, and null otherwise. An
// answer of the client that cannot be read fails the request it belongs to. Batches are refused.
//
// It ends without an error when the reader does, and when nobody reads what is written.
func Connect(reader io.ReadCloser, writer io.WriteCloser, opts Options) mcp.Connection {
	c := &connection{
		opts:     opts,
		frames:   newFrameReader(reader, opts.MaxLine),
		reader:   reader,
		writer:   writer,
		incoming: make(chan incoming),
		closed:   make(chan struct{}),
	}
	go c.receive()
	return c
}

// connection implements mcp.Connection.
type connection struct {
	opts     Options
	frames   *frameReader
	reader   io.Closer
	incoming chan incoming
	closed   chan struct{}

	writing sync.Mutex // held for one whole line
	writer  io.WriteCloser

	closing  sync.Once
	closeErr error
}

// incoming is a message, or why there are no more.
type incoming struct {
	message jsonrpc.Message
	err     error
}

// receive reads until the reader ends or the connection is closed. It is a goroutine of its own because a read of the
// standard input cannot be interrupted.
func (c *connection) receive() {
	for {
		message, err := c.next()
		select {
		case c.incoming <- incoming{message, err}:
		case <-c.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// next returns the next message that can be passed on, and answers the lines before it that cannot.
func (c *connection) next() (jsonrpc.Message, error) {
	for {
		frame, err := c.frames.next()
		if err != nil {
			return nil, err
		}
		passed, answer, err := c.opts.judge(frame)
		if err != nil {
			return nil, err
		}
		if passed != nil {
			return passed, nil
		}
		if err := c.send(answer); err != nil {
			return nil, err
		}
	}
}

// Read implements mcp.Connection.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case in := <-c.incoming:
		if in.err != nil && c.isClosed() {
			return nil, io.EOF // the reader was closed under the read
		}
		return in.message, in.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.closed:
		return nil, io.EOF
	}
}

// Write implements mcp.Connection.
func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	line, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return fmt.Errorf("runtime: a message could not be written: %w", err)
	}
	return c.send(line)
}

// send writes one line. For the SDK io.EOF is the end of a session, and anything else a failure.
func (c *connection) send(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.writer.Write(append(line, '\n'))
	if err != nil && nobodyReads(err) {
		return fmt.Errorf("runtime: the client is gone: %w: %w", io.EOF, err)
	}
	return err
}

// Close implements mcp.Connection.
func (c *connection) Close() error {
	c.closing.Do(func() {
		close(c.closed) // before the reader: Read then knows why a read failed
		c.closeErr = errors.Join(c.reader.Close(), c.writer.Close())
	})
	return c.closeErr
}

func (c *connection) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

// SessionID implements mcp.Connection: there is one session, without a name.
func (*connection) SessionID() string { return "" }
