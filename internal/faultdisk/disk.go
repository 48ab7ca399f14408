// Package faultdisk makes the disk under SQLite fail, for tests: any call that changes a file can be made to fail as it
// does on a disk that is full or broken. It also counts how often files are synced. It wraps the file system that SQLite
// uses in this process; files outside the directories of Disks are left alone. What a program writes without SQLite is
// not seen.
package faultdisk

import (
	"path/filepath"
	"strings"
	"sync"
)

// Failure is how a call fails.
type Failure int

// The failures of a disk. A write that fails has written half of what it was given.
const (
	NoSpace Failure = iota
	Broken
)

// String is how a test names it.
func (f Failure) String() string { return [...]string{NoSpace: "no space", Broken: "broken"}[f] }

// syncing is what Failed calls a call that syncs a file.
const syncing = "sync"

// Disk is what becomes of the files in one directory. It is safe for concurrent use.
type Disk struct {
	dir string

	mu      sync.Mutex
	calls   int
	syncs   int // of calls, those that sync a file
	failAt  int // the first call that fails; 0: none
	until   int // the first one after it that works again; 0: none
	failure Failure
	failed  string
	stopAt  int // the call before which stop is called; 0: none
	stop    func()
}

// In makes a disk of everything under dir, which works until it is told otherwise. It is for SQLite files that are
// opened from now on.
func In(dir string) *Disk {
	install()
	d := &Disk{dir: filepath.Clean(dir) + string(filepath.Separator)}
	disks.Store(d.dir, d)
	return d
}

// FailOnce makes the n-th call from now fail, counted from 1.
func (d *Disk) FailOnce(n int, how Failure) { d.plan(n, 1, how) }

// FailFrom makes the n-th call from now fail and all that come after it, until Repair.
func (d *Disk) FailFrom(n int, how Failure) { d.plan(n, 0, how) }

// Before has do called once, before the n-th call from now, counted from 1, is carried out. All other calls of the disk and
// of its methods wait for it.
func (d *Disk) Before(n int, do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopAt, d.stop = d.calls+n, do
}

// Repair makes the disk work.
func (d *Disk) Repair() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failAt = 0
}

// Failed names the first call that failed since the last plan, as in "sync ledger.db-wal"; "" if none did.
func (d *Disk) Failed() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

func (d *Disk) plan(n, times int, how Failure) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failAt, d.until, d.failure, d.failed = d.calls+n, 0, how, ""
	if times > 0 {
		d.until = d.failAt + times
	}
}

// Syncs is how often SQLite has had a file synced.
func (d *Disk) Syncs() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.syncs
}

// call counts a call on a file, and tells whether and how it fails.
func (d *Disk) call(doing, path string) (how Failure, fails bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	if d.calls == d.stopAt {
		d.stop()
	}
	if doing == syncing {
		d.syncs++
	}
	fails = d.failAt > 0 && d.calls >= d.failAt && (d.until == 0 || d.calls < d.until)
	if fails && d.failed == "" {
		d.failed = doing + " " + filepath.Base(path)
	}
	return d.failure, fails
}

// disks are all disks of this process, by directory.
var disks sync.Map

// diskOf finds the disk that a file is on; nil if it is on none.
func diskOf(path string) (found *Disk) {
	disks.Range(func(dir, disk any) bool {
		if strings.HasPrefix(path, dir.(string)) {
			found = disk.(*Disk)
		}
		return found == nil
	})
	return found
}
