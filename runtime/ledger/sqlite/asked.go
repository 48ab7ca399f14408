package sqlite

import (
	"context"
	"database/sql"
	"sync"
)

// maxAsked is how many queries are kept prepared: ample for the shapes in which guards and operators ask.
const maxAsked = 64

// asked are the queries that are made of what somebody asks for, each prepared once: guards ask in a few shapes, with
// every call, and SQLite takes longer to prepare such a query than to run it. It is safe for concurrent use.
type asked struct {
	db         *sql.DB
	mu         sync.Mutex
	statements map[string]*sql.Stmt
}

func newAsked(db *sql.DB) *asked { return &asked{db: db, statements: map[string]*sql.Stmt{}} }

// QueryContext implements querier.
func (a *asked) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if s := a.statement(ctx, query); s != nil {
		return s.QueryContext(ctx, args...)
	}
	return a.db.QueryContext(ctx, query, args...)
}

// QueryRowContext implements querier.
func (a *asked) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if s := a.statement(ctx, query); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return a.db.QueryRowContext(ctx, query, args...)
}

// statement is a query prepared; nil if there are too many, or if it cannot be, which to ask it without tells why.
func (a *asked) statement(ctx context.Context, query string) *sql.Stmt {
	if s, full := a.kept(query); s != nil || full {
		return s
	}
	s, err := a.db.PrepareContext(ctx, query) // which may wait for a connection
	if err != nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if other := a.statements[query]; other != nil {
		_ = s.Close()
		return other
	}
	a.statements[query] = s
	return s
}

func (a *asked) kept(query string) (s *sql.Stmt, full bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.statements[query], len(a.statements) >= maxAsked
}

// close closes the statements. Nobody may ask any more.
func (a *asked) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []*sql.Stmt
	for _, s := range a.statements {
		all = append(all, s)
	}
	return closeStatements(all...)
}
