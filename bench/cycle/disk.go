package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/changesetgen/changesetgen/bench/internal/program"
	"github.com/changesetgen/changesetgen/bench/internal/stat"
)

const (
	// framed is what SQLite writes to its log for a page: the page and what precedes it there.
	framed = 4096 + 24
	// logged is how many pages SQLite's log has before it is copied into the ledger and written again from its beginning.
	logged = 12288
)

// disk is what the file system does without a ledger: a page is written and synced, by the same call that SQLite makes.
type disk struct {
	appending *os.File // grows with every page, as the log of a ledger does until it is first copied
	again     *os.File // is written over and over, as that log is afterwards
	page      []byte
	pages     int64 // of those that were appended
}

// syncs are the syncs of a disk in a time.
type syncs struct {
	took []time.Duration
	rate float64 // a second
}

func newDisk(dir string) (*disk, error) {
	d := &disk{page: make([]byte, framed)}
	var err error
	if d.appending, err = os.CreateTemp(dir, "appended-"); err != nil {
		return nil, err
	}
	if d.again, err = os.CreateTemp(dir, "again-"); err != nil {
		return nil, errors.Join(err, d.close())
	}
	if err := d.again.Truncate(framed * logged); err != nil {
		return nil, errors.Join(err, d.close())
	}
	for n := range int64(logged) {
		if _, err := d.again.WriteAt(d.page, n*framed); err != nil {
			return nil, errors.Join(err, d.close())
		}
	}
	return d, d.again.Sync()
}

// measure appends pages for a time, and writes pages again for the same time.
func (d *disk) measure(length time.Duration) (appended, again syncs, err error) {
	if appended, err = d.write(d.appending, length, func(n int64) int64 { return d.pages + n }); err != nil {
		return appended, again, err
	}
	d.pages += int64(len(appended.took))
	again, err = d.write(d.again, length, func(n int64) int64 { return n % logged })
	return appended, again, err
}

func (d *disk) write(to *os.File, length time.Duration, page func(n int64) int64) (s syncs, err error) {
	begin := time.Now()
	last := begin
	for n := range program.Turns(begin, length) {
		if _, err := to.WriteAt(d.page, page(int64(n))*framed); err != nil {
			return s, fmt.Errorf("write a page: %w", err)
		}
		if err := to.Sync(); err != nil {
			return s, fmt.Errorf("sync a page: %w", err)
		}
		now := time.Now()
		s.took = append(s.took, now.Sub(last))
		last = now
	}
	s.rate = float64(len(s.took)) / time.Since(begin).Seconds()
	return s, nil
}

func (d *disk) close() error {
	var failures []error
	for _, f := range []*os.File{d.appending, d.again} {
		if f != nil {
			failures = append(failures, f.Close(), os.Remove(f.Name()))
		}
	}
	return errors.Join(failures...)
}

// median is how long one sync took.
func (s syncs) median() time.Duration { return stat.QuantilesOf(s.took).P50 }
