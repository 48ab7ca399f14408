package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"modernc.org/sqlite"
)

// bonds are what keeps a joined body to its own tables and inside its transaction, on the connection that writes. They are
// tied while the body has it.
type bonds struct {
	own     objects // of the ledger; not changed while they are tied
	tied    atomic.Bool
	ended   atomic.Bool            // the transaction was over before the body had returned, or the body tried to end it
	refused atomic.Pointer[string] // what the latest statement was not let do
}

var (
	errBound = errors.New("a joined body changes rows of its own tables, and the ledger commits them with the record of the change")
	// errEnded is a body that ended its transaction, as by Rollback or INSERT OR ROLLBACK, or that tried to.
	errEnded = errors.New("the joined body ended its transaction, or tried to, so that nothing of it was kept")
)

// bind has the engine ask the bonds about each statement and each commit of a connection, and tell them of each rollback.
func bind(conn *sql.Conn) (*bonds, error) {
	b := &bonds{}
	return b, conn.Raw(func(engine any) error {
		hooks, tells := engine.(sqlite.HookRegisterer)
		asks, authorizes := engine.(sqlite.AuthorizerRegisterer)
		if !tells || !authorizes {
			return fmt.Errorf("%w: the driver does not say what is done with a connection", ledger.ErrUnsupported)
		}
		hooks.RegisterCommitHook(b.veto)
		hooks.RegisterRollbackHook(b.note)
		return asks.RegisterAuthorizer(b.authorize)
	})
}

// to are the bonds for a body, with what is the ledger's.
func (b *bonds) to(own objects) *bonds {
	b.own = own
	return b
}

func (b *bonds) tie() {
	b.ended.Store(false)
	b.refused.Store(nil)
	b.tied.Store(true)
}

func (b *bonds) untie() { b.tied.Store(false) }

// veto makes a rollback of a commit. Where a statement has ended the transaction, each that follows would be one by itself.
func (b *bonds) veto() int32 {
	if !b.tied.Load() {
		return 0
	}
	b.ended.Store(true)
	return 1
}

func (b *bonds) note() {
	if b.tied.Load() {
		b.ended.Store(true)
	}
}

// broken says that the transaction is over that the body was given.
func (b *bonds) broken() error {
	if b.ended.Load() {
		return errEnded
	}
	return nil
}

// telling are the pragmas that change nothing, which virtual tables and libraries use.
var telling = []string{"data_version", "foreign_key_list", "index_info", "index_list", "index_xinfo", "table_info", "table_list", "table_xinfo"}

// beginning is the deed of a statement that begins a transaction. Any other about transactions ends one.
const beginning = "BEGIN"

// authorize lets a body read everything, and change rows of what is not the ledger's. An end of the transaction is refused, and
// gives the whole change up: who wrote it wants nothing of it kept as it is.
func (b *bonds) authorize(action sqlite.AuthorizerActionCode, subject, _, _, _ string) sqlite.AuthorizerReturnCode {
	if !b.tied.Load() || b.allows(action, subject) {
		return sqlite.AuthorizerOK
	}
	what := deed(action, subject)
	b.refused.Store(&what)
	if action == sqlite.AuthTransaction && what != beginning {
		b.ended.Store(true)
	}
	return sqlite.AuthorizerDeny
}

func (b *bonds) allows(action sqlite.AuthorizerActionCode, subject string) bool {
	switch action {
	case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthFunction, sqlite.AuthRecursive, sqlite.AuthSavepoint:
		return true
	case sqlite.AuthInsert, sqlite.AuthUpdate, sqlite.AuthDelete:
		return !b.own.has(subject)
	case sqlite.AuthPragma:
		return slices.Contains(telling, strings.ToLower(subject))
	}
	return false // above all the end of a transaction, and changes to the schema
}

// deed names what was refused.
func deed(action sqlite.AuthorizerActionCode, subject string) string {
	switch action {
	case sqlite.AuthTransaction:
		return subject
	case sqlite.AuthInsert, sqlite.AuthUpdate, sqlite.AuthDelete:
		return "write to " + subject
	case sqlite.AuthPragma:
		return "PRAGMA " + subject
	}
	return "change the database"
}

// explain says of an error of the engine what was not let through.
func (b *bonds) explain(err error) error {
	if what := b.refused.Load(); what != nil && codeOf(err) == codeAuth {
		return fmt.Errorf("%s: %w (%w)", *what, errBound, err)
	}
	return err
}
