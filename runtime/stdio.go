package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
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
	c := &lineConnection{
		frames:   newFrameReader(t.Reader, cmp.Or(t.MaxLine, DefaultMaxLine)),
		reader:   t.Reader,
		writer:   t.Writer,
		incoming: make(chan incoming),
		closed:   make(chan struct{}),
	}
	go c.receive()
	return c, nil
}

// lineConnection implements mcp.Connection.
type lineConnection struct {
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
func (c *lineConnection) receive() {
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
func (c *lineConnection) next() (jsonrpc.Message, error) {
	for {
		frame, err := c.frames.next()
		if err != nil {
			return nil, err
		}
		passed, answer, err := judgeFrame(frame)
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
func (c *lineConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
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
func (c *lineConnection) Write(ctx context.Context, message jsonrpc.Message) error {
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
func (c *lineConnection) send(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.writer.Write(append(line, '\n'))
	if err != nil && nobodyReads(err) {
		return fmt.Errorf("runtime: the client is gone: %w: %w", io.EOF, err)
	}
	return err
}

// Close implements mcp.Connection.
func (c *lineConnection) Close() error {
	c.closing.Do(func() {
		close(c.closed) // before the reader: Read then knows why a read failed
		c.closeErr = errors.Join(c.reader.Close(), c.writer.Close())
	})
	return c.closeErr
}

func (c *lineConnection) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

// SessionID implements mcp.Connection: there is one session, without a name.
func (*lineConnection) SessionID() string { return "" }
