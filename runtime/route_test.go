package runtime_test

import (
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// route is how one host reaches a server elsewhere: by an address of the host's own. A test may cut it. Then nothing that is
// sent arrives, neither way, and nobody is told; what was sent meanwhile arrives once the route is mended, as it may on a
// network.
type route struct {
	address string
	to      string
	from    net.Addr // what the server takes the host's connections to come from

	mu   sync.Mutex
	open chan struct{} // closed while the route is not cut
}

// hosts numbers the hosts of this process: each has an address of loopback.
var hosts atomic.Int32

// newRoute is a route to an address from the next host, which is there until the test ends. Not every system has more than
// one address of loopback.
func newRoute(t *testing.T, to string) *route {
	t.Helper()
	host := fmt.Sprintf("127.0.1.%d", hosts.Add(1))
	listener, err := net.Listen("tcp4", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Skipf("the hosts of this test have addresses of loopback, of which this system has not got more than one: %v", err)
	}
	r := &route{address: listener.Addr().String(), to: to, from: &net.TCPAddr{IP: net.ParseIP(host)}, open: make(chan struct{})}
	close(r.open)
	var lanes lanes
	t.Cleanup(func() {
		_ = listener.Close()
		r.mend()
		lanes.close()
	})
	go func() {
		for {
			here, err := listener.Accept()
			if err != nil {
				return
			}
			go r.carry(here, &lanes)
		}
	}()
	return r
}

// cut lets nothing through from now on.
func (r *route) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = make(chan struct{})
}

// mend lets everything through, and first what was kept back.
func (r *route) mend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.open:
	default:
		close(r.open)
	}
}

// whole waits while the route is cut.
func (r *route) whole() {
	r.mu.Lock()
	open := r.open
	r.mu.Unlock()
	<-open
}

// carry carries one connection.
func (r *route) carry(here net.Conn, lanes *lanes) {
	r.whole()
	there, err := (&net.Dialer{LocalAddr: r.from}).Dial("tcp4", r.to)
	if err != nil {
		_ = here.Close()
		return
	}
	lanes.add(here, there)
	go r.lane(here, there)
	r.lane(there, here)
}

// lane carries what is sent one way. A connection that is closed is closed on the other side too, when that can be told.
func (r *route) lane(from, to net.Conn) {
	chunk := make([]byte, 64<<10)
	for {
		n, err := from.Read(chunk)
		r.whole()
		if n > 0 {
			if _, failed := to.Write(chunk[:n]); failed != nil {
				err = failed
			}
		}
		if err != nil {
			_, _ = from.Close(), to.Close()
			return
		}
	}
}

// lanes are the connections of a route.
type lanes struct {
	mu    sync.Mutex
	conns []net.Conn
}

func (l *lanes) add(conns ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, conns...)
}

func (l *lanes) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		_ = conn.Close()
	}
}
