package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/jackc/pgx/v5/pgconn"
)

// The codes of PostgreSQL that the callers of a ledger tell apart, or operators are told what to do about. Of a class all
// codes have the first two characters.
const (
	codeSerialization    = "40001"
	codeDeadlock         = "40P01"
	codeCompletion       = "40003" // is unknown
	codeLockNotAvailable = "55P03"
	codeCanceled         = "57014" // among others by a statement_timeout
	codeStarting         = "57P03"
	codeTooMany          = "53300" // connections
	codeReadOnly         = "25006"
	codeSilent           = "25P03" // a transaction in which nothing was said for too long
	codeLasting          = "25P04" // a transaction that lasted too long, by a transaction_timeout
	codePrivilege        = "42501"
	codeNoTable          = "42P01"
	codeNoColumn         = "42703"
	codeNoSchema         = "3F000"
	codeDiskFull         = "53100"

	classConnection = "08"
	classLogin      = "28"
	classNoDatabase = "3D"
	classResources  = "53"
	classOperator   = "57"
	classSystem     = "58"
	classCorrupt    = "XX"
)

// codeOf is the code of an error of the server, and "" for any other.
func codeOf(err error) string {
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return ""
	}
	return server.Code
}

// answers are what the errors of a ledger are about.
var answers = []error{
	ledger.ErrExists, ledger.ErrNotFound, ledger.ErrConflict, ledger.ErrExpired, ledger.ErrBusy, ledger.ErrCorrupt, ledger.ErrUnsupported,
	ledger.ErrRequested, ledger.ErrCap, ledger.ErrUnavailable, ledger.ErrHoldOver,
}

// isAnswer tells whether an error was given its meaning already.
func isAnswer(err error) bool {
	return slices.ContainsFunc(answers, func(answer error) bool { return errors.Is(err, answer) })
}

// unsentError is what kept a statement from being sent.
type unsentError struct{ error }

func (e *unsentError) Unwrap() error { return e.error }

// wroteNothing tells whether a statement that failed is known to have written nothing: the server says that it was rolled
// back, or nothing of it was sent. A server that ends the connection may have committed before; and so may one that a pooler has
// lost, which some tell as any other error.
func wroteNothing(err error) bool {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		isLost := strings.HasPrefix(server.Code, classConnection) || server.Code == codeCompletion
		return severityOf(server) == "ERROR" && !isLost
	}
	var unsent *unsentError
	return errors.As(err, &unsent) || pgconn.SafeToRetry(err)
}

// severityOf is the severity in English.
func severityOf(server *pgconn.PgError) string {
	if server.SeverityUnlocalized != "" {
		return server.SeverityUnlocalized
	}
	return server.Severity // of servers that tell no other
}

// comesAgain tells of a failure that has written nothing and that another attempt may not meet.
func comesAgain(err error) bool {
	switch codeOf(err) {
	case codeSerialization, codeDeadlock:
		return true
	}
	return pgconn.SafeToRetry(err)
}

// mayConnect tells of a failure to connect that another attempt may not meet: the server starts, is not there yet, or has no
// connection left.
func mayConnect(err error) bool {
	switch code := codeOf(err); {
	case code == codeStarting, code == codeTooMany:
		return true
	case code != "":
		return false
	}
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) && errors.As(err, &network)
}

// unsupported says why the ledger cannot be used, and what to do.
func (o *options) unsupported(format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", o, ledger.ErrUnsupported, fmt.Sprintf(format, args...))
}

// corrupt says what is wrong with the ledger, and what to do.
func (o *options) corrupt(format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", o, ledger.ErrCorrupt, fmt.Sprintf(format, args...))
}

// busy says that nothing was written, and that it may be tried again.
func (o *options) busy(doing, why string, cause error) error {
	if cause == nil {
		return fmt.Errorf("%s: %s: %w: %s; try again", o, doing, ledger.ErrBusy, why)
	}
	return fmt.Errorf("%s: %s: %w: %s (%w); try again", o, doing, ledger.ErrBusy, why, cause)
}

