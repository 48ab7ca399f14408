package sqlite

import (
	"context"
	"errors"
)

// keptStatements is how many statements are kept prepared of those that are made of what is written: guards write changes of
// few shapes, and count for as many kinds of limits as their operations have.
const keptStatements = 128

// prepared is a statement that is made of what is written, prepared once. The key tells it from all others.
func (w *writer) prepared(ctx context.Context, key []byte, query func() string) (*direct, error) {
	if known, ok := w.kept[string(key)]; ok {
		return known, nil
	}
	if len(w.kept) == keptStatements {
		if err := w.forgetStatements(); err != nil {
			return nil, err
		}
	}
	made, err := prepareDirect(ctx, w.conn, query())
	if err == nil {
		w.kept[string(key)] = made
	}
	return made, err
}

// shaped is the statement of a shape.
func (w *writer) shaped(ctx context.Context, s shape) (*direct, error) {
	return w.prepared(ctx, s, s.query)
}

func (w *writer) forgetStatements() error {
	var failures []error
	for key, statement := range w.kept {
		failures = append(failures, statement.close())
		delete(w.kept, key)
	}
	return errors.Join(failures...)
}
