package sqlite_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

func TestTheKeyIsAFileForItsUserAloneAndNotInTheLedger(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	if _, err := os.Lstat(path + ".key"); err == nil {
		t.Error("there is a key that nobody asked for")
	}
	key := sensitiveKey(t, s)
	must(t, s.Close())
	if runtime.GOOS != "windows" {
		expectMode(t, path+".key", 0o600)
	}
	if content := read(t, path); bytes.Contains(content, key) || bytes.Contains(content, bytes.TrimSpace(read(t, path+".key"))) {
		t.Error("the key is in the ledger")
	}
	if diff := cmp.Diff([]string{"ledger.db", "ledger.db.key", "ledger.db.lock", "ledger.db.mark"}, list(t, filepath.Dir(path))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestAKeyThatIsNotTheLedgersIsRefused has the key of a ledger with a sensitive change be lost, or be another.
func TestAKeyThatIsNotTheLedgersIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lose   func(t *testing.T, path string)
		advice string
	}{
		"missing":     {func(t *testing.T, path string) { must(t, os.Remove(path+".key")) }, "bring it back; without it, settle those of them that are in doubt with changesetctl reconcile, and then prune"},
		"empty":       {truncateKey(0), "is no key of a ledger"},
		"cut":         {truncateKey(20), "is no key of a ledger"},
		"no key":      {func(t *testing.T, path string) { overwrite(0, []byte("?"))(t, path+".key") }, "is no key of a ledger"},
		"another one": {anotherKey, "is the key of another ledger"},
		"open to all": {chmod(".key", 0o644), "chmod 600"},
		"a link":      {link(".key"), "symbolic link"},
		"not readable": {func(t *testing.T, path string) {
			must(t, os.Remove(path+".key"))
			must(t, os.Mkdir(path+".key", 0o700))
		}, "is not a file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && name == "open to all" {
				t.Skip("permission bits do not say this here")
			}
			path := newPath(t)
			s := open(t, path)
			sensitiveKey(t, s)
			r := record(1)
			r.Sensitive = []byte(`{"payload":["/secret"]}`)
			must(t, s.Insert(t.Context(), r, ledger.Event{}))
			must(t, s.Close())
			c.lose(t, path)
			s, err := sqlite.Open(t.Context(), path, patient)
			if err == nil {
				defer s.Close()
				_, err = s.SensitiveKey(t.Context())
			}
			expectError(t, "the key", err, ledger.ErrUnsupported)
			if err != nil && !strings.Contains(err.Error(), c.advice) {
				t.Errorf("%v does not say %q", err, c.advice)
			}
		})
	}
}

// TestALostKeyThatNothingNeedsIsMadeAgain also has a store that still uses the lost one.
func TestALostKeyThatNothingNeedsIsMadeAgain(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	old := open(t, path)
	lost := sensitiveKey(t, old)
	must(t, old.Insert(t.Context(), record(1), ledger.Event{}))
	must(t, os.Remove(path+".key"))
	s := open(t, path)
	if bytes.Equal(sensitiveKey(t, s), lost) {
		t.Error("the lost key was made again as it was")
	}
	must(t, s.Insert(t.Context(), record(2), ledger.Event{}))
	expectError(t, "insert with the lost key", old.Insert(t.Context(), record(3), ledger.Event{}), ledger.ErrUnsupported)
}

// TestAKeyThatWasMadeByAStartThatDiedIsKept has a process die between the key and its fingerprint.
func TestAKeyThatWasMadeByAStartThatDiedIsKept(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	create(t, path)
	must(t, os.WriteFile(path+".key.new", []byte("half a key"), 0o600))
	anotherKey(t, path)
	before := read(t, path+".key")
	key := sensitiveKey(t, open(t, path))
	if after := read(t, path+".key"); !bytes.Equal(before, after) {
		t.Error("the key was made again")
	}
	if !bytes.Equal(key, sensitiveKey(t, open(t, path))) {
		t.Error("two stores have different keys")
	}
}

func sensitiveKey(t *testing.T, s *sqlite.Store) []byte {
	t.Helper()
	key, err := s.SensitiveKey(t.Context())
	must(t, err)
	return key
}

func truncateKey(size int64) func(*testing.T, string) {
	return func(t *testing.T, path string) { truncate(size)(t, path+".key") }
}

// anotherKey puts the key of another ledger beside the one at path.
func anotherKey(t *testing.T, path string) {
	t.Helper()
	other := newPath(t)
	sensitiveKey(t, open(t, other))
	must(t, os.WriteFile(path+".key", read(t, other+".key"), 0o600))
}
