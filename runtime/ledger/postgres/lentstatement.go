package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// lentStatement is one of a body as it is checked and sent: without the options that pgx takes ahead of the arguments, and
// after whatever of them rewrites it.
type lentStatement struct {
	sql     string
	args    []any
	mode    pgx.QueryExecMode
	formats []any // of its result
	rewrite pgx.QueryRewriter
}

// written makes a statement of what a method of pgx.Tx is called with.
func (l *lent) written(ctx context.Context, sql string, args []any) (*lentStatement, error) {
	s := &lentStatement{sql: sql, args: args, mode: l.tx.Conn().Config().DefaultQueryExecMode}
	s.takeOptions()
	if s.rewrite == nil {
		return s, nil
	}
	var err error
	s.sql, s.args, err = s.rewrite.RewriteQuery(ctx, nil, s.sql, s.args)
	if given := len(s.args); err == nil && given > 0 {
		if s.takeOptions(); len(s.args) < given {
			return nil, refused("an option in place of an argument")
		}
	}
	return s, err
}

// takeOptions moves the options that the arguments begin with to where they belong.
func (s *lentStatement) takeOptions() {
	for ; len(s.args) > 0; s.args = s.args[1:] {
		switch option := s.args[0].(type) {
		case pgx.QueryResultFormats, pgx.QueryResultFormatsByOID:
			s.formats = append(s.formats, option)
		case pgx.QueryExecMode:
			s.mode = option
		case pgx.QueryRewriter:
			s.rewrite = option
		default:
			return
		}
	}
}

// arguments are what the statement is sent with, in a way in which it can be no more than one.
func (s *lentStatement) arguments() []any {
	mode := s.mode
	if mode == pgx.QueryExecModeSimpleProtocol {
		mode = pgx.QueryExecModeExec
	}
	return append(append([]any{mode}, s.formats...), s.args...)
}
