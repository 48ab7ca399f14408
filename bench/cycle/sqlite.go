package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/changesetgen/changesetgen/internal/faultdisk"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// crowds are how many callers use a ledger at once.
var crowds = []int{1, 16, 64, 256}

// patience is longer than anybody waits here: a ledger that is busy for so long is told of in the table.
const patience = sqlite.DefaultBusyTimeout

// file is a SQLite ledger of this process.
type file struct {
	store ledger.Store
	hold  ledger.Hold
	disk  *faultdisk.Disk // counts the syncs
}

// openSQLite compares a ledger whose writes are batched with one that commits each alone.
func openSQLite(ctx context.Context, s settings, _ io.Writer) (*opened, error) {
	dir, err := os.MkdirTemp(s.dir, "sqlite-")
	if err != nil {
		return nil, err
	}
	o := &opened{close: func() error { return os.RemoveAll(dir) }}
	alone, err := o.add(ctx, filepath.Join(dir, "alone"), sqlite.WithBatch(1))
	if err != nil {
		return nil, errors.Join(err, o.close())
	}
	batched, err := o.add(ctx, filepath.Join(dir, "batched"))
	if err != nil {
		return nil, errors.Join(err, o.close())
	}
	for _, callers := range crowds {
		o.subjects = append(o.subjects, alone.subject(oneByOne(callers), callers), batched.subject(together(callers), callers))
	}
	return o, nil
}

// oneByOne and together are the names of what is measured of a SQLite ledger.
func oneByOne(callers int) string { return fmt.Sprintf("SQLite, one by one, callers: %d", callers) }
func together(callers int) string { return fmt.Sprintf("SQLite, batched, callers: %d", callers) }

// add opens a ledger in a directory of its own, which o closes.
func (o *opened) add(ctx context.Context, dir string, opts ...sqlite.Option) (*file, error) {
	disk := faultdisk.In(dir)
	store, err := openLedger(ctx, filepath.Join(dir, "ledger.db"), opts...)
	if err != nil {
		return nil, err
	}
	hold, err := store.Hold(ctx)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	before := o.close
	o.close = func() error { return errors.Join(hold.Release(), store.Close(), before()) }
	return &file{store: store, hold: hold, disk: disk}, nil
}

// openLedger opens or makes a SQLite ledger. That it is new is worth nobody's time here.
func openLedger(ctx context.Context, path string, opts ...sqlite.Option) (*sqlite.Store, error) {
	quiet := sqlite.WithLogger(slog.New(slog.DiscardHandler))
	return sqlite.Open(ctx, path, append([]sqlite.Option{quiet, sqlite.WithBusyTimeout(patience)}, opts...)...)
}

func (f *file) subject(name string, callers int) subject {
	return subject{names: []string{name}, measure: func(ctx context.Context, length time.Duration) ([]figures, error) {
		before := f.disk.Syncs()
		l, err := drive(ctx, f.store, f.hold.Name(), callers, length)
		if err != nil {
			return nil, err
		}
		measured := l.figures()
		measured[syncsPerCommit] = float64(f.disk.Syncs()-before) / float64(l.Commits)
		return []figures{measured}, nil
	}}
}
