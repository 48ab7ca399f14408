package sqlite

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Backup writes a copy of the ledger to a new file at path, for its user alone, while others use the ledger. It is of one
// moment, was checked as a whole, is on disk when Backup returns, and is itself a ledger. It never replaces a file: what
// is at path, or beside it what a ledger left, is fs.ErrExist. ErrUnsupported is a path whose name ends as those of the files
// do that lie beside a ledger. A process that is killed leaves path.unfinished_… behind, which can be removed.
//
// A copy has no mark: the mark tells how far a ledger came, which a copy of an earlier moment cannot know. In the place of
// the ledger it is therefore refused for as long as the ledger's mark is there. Nor does it have the key, which is to be
// kept apart from it.
func (s *Store) Backup(ctx context.Context, path string) error {
	done, err := s.read()
	if err != nil {
		return err
	}
	defer done()
	if s.altered != nil {
		return s.altered // a copy has no mark, by which others could tell
	}
	if _, err := s.readClock(ctx); err != nil {
		return err
	}
	err = copyLedger(ctx, s.readers.db, s.path, path, func(ctx context.Context, copied querier) error {
		if err := s.checkObjects(ctx, copied); err != nil {
			return err
		}
		return checkAll(ctx, copied, path)
	})
	if err != nil {
		return fmt.Errorf("%s: back up: %w", s.path, err)
	}
	return nil
}

// copyLedger copies the ledger at from, behind db, to a new file at path, which has passed check. The copy belongs to whom
// the ledger belongs to, so that a server can use it in the place of the ledger.
func copyLedger(ctx context.Context, db querier, from, path string, check look) error {
	path, err := locate(path)
	if err != nil {
		return err
	}
	if err := checkName(path); err != nil {
		return err
	}
	if err := checkTarget(filepath.Dir(path)); err != nil {
		return err
	}
	if err := checkVacant(path); err != nil {
		return err
	}
	draft := newUnfinished(path)
	err = copyTo(ctx, db, from, draft, check)
	if err == nil {
		err = nameCopy(from, draft, path)
	}
	if err != nil {
		return errors.Join(explainCopy(ctx, path, err), removeDraft(draft))
	}
	return nil
}

// nameCopy gives a finished copy its name, or leaves nothing there.
func nameCopy(from, draft, path string) error {
	// An empty file takes the name, so that the rename replaces nothing that somebody else has put there meanwhile.
	if err := makeBeside(from, path); err != nil {
		return err
	}
	if err := errors.Join(os.Rename(draft, path), syncDirectory(filepath.Dir(path))); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// copyTo makes a file that is on disk and has passed check.
func copyTo(ctx context.Context, db querier, from, file string, check look) error {
	if err := makeBeside(from, file); err != nil {
		return err
	}
	if err := copyPages(ctx, db, file); err != nil {
		return err
	}
	if err := checkCopy(ctx, file, check); err != nil {
		return err
	}
	return syncFile(file)
}

// isCopy tells whether the file at path, which is not the ledger itself, is what a copy of the ledger at from, behind db,
// would be now.
func isCopy(ctx context.Context, db querier, from, path string, check look) (same bool, err error) {
	original, err := os.Lstat(from)
	if err != nil {
		return false, err
	}
	found, err := os.Lstat(path)
	if err != nil || !found.Mode().IsRegular() || found.Size() == 0 || os.SameFile(original, found) {
		return false, err
	}
	draft := newUnfinished(path)
	defer func() { err = errors.Join(err, removeDraft(draft)) }()
	if err := copyTo(ctx, db, from, draft, check); err != nil {
		return false, err
	}
	return haveSameBytes(draft, path)
}

// haveSameBytes compares two files that nobody has open.
func haveSameBytes(a, b string) (bool, error) {
	one, err := digestOfFile(a)
	if err != nil {
		return false, err
	}
	other, err := digestOfFile(b)
	return one == other, err
}

func digestOfFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	return string(hash.Sum(nil)), errors.Join(err, f.Close())
}

// checkTarget refuses a directory where others could put another file in the place of the one that is being written.
func checkTarget(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no such directory (%w); make it, or give the copy another place", dir, fs.ErrNotExist)
	}
	if err != nil {
		return unavailable(dir, "look at the directory of the copy", err)
	}
	if modesMatter && info.Mode()&othersMayWrite != 0 && info.Mode()&fs.ModeSticky == 0 {
		return unsupported(dir, "others can write to it (mode %04o); give the copy a place in a directory of this user", info.Mode().Perm())
	}
	return nil
}

// checkVacant refuses a place where a file is, or where the log of another ledger would be taken for the copy's.
func checkVacant(path string) error {
	for _, ending := range slices.Concat(companions, []string{journalEnding, draftEnding}) {
		_, exists, err := sizeOf(path + ending)
		if err != nil {
			return unavailable(path, "look at "+path+ending, err)
		}
		if exists {
			return fmt.Errorf("%s: %w; give the path of a new file", path+ending, fs.ErrExist)
		}
	}
	return nil
}

// copyPages writes what db has at one moment to an empty file.
func copyPages(ctx context.Context, db querier, path string) error {
	rows, err := db.QueryContext(ctx, "VACUUM INTO ?", path)
	if err != nil {
		return err
	}
	return errors.Join(rows.Close(), rows.Err())
}

func checkCopy(ctx context.Context, path string, check look) error {
	db, err := openPool(path, 1, DefaultBusyTimeout, immutable, careful...)
	if err != nil {
		return err
	}
	return errors.Join(check(ctx, db), db.Close())
}

// syncFile puts a file on disk that nobody has open.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// explainCopy gives an error of copying the meaning it has for who asked for it.
func explainCopy(ctx context.Context, path string, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: write the copy: %w", path, ctx.Err())
	case errors.Is(err, fs.ErrExist), errors.Is(err, ledger.ErrCorrupt):
		return err
	case codeOf(err) == codeCorrupt: // what is read, for the copy is new
		return explain(path, "copy", err)
	}
	return unavailable(path, "write the copy", err)
}