// unavailable says that the server does not do what it is asked to, and what to do.
func (o *options) unavailable(doing string, cause error, advice string) error {
	return fmt.Errorf("%s: %s: %w: %w; %s", o, doing, ledger.ErrUnavailable, cause, advice)
}

// String names the ledger in errors, without anything of how it is reached.
func (o *options) String() string { return "ledger in schema " + o.schema }

// explain gives an error of the server, or of the way to it, the meaning it has for a ledger. What it does not know it
// passes on.
func (o *options) explain(doing string, err error) error {
	err = inOneLine(err)
	var unsent *unsentError
	if errors.Is(err, context.Canceled) || errors.As(err, &unsent) {
		return fmt.Errorf("%s: %s: %w", o, doing, err)
	}
	switch code := codeOf(err); {
	case code == codeSerialization, code == codeDeadlock:
		return o.busy(doing, "it met with other writes again and again", err)
	case code == codeLockNotAvailable:
		return o.busy(doing, "something else holds a lock that it needs", err)
	case code == codeCanceled, code == codeLasting:
		return o.busy(doing, "the server gave it up", err)
	case code == codeSilent:
		return o.busy(doing, "the server gave it up, because this program had said nothing for too long", err)
	case code == codeTooMany:
		return o.busy(doing, "the server has no connection left: raise its max_connections, or lower pool_max_conns", err)
	case code == codeReadOnly, errors.Is(err, pgconn.ErrReadOnlyConnection):
		return o.unavailable(doing, err, "connect to the server that takes writes: name all of them in the address, with target_session_attrs=read-write; "+
			"and as a role whose default_transaction_read_only is off")
	case code == codePrivilege:
		return o.notAllowed(doing, err)
	case code == codeNoTable, code == codeNoColumn, code == codeNoSchema:
		return o.corrupt("%s: %v; somebody has changed or dropped its tables: take that back, or restore a backup", doing, err)
	case code == codeDiskFull:
		return o.unavailable(doing, err, "make room on the disk of the server")
	case strings.HasPrefix(code, classCorrupt):
		return o.corrupt("%s: %v; look at the log of the server, and restore a backup", doing, err)
	}
	return o.explainReach(doing, err)
}

// notAllowed is explain for a role that lacks a grant. Who makes no ledger need not know what that takes.
func (o *options) notAllowed(doing string, err error) error {
	const listed = "docs/operating.md lists under Roles what each needs"
	if o.mustExist {
		return o.unsupported("%s: %v; this role may not do that, and "+listed, doing, err)
	}
	return o.unsupported("%s: %v; a new ledger is made by the role that is to own it, and for any other "+listed, doing, err)
}

// explainReach is explain for what keeps a server from being reached, or from answering.
func (o *options) explainReach(doing string, err error) error {
	switch code := codeOf(err); {
	case strings.HasPrefix(code, classLogin), strings.HasPrefix(code, classNoDatabase):
		return o.unavailable(doing, err, "give an address, a role and a database that the server knows")
	case strings.HasPrefix(code, classOperator):
		return o.unavailable(doing, err, "the server is being started or stopped: try again when it runs")
	case strings.HasPrefix(code, classConnection), strings.HasPrefix(code, classResources), strings.HasPrefix(code, classSystem):
		return o.unavailable(doing, err, "look at the log of the server")
	case code != "":
		return fmt.Errorf("%s: %s: %w", o, doing, err)
	}
	return o.unavailable(doing, err, cmp.Or(adviceOnKind(err), "see that the server runs and can be reached from here"))
}

// errUndecided says of a write that nobody answered for it: it may be there, or not.
var errUndecided = errors.New("whether this was recorded is not known")

// What to do then: about a change, and about the rest of a ledger, where to have something twice does no harm.
const (
	lookAtChange = "and then look with: changesetctl show"
	doAgain      = "and then try it again"
)

func (o *options) undecided(doing string, err error, advice string) error {
	reach := "see that the server runs and can be reached"
	if errors.Is(err, context.DeadlineExceeded) {
		reach += ", with the standbys that have to confirm a commit"
	}
	return fmt.Errorf("%s: %s: %w: %w: %w; %s, %s", o, doing, errUndecided, ledger.ErrUnavailable, err, reach, advice)
}
