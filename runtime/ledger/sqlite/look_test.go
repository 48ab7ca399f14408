package sqlite_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

func TestALookMakesNothingBesideTheLedger(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(1), ledger.Event{To: ledger.Pending}))
	copied := backup(t, s)
	must(t, s.Close())
	must(t, os.Remove(path+".mark"))
	for name, looked := range map[string]string{"a copy": copied, "a ledger without its mark": path} {
		before := list(t, filepath.Dir(looked))
		s, err := sqlite.Open(t.Context(), looked, sqlite.LookOnly())
		must(t, err)
		if records, err := s.List(t.Context(), ledger.Query{}); err != nil || len(records) != 1 {
			t.Errorf("%s: %d changes, %v", name, len(records), err)
		}
		expectSound(t, s)
		beside := slices.DeleteFunc(list(t, filepath.Dir(looked)), func(name string) bool {
			return strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm")
		})
		if diff := cmp.Diff(before, beside); diff != "" {
			t.Errorf("%s while it is looked at (-want +got):\n%s", name, diff)
		}
		must(t, s.Close())
		if diff := cmp.Diff(before, list(t, filepath.Dir(looked))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A copy has another journal mode than a ledger. Who looks at one leaves it so, and the bytes of the file as they are.
func TestALookWritesNothingToTheFile(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(1), ledger.Event{To: ledger.Pending}))
	copied := backup(t, s)
	must(t, s.Close())
	for name, looked := range map[string]string{"a copy": copied, "a ledger": path} {
		before := read(t, looked)
		for range 2 { // what the first left would be seen by the second
			s := open(t, looked, sqlite.LookOnly())
			if all := everythingIn(t, s); len(all) != 1 {
				t.Errorf("%s: %d changes", name, len(all))
			}
			expectSound(t, s)
			if _, err := s.Stats(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !bytes.Equal(before, read(t, looked)) {
				t.Errorf("%s was changed while it was looked at", name)
			}
			must(t, s.Close())
		}
		if !bytes.Equal(before, read(t, looked)) {
			t.Errorf("%s was changed by a look", name)
		}
	}
}

// A server may take a copy for its ledger while somebody looks at it.
func TestALookAtACopySeesWhatAServerWritesToIt(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	must(t, s.Insert(t.Context(), record(1), ledger.Event{To: ledger.Pending}))
	copied := backup(t, s)
	look := open(t, copied, sqlite.LookOnly())
	server := open(t, copied)
	must(t, server.Insert(t.Context(), record(2), ledger.Event{To: ledger.Pending}))
	if all := everythingIn(t, look); len(all) != 2 {
		t.Errorf("the look sees %d changes", len(all))
	}
	must(t, server.Close())
	must(t, look.Close())
	if all := everythingIn(t, open(t, copied)); len(all) != 2 {
		t.Errorf("%d changes are left", len(all))
	}
}

// Who looks at a copy without its key must not be told to delete anything.
func TestALookWithoutTheKeyAsksForItAndMakesNone(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	sensitiveKey(t, s)
	copied := backup(t, s)
	look, err := sqlite.Open(t.Context(), copied, sqlite.LookOnly())
	must(t, err)
	_, err = look.SensitiveKey(t.Context())
	expectError(t, "the key", err, ledger.ErrUnsupported)
	if text := err.Error(); !strings.Contains(text, "put the key there") || strings.Contains(text, "prune") {
		t.Error(text)
	}
	must(t, look.Close())
	if names := list(t, filepath.Dir(copied)); slices.Contains(names, filepath.Base(copied)+".key") {
		t.Errorf("there is a key: %q", names)
	}
}
