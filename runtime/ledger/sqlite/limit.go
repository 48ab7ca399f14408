package sqlite

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/selection"
)

// limit is a cap, made ready to be counted.
type limit struct {
	cap   ledger.Cap
	query string
	args  []driver.NamedValue // the first is the time, and the last but one the row that is not counted
	key   []byte              // of what is counted; nil if more of it may come about by itself
}

// newLimits makes caps ready.
func newLimits(caps []ledger.Cap) ([]*limit, error) {
	var limits []*limit
	for _, c := range caps {
		l, err := newLimit(c)
		if err != nil {
			return nil, err
		}
		limits = append(limits, l)
	}
	return limits, nil
}

func newLimit(c ledger.Cap) (*limit, error) {
	of := dialect.Of(c.Of, selection.Expression("?1"))
	of.Where("n <> ?", int64(nowhere)) // every index knows it
	counted, args := of.UpTo(c.Max)
	l := &limit{cap: c, query: "SELECT ?1, (" + counted + ")"}
	var err error
	if l.args, err = bound(append([]any{nil}, args...)...); err != nil || c.Of.UndoOver {
		return l, err
	}
	l.key = []byte(l.query)
	for _, arg := range l.args[1 : len(l.args)-2] {
		if l.key, err = appendField(l.key, arg.Value); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// count counts what is there at a time besides a row, and no further than to the limit.
func (l *limit) count(ctx context.Context, w *writer, row int64, at time.Time) (int64, error) {
	counting, err := w.prepared(ctx, []byte(l.query), func() string { return l.query })
	if err != nil {
		return 0, err
	}
	l.args[0].Value, l.args[len(l.args)-2].Value = at.UnixMilli(), row
	answer := make([]driver.Value, 2)
	if err := counting.row(ctx, l.args, answer); err != nil {
		return 0, err
	}
	return answer[1].(int64), nil
}

// keptCounts is how many counts are kept.
const keptCounts = 1024

// counted is how many changes there were at most, of something that a cap counts.
type counted struct {
	most   int64
	writes int64 // that the ledger had taken
	at     time.Time
}

// roomFor tells whether a limit has room, besides a row.
func (w *writer) roomFor(ctx context.Context, l *limit, row int64, at time.Time) (bool, error) {
	if w.knowsRoom(l, at) {
		return true, nil
	}
	count, err := l.count(ctx, w, row, at)
	room := err == nil && count < int64(l.cap.Max)
	if room && l.key != nil {
		if row != nowhere {
			count++
		}
		if len(w.counts) == keptCounts {
			clear(w.counts)
		}
		w.counts[string(l.key)] = counted{most: count, writes: w.now.writes, at: at}
	}
	return room, err
}

// knowsRoom tells whether a limit has room by what was counted before: each write of whatever process, all of which the
// account counts, makes at most one change more of anything, and as time goes by there are only fewer.
func (w *writer) knowsRoom(l *limit, at time.Time) bool {
	c, known := w.counts[string(l.key)]
	return known && !at.Before(c.at) && c.most+w.now.writes-c.writes < int64(l.cap.Max)
}
