package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/internal/faultdisk"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// plans are the ways in which a disk fails from its n-th call on.
var plans = map[string]func(d *faultdisk.Disk, n int){
	"full once":                   func(d *faultdisk.Disk, n int) { d.FailOnce(n, faultdisk.NoSpace) },
	"full until space is freed":   func(d *faultdisk.Disk, n int) { d.FailFrom(n, faultdisk.NoSpace) },
	"broken once":                 func(d *faultdisk.Disk, n int) { d.FailOnce(n, faultdisk.Broken) },
	"broken until it is replaced": func(d *faultdisk.Disk, n int) { d.FailFrom(n, faultdisk.Broken) },
}

// TestALedgerOnADiskThatFailsAtAnyPoint makes a ledger, writes to it and closes it, and lets another write or sync fail
// each time. What was acknowledged is there afterwards, and what failed can be done again.
func TestALedgerOnADiskThatFailsAtAnyPoint(t *testing.T) {
	t.Parallel()
	for name, fail := range plans {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failures := 0
			for n := 1; useFailingDisk(t, func(d *faultdisk.Disk) { fail(d, n) }); n++ {
				failures++
			}
			if failures == 0 {
				t.Error("the disk never failed")
			}
		})
	}
}

// useFailingDisk tells whether the disk failed.
func useFailingDisk(t *testing.T, fail func(*faultdisk.Disk)) bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	disk := faultdisk.In(filepath.Dir(path))
	fail(disk)
	again := func(what string, do func() error) {
		t.Helper()
		err := do()
		if err == nil {
			return
		}
		expectDiskError(t, what, path, err)
		disk.Repair()
		if err := do(); err != nil {
			t.Fatalf("%s, once the disk is mended, after %q failed: %v", what, disk.Failed(), err)
		}
	}
	var s *sqlite.Store
	again("open", func() (err error) { s, err = sqlite.Open(t.Context(), path, patient); return err })
	r := record(1)
	again("insert", func() error { return s.Insert(t.Context(), r, ledger.Event{To: ledger.Pending}) })
	r.Revision, r.Status = 1, ledger.Applying
	again("claim", func() error { return s.Swap(t.Context(), r, time.Time{}, ledger.Event{To: ledger.Applying}) })
	if err := s.Close(); err != nil {
		expectDiskError(t, "close", path, err)
	}
	disk.Repair()

	s = open(t, path)
	got, _, err := s.Get(t.Context(), r.ID)
	if err != nil || got.Status != ledger.Applying || got.Revision != 2 {
		t.Errorf("after %q failed the claim is %s at %d, %v", disk.Failed(), got.Status, got.Revision, err)
	}
	if events, err := s.Events(t.Context(), r.ID); err != nil || len(events) != 2 {
		t.Errorf("after %q failed there are %d events, %v", disk.Failed(), len(events), err)
	}
	return disk.Failed() != ""
}

// TestACommitThatFailsSaysWhatToDo lets each write and sync of a commit fail until it is the one that leaves it open what
// was done.
func TestACommitThatFailsSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		path := newPath(t)
		disk := faultdisk.In(filepath.Dir(path))
		s := openToDamage(t, path)
		disk.FailOnce(n, faultdisk.NoSpace)
		err := s.Insert(t.Context(), record(1), ledger.Event{To: ledger.Pending})
		disk.Repair()
		if disk.Failed() == "" {
			t.Fatal("no commit failed")
		}
		if err == nil || !strings.Contains(err.Error(), "whether this was recorded is not known") {
			continue
		}
		expectDiskError(t, "commit", path, err)
		if said := err.Error(); !strings.Contains(said, "look with: changesetctl show") {
			t.Error(said)
		}
		return
	}
}

// expectDiskError makes sure that an error says that the disk is to blame, where, and what to do.
func expectDiskError(t *testing.T, what, path string, err error) {
	t.Helper()
	for _, proof := range []error{ledger.ErrBusy, ledger.ErrConflict, ledger.ErrExists, ledger.ErrCorrupt} {
		if errors.Is(err, proof) {
			t.Errorf("%s: %v says more than anybody knows", what, err)
		}
	}
	said := err.Error()
	advised := strings.Contains(said, "make room on its disk") || strings.Contains(said, "look at its disk")
	if !errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(said, path) || !advised {
		t.Errorf("%s: %q does not say that it is the disk, where, or what to do", what, fmt.Sprint(err))
	}
}
