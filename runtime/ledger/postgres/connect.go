package postgres

import (
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// connectError is a failure to connect, told in one line. The driver tries each host with TLS and without where the address
// leaves that open, and tells of each attempt in a line of its own.
type connectError struct{ of *pgconn.ConnectError }

func (e *connectError) Unwrap() error { return e.of }

// noTLS is what an attempt ends with because the server has no TLS. The attempt without TLS says what is wrong besides.
const noTLS = "server refused TLS connection"

func (e *connectError) Error() string {
	const separator = "\n\t" // of what the driver begins with, and each attempt
	about, attempts, _ := strings.Cut(e.of.Error(), separator)
	if attempts == "" {
		return about
	}
	all := slices.Compact(strings.Split(attempts, separator))
	telling := slices.DeleteFunc(slices.Clone(all), func(attempt string) bool { return strings.HasSuffix(attempt, noTLS) })
	if len(telling) == 0 {
		telling = all
	}
	return about + " " + strings.Join(telling, "; ")
}

// inOneLine is an error with which a failure to connect is told in one line.
func inOneLine(err error) error {
	var failed *pgconn.ConnectError
	if errors.As(err, &failed) {
		return &connectError{failed}
	}
	return err
}

// otherKinds are what a server is refused for that was reached.
var otherKinds = []error{pgconn.ErrReadWriteConnection, pgconn.ErrPrimaryConnection, pgconn.ErrStandbyConnection}

// adviceOnKind says what to do about a server that was reached, and is not as its address asks for; "" of any other error.
func adviceOnKind(err error) string {
	var failed *connectError
	switch {
	case !errors.As(err, &failed):
		return ""
	case strings.Contains(failed.Error(), noTLS):
		return "the server has no TLS: set ssl to on there, with a certificate; or, where nobody else is on the way to it, sslmode=disable in the address"
	case slices.ContainsFunc(otherKinds, func(kind error) bool { return errors.Is(err, kind) }):
		return "name a server in the address that is as its target_session_attrs asks for, or leave that out"
	}
	return ""
}
