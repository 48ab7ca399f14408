package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// attempts is how often a start is tried: any port may be taken by another before the server has it.
	attempts = 10
	// glance is how long it is between two looks at a server that starts or ends.
	glance = 5 * time.Millisecond
	// stateFile is what a server keeps among its data while it runs.
	stateFile = "postmaster.pid"
)

// server is a process of the server, which may have ended.
type server struct {
	process *os.Process
	ended   chan struct{} // closed once it has
	err     error         // how it ended
}

// errPort says that a server could not have its port.
var errPort = errors.New("the port was taken meanwhile")

// startAnywhere starts the server on a port that is free.
func (c *Cluster) startAnywhere(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		port, err := freePort()
		if err != nil {
			return err
		}
		c.port = port
		if err = c.start(ctx); !errors.Is(err, errPort) || attempt == attempts {
			return err
		}
	}
}

// startAgain starts the server at the port that it had. A connection of somebody else may have that for a moment, such as that
// of a client which tried to connect while nobody listened, and was given the same port for its own end.
func (c *Cluster) startAgain(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		if err := c.start(ctx); !errors.Is(err, errPort) || attempt == attempts {
			return err
		}
	}
}

// freePort is a port of loopback that nobody listens on now.
func freePort() (int, error) {
	listener, err := net.Listen("tcp4", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err = errors.Join(err, listener.Close()); err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	return strconv.Atoi(port)
}

// start starts the server, and waits until it takes connections.
func (c *Cluster) start(ctx context.Context) error {
	log, err := os.OpenFile(c.logFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("the log of a cluster: %w", err)
	}
	defer log.Close()
	before, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("the log of a cluster: %w", err)
	}
	cmd := c.command(context.WithoutCancel(ctx), "postgres", "-D", c.data(), "-p", strconv.Itoa(c.port))
	cmd.Stdout, cmd.Stderr = log, log
	dies(cmd.SysProcAttr)
	started, err := launch(cmd)
	if err != nil {
		return fmt.Errorf("start a server of PostgreSQL: %w", err)
	}
	c.server = started
	if err := c.ready(ctx); err != nil {
		told := c.Log()[before:]
		if strings.Contains(told, "could not bind") {
			err = errPort
		}
		return errors.Join(fmt.Errorf("start a server of PostgreSQL: %w\n%s", err, told), c.server.kill())
	}
	return nil
}

// launch starts a server from a thread that lasts until the server ends, as it is that thread's death that the server would
// not survive.
func launch(cmd *exec.Cmd) (*server, error) {
	s, started := &server{ended: make(chan struct{})}, make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			s.err = cmd.Wait()
			close(s.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	s.process = cmd.Process
	return s, nil
}

// ready waits until the server's own file says that it takes connections. A server that was killed leaves such a file too.
func (c *Cluster) ready(ctx context.Context) error {
	for {
		text, err := os.ReadFile(filepath.Join(c.data(), stateFile))
		if err == nil && c.server.isReady(string(text)) {
			return nil
		}
		select {
		case <-c.server.ended:
			return fmt.Errorf("it ended: %w", c.server.err)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(glance):
		}
	}
}

// isReady reads the file of a server: its first line is the process, its eighth what state it is in.
func (s *server) isReady(file string) bool {
	const processLine, stateLine = 0, 7
	lines := strings.Split(file, "\n")
	if len(lines) <= stateLine || lines[processLine] != strconv.Itoa(s.process.Pid) {
		return false
	}
	state := strings.TrimSpace(lines[stateLine])
	return state == "ready" || state == "standby"
}

// kill ends the server and its children. The server is halted first, so that it starts no more of them.
func (s *server) kill() error {
	if s.hasEnded() { // and its number may be another's
		return nil
	}
	err := s.send(halt)
	if err == nil {
		err = killChildren(s.process.Pid)
	}
	if err = errors.Join(err, s.send(syscall.SIGKILL)); err != nil {
		return fmt.Errorf("kill a server: %w", err)
	}
	<-s.ended
	return nil
}

// send sends a signal to the server, unless it has ended.
func (s *server) send(signal os.Signal) error {
	if err := s.process.Signal(signal); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// drop ends the server without any care for its data.
func (s *server) drop(data string) error {
	if s.hasEnded() { // it was killed, and could not free what it had in memory
		return freeMemory(data)
	}
	if err := s.send(syscall.SIGQUIT); err != nil {
		return fmt.Errorf("end a server: %w", err)
	}
	<-s.ended
	return nil
}

// shutDown ends the server in order, if it runs.
func (s *server) shutDown(ctx context.Context) error {
	if err := s.send(shutDownNow); err != nil {
		return fmt.Errorf("shut a server down: %w", err)
	}
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("shut a server down: %w", ctx.Err())
	}
}

func (s *server) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}
