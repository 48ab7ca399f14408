package sqlop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Queryer is what a query runs on: a *sql.DB, or a *sql.Tx of the caller.
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// One reads the only row of a query into columns; found is false when there is none. It is ErrManyRows when there are
// more, and a *ColumnError when the row is not what columns want, or the query has other columns than those.
//
// On a *sql.DB the query runs in a transaction that is declared read-only and always rolled back: whatever the query
// is, it writes nothing.
func One(ctx context.Context, db Queryer, query string, args []any, columns ...Column) (found bool, err error) {
	err = look(ctx, db, query, args, columns, func(row []any) error {
		if found {
			return ErrManyRows
		}
		found = true
		return store(columns, row)
	})
	return found && err == nil, err
}

// List reads all rows of a query, each into the columns that the function gives for it; nil when there are none. What
// One says of columns and of writing holds for it.
func List[T any](ctx context.Context, db Queryer, query string, args []any, columns func(*T) []Column) ([]T, error) {
	var list []T
	err := look(ctx, db, query, args, columns(new(T)), func(row []any) error {
		var item T
		if err := store(columns(&item), row); err != nil {
			return err
		}
		list = append(list, item)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// look runs a query that writes nothing and gives each row to take, its values in the order of columns.
func look(ctx context.Context, db Queryer, query string, args []any, columns []Column, take func(row []any) error) error {
	args, err := bind(args)
	if err != nil {
		return err
	}
	db, done, err := withoutWriting(ctx, db)
	if err != nil {
		return fmt.Errorf("begin to look: %w", err)
	}
	defer done()
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("look: %w", err)
	}
	err = each(rows, columns, take)
	return errors.Join(err, rows.Close())
}

// starter is a Queryer that can begin a transaction of its own.
type starter interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
}

// withoutWriting gives a Queryer whose writes do not last. PostgreSQL refuses them at once; SQLite's drivers take no
// notice of read-only, so there it is the rollback that undoes them. In a transaction of the caller, the caller rules.
func withoutWriting(ctx context.Context, db Queryer) (Queryer, func(), error) {
	s, ok := db.(starter)
	if !ok {
		return db, func() {}, nil
	}
	tx, err := s.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, nil, err
	}
	return tx, func() { _ = tx.Rollback() }, nil // an error leaves nothing committed either
}

// each gives the rows to take.
func each(rows *sql.Rows, columns []Column, take func(row []any) error) error {
	places, err := match(rows, columns)
	if err != nil {
		return err
	}
	values := make([]any, len(columns))
	targets := make([]any, len(columns))
	for column, place := range places {
		targets[place] = &values[column]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return fmt.Errorf("look: %w", err)
		}
		if err := take(values); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("look: %w", err)
	}
	return nil
}

// match finds the place of each column in the query, which has these columns and no others.
func match(rows *sql.Rows, columns []Column) ([]int, error) {
	names, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("look: %w", err)
	}
	places := make([]int, len(columns))
	for i, c := range columns {
		if places[i] = slices.Index(names, c.name); places[i] < 0 {
			return nil, missing(c.name, names)
		}
	}
	for i, name := range names {
		switch {
		case slices.Index(names, name) < i:
			return nil, &ColumnError{Column: name, Flaw: "is in the query twice", Advice: "give one of them another name, or leave it out"}
		case !slices.ContainsFunc(columns, func(c Column) bool { return c.name == name }):
			return nil, &ColumnError{Column: name, Flaw: "is in the query and not in the state", Advice: "leave it out of the query, or declare it in the state"}
		}
	}
	return places, nil
}

// missing says that the query lacks a column, and whether it has one that only looks different.
func missing(name string, names []string) *ColumnError {
	e := &ColumnError{
		Column: name,
		Flaw:   "is in the state and not in the query, which has " + strings.Join(names, ", "),
		Advice: fmt.Sprintf("write … AS %s in the query, or leave it out of the state", name),
	}
	similar := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	if similar >= 0 {
		e.Flaw = fmt.Sprintf("is in the query as %q", names[similar])
		e.Advice = fmt.Sprintf(`write … AS "%s" in the query`, name)
	}
	return e
}

// store puts the values of one row where they go.
func store(columns []Column, row []any) error {
	for i, c := range columns {
		if err := c.set(row[i]); err != nil {
			return err
		}
	}
	return nil
}
