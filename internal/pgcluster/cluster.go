// Package pgcluster starts PostgreSQL for tests and measurements: a temporary cluster, made and run with the binaries that
// are installed, which nothing of outlives the process that started it. It needs no server that runs already, no container
// and no right of the superuser; where it runs as the superuser, the server runs as another user.
package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
)

// superuser is the role that owns the cluster. It needs no password: the cluster listens on loopback alone, and holds
// nothing worth one.
const superuser = "postgres"

// Settings say how a cluster is run.
type Settings struct {
	// Durable is for measurements, and for tests of what a power loss leaves: the cluster lives on a disk. Without it it lives
	// in memory where there is room, and is as careful there: what it syncs costs nothing.
	Durable bool
	// Conf are lines of postgresql.conf, such as "max_connections = 20". They win over what this package says.
	Conf []string
}

// Cluster is a server of PostgreSQL with its directory. Its methods may be called by several goroutines, but only one at a
// time may start or end the server.
type Cluster struct {
	binaries binaries
	dir      *directory
	port     int
	server   *server // what runs, or ran last
}

// Run makes a cluster in a new directory within parent, and returns when it takes connections. With "" it chooses the
// parent: memory for a cluster that is not durable, if that has room, else the directory for temporary files. Where Run is called as the
// superuser, the parent must be one that other users can enter. ErrNotInstalled says that there are no binaries. ctx bounds
// the start alone. The cluster is there until Stop, or until the process ends, however it does.
func Run(ctx context.Context, parent string, settings Settings) (*Cluster, error) {
	found, err := find()
	if err != nil {
		return nil, err
	}
	c, err := prepare(found, parent, settings)
	if err != nil {
		return nil, err
	}
	if err = c.fill(ctx); err == nil {
		err = c.configure(settings)
	}
	if err == nil {
		err = c.startAnywhere(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, c.dir.remove())
	}
	return c, nil
}

// prepare makes the directory of a cluster, and nothing in it.
func prepare(found binaries, parent string, settings Settings) (*Cluster, error) {
	if parent == "" {
		parent = found.user.place(settings.Durable)
	}
	dir, err := newDirectory(parent, found.user)
	if err != nil {
		return nil, err
	}
	return &Cluster{binaries: found, dir: dir}, nil
}

// Stop ends the server at once, with whatever its connections do, and removes its directory.
func (c *Cluster) Stop() error { return errors.Join(c.server.drop(c.data()), c.dir.remove()) }

// Kill ends every process of the server with SIGKILL: no connection is closed in order, and nothing is written any more.
// When it returns, the server answers nobody. What the server had synced is there for Restart.
func (c *Cluster) Kill() error { return c.server.kill() }

// Restart starts the server again, with the same address and data. One that still runs is shut down in order first.
func (c *Cluster) Restart(ctx context.Context) error {
	if err := c.server.shutDown(ctx); err != nil {
		return err
	}
	return c.startAgain(ctx)
}

// DSN is the address of a database for the superuser of the cluster, by TCP on loopback.
func (c *Cluster) DSN(database string) string { return c.RoleDSN(superuser, "", database) }

// RoleDSN is the address of a database for a role. No password is asked for, whatever it is.
func (c *Cluster) RoleDSN(role, password, database string) string {
	user := url.User(role)
	if password != "" {
		user = url.UserPassword(role, password)
	}
	dsn := url.URL{Scheme: "postgres", User: user, Host: c.Address(), Path: "/" + database, RawQuery: "sslmode=disable"}
	return dsn.String()
}

// Address is the host and port on loopback.
func (c *Cluster) Address() string { return net.JoinHostPort(loopback, strconv.Itoa(c.port)) }

// SocketDirectory is where the server's Unix socket is: what libpq calls a host that begins with "/".
func (c *Cluster) SocketDirectory() string { return c.dir.path }

// Program is the path of another program of the same installation, such as "pgbench". It may not be there.
func (c *Cluster) Program(name string) string { return filepath.Join(c.binaries.dir, name) }

// Log is what the server has written to its log so far.
func (c *Cluster) Log() string {
	text, err := os.ReadFile(c.logFile())
	if err != nil {
		return fmt.Sprintf("(no log: %v)", err)
	}
	return string(text)
}

func (c *Cluster) data() string    { return filepath.Join(c.dir.path, "data") }
func (c *Cluster) logFile() string { return filepath.Join(c.dir.path, "log") }
