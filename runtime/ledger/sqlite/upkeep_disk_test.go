package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/changesetgen/changesetgen/internal/faultdisk"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

// upkeep is what is done about a ledger beside its use, and how many changes it leaves.
var upkeep = map[string]struct {
	schema string
	do     func(t *testing.T, path, target string) error
	left   int
}{
	"prune": {"schema2", func(t *testing.T, path, _ string) error {
		return with(t, path, func(s *sqlite.Store) error { _, err := s.Prune(t.Context(), ledger.Query{}, 10); return err })
	}, 4},
	"make the key": {"schema2", func(t *testing.T, path, _ string) error {
		return with(t, path, func(s *sqlite.Store) error { _, err := s.SensitiveKey(t.Context()); return err })
	}, len(histories)},
	"back up": {"schema2", func(t *testing.T, path, target string) error {
		return with(t, path, func(s *sqlite.Store) error { return s.Backup(t.Context(), target) })
	}, len(histories)},
	"add to the schema": {"schema2", func(t *testing.T, path, _ string) error {
		return with(t, path, func(*sqlite.Store) error { return nil }, addition)
	}, len(histories)},
	"migrate": {"schema1", func(t *testing.T, path, target string) error {
		return sqlite.Migrate(t.Context(), path, target, patient)
	}, len(histories)},
}

// with opens a ledger, uses it, and closes it.
func with(t *testing.T, path string, use func(*sqlite.Store) error, opts ...sqlite.Option) error {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, append(opts, patient)...)
	if err != nil {
		return err
	}
	err = use(s)
	if closed := s.Close(); err == nil {
		err = closed
	}
	return err
}

// TestUpkeepOnADiskThatFails lets another write or sync fail each time, every one of the first and some of the later ones.
// What was there stays, and what failed can be done again once the disk is mended.
func TestUpkeepOnADiskThatFails(t *testing.T) {
	t.Parallel()
	for name, u := range upkeep {
		for _, how := range []string{"full once", "broken until it is replaced"} {
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
				failures := 0
				for n := 1; ; n += 1 + n/8 {
					path := released(t, u.schema)
					disk := faultdisk.In(filepath.Dir(path))
					plans[how](disk, n)
					err := u.do(t, path, filepath.Join(filepath.Dir(path), "copy.db"))
					failed := disk.Failed()
					disk.Repair()
					if err != nil {
						expectDiskError(t, name, path, err)
						must(t, u.do(t, path, filepath.Join(filepath.Dir(path), "another.db")))
					}
					expectLeft(t, path, u.left)
					if failed == "" {
						break
					}
					failures++
				}
				if failures == 0 {
					t.Error("the disk never failed")
				}
			})
		}
	}
}

// expectLeft makes sure that a ledger is sound and has so many changes.
func expectLeft(t *testing.T, path string, want int) {
	t.Helper()
	s := open(t, path)
	expectSound(t, s)
	if diff := cmp.Diff(want, len(everythingIn(t, s))); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	must(t, s.Close())
}
