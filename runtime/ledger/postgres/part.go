package postgres

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// part is a statement, and the items that it is for.
type part struct {
	query string
	args  []any
	items []*item
}

// partsOf are the statements of items: one for all swaps that nothing is counted for, and one for each of the others. All are
// in the order of their ids, so that no two programs that insert the same wait for each other.
func (s *Store) partsOf(items []*item, l locks) (parts []*part, err error) {
	var plain, others []*item
	inOrder := slices.SortedFunc(slices.Values(items), func(a, b *item) int { return cmp.Compare(stored(a.id()), stored(b.id())) })
	for _, i := range inOrder {
		if i.swaps && len(i.caps) == 0 {
			plain = append(plain, i)
		} else {
			others = append(others, i)
		}
	}
	if len(plain) > 0 {
		p := &part{items: plain}
		if p.query, p.args, err = s.swapStatement(plain, l); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	for _, i := range others {
		p := &part{items: []*item{i}}
		if p.query, p.args, err = s.statementOf(i, l); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func (s *Store) statementOf(i *item, l locks) (query string, args []any, err error) {
	if i.swaps {
		return s.swapStatement([]*item{i}, l)
	}
	return s.insertStatement(i, l)
}

// read has each item told what its statement says of it.
func (p *part) read(rows pgx.Rows) error {
	answered := 0
	var place int64
	var said verdict
	var done bool
	_, err := pgx.ForEachRow(rows, []any{&place, &said, &done}, func() error {
		if place < 0 || place >= int64(len(p.items)) {
			return fmt.Errorf("the answer is about item %d of %d", place, len(p.items))
		}
		i := p.items[place]
		i.verdict, i.done = said, done
		answered++
		return nil
	})
	if err == nil && answered != len(p.items) {
		return fmt.Errorf("%d of %d items were answered: is the row of the table ledger missing?", answered, len(p.items))
	}
	return err
}
