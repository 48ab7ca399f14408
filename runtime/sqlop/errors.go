package sqlop

import (
	"fmt"

	"github.com/changesetgen/changesetgen/runtime"
)

// ErrManyRows says that One found more than one row. It wraps runtime.ErrNotUnique, so that a look that returns it is
// refused as not_unique.
var ErrManyRows = fmt.Errorf("the query gave more than one row, and the state is one: %w", runtime.ErrNotUnique)

// ColumnError says that a query does not give what a state needs.
type ColumnError struct {
	Column string // its name, in the state and in the query
	Flaw   string // what it holds, or that it is missing
	Advice string // what to write in the query
}

// Error names the column, what is wrong with it, and what to do.
func (e *ColumnError) Error() string {
	return fmt.Sprintf("column %q %s; %s", e.Column, e.Flaw, e.Advice)
}

// WithoutValue is Error for a column whose values nobody is to be shown.
func (e *ColumnError) WithoutValue() string {
	return fmt.Sprintf("column %q does not hold what it should; %s", e.Column, e.Advice)
}
