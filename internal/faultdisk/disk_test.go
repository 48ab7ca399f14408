package faultdisk_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/changesetgen/changesetgen/internal/faultdisk"
	"modernc.org/sqlite"
)

func TestADiskFailsAsItIsTold(t *testing.T) {
	t.Parallel()
	const full, ioError = 13, 10 // the codes of SQLite
	for _, c := range []struct {
		name   string
		plan   func(*faultdisk.Disk)
		failed string // the call that fails
		first  int    // code of the first write
		second int
	}{
		{"no space once", func(d *faultdisk.Disk) { d.FailOnce(1, faultdisk.NoSpace) }, "write data.db-wal", full, 0},
		{"no space from then on", func(d *faultdisk.Disk) { d.FailFrom(1, faultdisk.NoSpace) }, "write data.db-wal", full, full},
		{"broken once", func(d *faultdisk.Disk) { d.FailOnce(1, faultdisk.Broken) }, "write data.db-wal", ioError, 0},
		{"the sync of a commit", func(d *faultdisk.Disk) { d.FailOnce(3, faultdisk.Broken) }, "sync data.db-wal", ioError, 0},
		{"later than anybody writes", func(d *faultdisk.Disk) { d.FailOnce(100, faultdisk.Broken) }, "", 0, 0},
		{"repaired", func(d *faultdisk.Disk) { d.FailFrom(1, faultdisk.Broken); d.Repair() }, "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			disk, db := newDatabase(t)
			c.plan(disk)
			if first, second := write(db), write(db); first != c.first || second != c.second {
				t.Errorf("codes %d and %d, want %d and %d", first, second, c.first, c.second)
			}
			if disk.Failed() != c.failed {
				t.Errorf("failed: %q, want %q", disk.Failed(), c.failed)
			}
			disk.Repair()
			if code := write(db); code != 0 {
				t.Errorf("code %d once repaired", code)
			}
		})
	}
}

func TestWhatIsToBeDoneBeforeACallIsDoneOnce(t *testing.T) {
	t.Parallel()
	disk, db := newDatabase(t)
	done := 0
	disk.Before(2, func() { done++ })
	for range 3 {
		if code := write(db); code != 0 {
			t.Errorf("code %d", code)
		}
	}
	if done != 1 {
		t.Errorf("done %d times", done)
	}
}

func TestOtherDisksAreLeftAlone(t *testing.T) {
	t.Parallel()
	broken, _ := newDatabase(t)
	broken.FailFrom(1, faultdisk.Broken)
	_, db := newDatabase(t)
	if code := write(db); code != 0 {
		t.Errorf("code %d", code)
	}
}

func TestEveryCommitIsOneSync(t *testing.T) {
	t.Parallel()
	disk, db := newDatabase(t)
	before := disk.Syncs()
	const commits = 5
	for range commits {
		if code := write(db); code != 0 {
			t.Fatalf("code %d", code)
		}
	}
	if syncs := disk.Syncs() - before; syncs != commits {
		t.Errorf("%d syncs, want %d", syncs, commits)
	}
}

// newDatabase is a disk with a database on it that has a log and one page in it.
func newDatabase(t *testing.T) (*faultdisk.Disk, *sql.DB) {
	t.Helper()
	dir := t.TempDir()
	disk := faultdisk.In(dir)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "data.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE data (value TEXT); INSERT INTO data VALUES ('a')`); err != nil {
		t.Fatal(err)
	}
	return disk, db
}

// write changes one page, and gives the primary code of the failure, or 0.
func write(db *sql.DB) int {
	var failure *sqlite.Error
	if _, err := db.Exec(`UPDATE data SET value = value || 'b'`); errors.As(err, &failure) {
		return failure.Code() & 0xff
	} else if err != nil {
		return -1
	}
	return 0
}
