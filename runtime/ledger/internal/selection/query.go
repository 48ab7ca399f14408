package selection

import (
	"slices"
	"strconv"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// defaultLimit is how many records a page has when its query does not say.
const defaultLimit = 1000

// Select reads columns of all that is selected. It gives the query and its arguments, as the other methods do.
func (s *Selection) Select(columns string) (query string, args []any) {
	return "SELECT " + columns + s.from(), s.args
}

// Page reads columns in the order of q, behind its After and up to its Limit.
func (s *Selection) Page(columns string, q ledger.Query) (query string, args []any) {
	order, next := "id", "id > ?"
	if q.Newest {
		order, next = "id DESC", "id < ?"
	}
	if q.After != "" {
		s.Where(next, q.After)
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	return s.ordered(columns, order, limit)
}

// Oldest reads columns of the oldest that come after an id.
func (s *Selection) Oldest(columns, after string, limit int) (query string, args []any) {
	s.Where("id > ?", after)
	return s.ordered(columns, "id", limit)
}

func (s *Selection) ordered(columns, order string, limit int) (query string, args []any) {
	return "SELECT " + columns + s.from() + " ORDER BY " + order + " LIMIT ?", slices.Concat(s.args, []any{limit})
}

// UpTo counts how many are selected, and no further than to limit.
func (s *Selection) UpTo(limit int) (query string, args []any) {
	return "SELECT count(*) FROM (SELECT 1" + s.from() + " LIMIT ?) AS counted", slices.Concat(s.args, []any{max(limit, 0)})
}

// from is the source of a query for what is selected.
func (s *Selection) from() string {
	from := " FROM " + s.dialect.Table
	if len(s.conditions) == 0 {
		return from
	}
	return from + " WHERE " + strings.Join(s.conditions, " AND ")
}

// Marks stand for n arguments; n is at least one.
func Marks(n int) string { return "?" + strings.Repeat(", ?", n-1) }

// Numbered has the arguments of a whole text numbered, from $1. No ? of it may stand for anything else.
func Numbered(query string) string {
	parts := strings.Split(query, "?")
	var numbered strings.Builder
	for i, part := range parts {
		if i > 0 {
			numbered.WriteString("$" + strconv.Itoa(i))
		}
		numbered.WriteString(part)
	}
	return numbered.String()
}
