package postgres_test

import (
	"bytes"
	"net"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy is the way to a server, which can be cut.
type proxy struct {
	server   string
	listener net.Listener

	mu      sync.Mutex
	refuses bool
	marker  []byte        // cut the connection that sends this
	passes  bool          // after the server got it; else before
	held    chan struct{} // closed when the server is to get it, long after its client was cut; nil: it is not held back
	cut     chan struct{} // closed when that has happened
	open    map[net.Conn]bool
	halt    []byte        // what sends this waits
	halted  chan struct{} // closed when it does
	goOn    chan struct{} // closed when it need not any more
	lull    []byte        // nothing arrives any more of the connection that sends this
	quiet   []*link       // of these nothing arrives
	breach  []byte        // what is sent from here on gets lost, and all that the connection sends later
	breaks  func(net.Conn)
	links   []*link
}

// newProxy gives a proxy, and the address of the database by way of it.
func newProxy(t *testing.T, dsn string) (*proxy, string) {
	t.Helper()
	address, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{server: address.Host, listener: listener, open: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = listener.Close()
		p.refuse()
	})
	go p.accept()
	address.Host = listener.Addr().String()
	return p, address.String()
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil || !p.add(client, server) {
			_ = client.Close()
			continue
		}
		l := &link{client: client, server: server, ended: make(chan struct{})}
		p.mu.Lock()
		p.links = append(p.links, l)
		p.mu.Unlock()
		go p.forward(l)
		go l.answer()
	}
}

// add remembers a connection, unless all are refused.
func (p *proxy) add(client, server net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuses {
		_ = server.Close()
		return false
	}
	p.open[client], p.open[server] = true, true
	return true
}

// refuse cuts all connections, and lets no new one in.
func (p *proxy) refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = true
	for conn := range p.open {
		_ = conn.Close()
	}
	clear(p.open)
}

// silence has nothing arrive any more of what is sent over a connection that is there now, and nobody told.
func (p *proxy) silence() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quiet = p.links
}

// silenceAt has nothing arrive of what is sent over the next connection that sends a text, beginning with that.
func (p *proxy) silenceAt(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lull = []byte(text)
}

// haltAt has what the next connection sends with a text wait on its way, from when halted is closed until somebody goes on.
func (p *proxy) haltAt(text string) (halted <-chan struct{}, goOn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.halt, p.halted, p.goOn = []byte(text), make(chan struct{}), make(chan struct{})
	return p.halted, sync.OnceFunc(func() { close(p.goOn) })
}

// waits has a connection that sends that wait, if it is to.
func (p *proxy) waits(sent []byte) {
	p.mu.Lock()
	halted, goOn := p.halted, p.goOn
	isIt := p.halt != nil && bytes.Contains(sent, p.halt)
	if isIt {
		p.halt = nil
	}
	p.mu.Unlock()
	if isIt {
		close(halted)
		<-goOn
	}
}

// breakAt has what the next connection sends arrive only up to a text, and nothing later. Broken is called then, with the
// connection to the server.
func (p *proxy) breakAt(text string, broken func(net.Conn)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.breach, p.breaks = []byte(text), broken
}

// isBroken tells whether what is sent gets lost from some place on, and has what comes before arrive.
func (p *proxy) isBroken(l *link, sent []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := bytes.Index(sent, p.breach)
	if p.breach == nil || at < 0 {
		return false
	}
	p.breach, p.quiet = nil, append(p.quiet, l)
	_, _ = l.server.Write(sent[:at])
	p.breaks(l.server)
	return true
}

// isLoud tells that nobody has sent the text that silences.
func (p *proxy) isLoud() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lull != nil
}

func (p *proxy) isSilent(l *link, sent []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lull != nil && bytes.Contains(sent, p.lull) {
		p.lull, p.quiet = nil, append(p.quiet, l)
	}
	return slices.Contains(p.quiet, l)
}

// connections is how many there were.
func (p *proxy) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

// admit lets new connections in again.
func (p *proxy) admit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = false
}

// cutAt has the next connection cut that sends a text: before the server gets it, or after. It gives a channel that is closed
// then.
func (p *proxy) cutAt(text string, passes bool) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.marker, p.passes, p.held, p.cut = []byte(text), passes, nil, make(chan struct{})
	return p.cut
}

// holdAt has the next connection cut that sends a text, and what it sends held back. The function that it gives has that reach
// the server, and returns when the server is done with it.
func (p *proxy) holdAt(text string) (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held, cut := make(chan struct{}), make(chan struct{})
	p.marker, p.passes, p.held, p.cut = []byte(text), true, held, cut
	return func() {
		close(held)
		<-cut
	}
}

// link is one connection by way of a proxy.
type link struct {
	client, server net.Conn
	dropped        atomic.Bool   // are the answers
	ended          chan struct{} // closed when the server has closed its side
}

// forward passes on what a client sends. Of its last statement it gets no answer: the connection is closed when the server is
// done with it, and not before, because a client that is cut has a statement cancelled.
func (p *proxy) forward(l *link) {
	defer func() { _ = l.server.Close() }()
	buffer := make([]byte, 1<<20)
	for {
		n, err := l.client.Read(buffer)
		if err != nil {
			if p.isSilent(l, nil) {
				<-l.ended // the server does not hear that its client is gone
			}
			return
		}
		if p.isBroken(l, buffer[:n]) || p.isSilent(l, buffer[:n]) {
			continue
		}
		p.waits(buffer[:n])
		isLast, passes, held := p.isLast(buffer[:n])
		l.dropped.Store(isLast)
		if isLast && held != nil {
			_ = l.client.Close()
			<-held
		}
		if !isLast || passes {
			if _, err := l.server.Write(buffer[:n]); err != nil {
				return
			}
		}
		if isLast {
			_ = l.server.(*net.TCPConn).CloseWrite()
			<-l.ended
			close(p.cut)
			return
		}
	}
}

// answer passes on what a server sends.
func (l *link) answer() {
	defer close(l.ended)
	defer func() { _ = l.client.Close() }()
	buffer := make([]byte, 1<<20)
	for {
		n, err := l.server.Read(buffer)
		if n > 0 && !l.dropped.Load() {
			_, _ = l.client.Write(buffer[:n])
		}
		if err != nil {
			return
		}
	}
}

// isLast tells whether a connection that sends that is to be cut, and whether the server is to get it, and when.
func (p *proxy) isLast(sent []byte) (isIt, passes bool, held <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.marker == nil || !bytes.Contains(sent, p.marker) {
		return false, false, nil
	}
	p.marker = nil
	return true, p.passes, p.held
}
