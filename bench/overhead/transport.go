package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveArgument makes this program a server over standard input and output. The name of the kind follows.
const serveArgument = "serve"

// kind is one of the two servers that are compared.
type kind struct {
	name string
	make func(ctx context.Context) (*application, error)
}

var (
	guardedKind = kind{"guarded", guardedServer}
	bareKind    = kind{"bare", bareServer}
	kinds       = []kind{guardedKind, bareKind}
)

// serveStdio is a server of the kind of that name until its client leaves.
func serveStdio(ctx context.Context, name string) error {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if at < 0 {
		return fmt.Errorf("there is no server of the kind %q", name)
	}
	a, err := kinds[at].make(ctx)
	if err != nil {
		return err
	}
	return errors.Join(a.server.Run(ctx, a.stdio), a.close(ctx))
}

// transport is a way to a server.
type transport struct {
	name    string
	connect func(ctx context.Context, to kind) (*connection, error)
}

var transports = []transport{{"in memory", overMemory}, {"stdio", overStdio}, {"streamable HTTP", overHTTP}}

// connection is a session with a server, and what ends both.
type connection struct {
	session *mcp.ClientSession
	close   func() error
}

func client() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "overhead", Version: "1"}, nil)
}

// overMemory talks to a server in this process.
func overMemory(ctx context.Context, to kind) (*connection, error) {
	a, err := to.make(ctx)
	if err != nil {
		return nil, err
	}
	near, far := mcp.NewInMemoryTransports()
	served, err := a.server.Connect(ctx, far, nil)
	if err != nil {
		return nil, err
	}
	session, err := client().Connect(ctx, near, nil)
	if err != nil {
		return nil, err
	}
	return &connection{session, func() error {
		return errors.Join(session.Close(), served.Wait(), a.close(ctx))
	}}, nil
}

// endPatience is how long a server may take to end once its standard input is closed, before it is made to. It is no
// expectation: a machine that is busy may stall for long.
const endPatience = time.Minute

// overStdio talks to a server in a process of its own, whose log goes nowhere.
func overStdio(ctx context.Context, to kind) (*connection, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.Command(program, serveArgument, to.name)
	session, err := client().Connect(ctx, &mcp.CommandTransport{Command: command, TerminateDuration: endPatience}, nil)
	if err != nil {
		return nil, err
	}
	return &connection{session, session.Close}, nil
}

// overHTTP talks to a server in this process by way of loopback.
func overHTTP(ctx context.Context, to kind) (*connection, error) {
	a, err := to.make(ctx)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	web := &http.Server{Handler: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return a.server }, nil)}
	go func() { _ = web.Serve(listener) }() // says only that it was closed
	session, err := client().Connect(ctx, &mcp.StreamableClientTransport{Endpoint: "http://" + listener.Addr().String()}, nil)
	if err != nil {
		return nil, errors.Join(err, web.Close(), a.close(ctx))
	}
	return &connection{session, func() error {
		return errors.Join(session.Close(), web.Close(), a.close(ctx))
	}}, nil
}
