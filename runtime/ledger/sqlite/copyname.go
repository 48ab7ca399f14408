package sqlite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// unfinishedPrefix begins the ending of a copy that is being written.
const unfinishedPrefix = "unfinished_"

// newUnfinished is where the copy at path is written before it has its name. Nobody else has that place.
func newUnfinished(path string) string { return path + "." + unfinishedPrefix + randomDigits() }

// checkName refuses the name of a file that lies beside some ledger. There it would be taken for that file, or written
// over, now or when the ledger is opened. Small letters and capitals are the same to some file systems.
func checkName(path string) error {
	name := strings.ToLower(filepath.Base(path))
	beside := slices.Concat(companions[1:], []string{journalEnding, draftEnding})
	taken := slices.ContainsFunc(beside, func(ending string) bool { return strings.HasSuffix(name, ending) })
	last := strings.TrimPrefix(filepath.Ext(name), ".")
	if taken || isHoldName(last) || hasDigits(last, unfinishedPrefix) {
		return unsupported(path, "this is the name of a file that lies beside a ledger; give the copy another one, such as ledger-copy.db")
	}
	return nil
}

// removeUnfinished removes what is left of copies to path whose process was killed: drafts, and the empty file that took
// the name just before a finished one was to get it. A whole copy stays.
func removeUnfinished(path string) error {
	drafts, err := unfinished(path)
	if err != nil || len(drafts) == 0 {
		return err
	}
	if size, exists, err := sizeOf(path); err == nil && exists && size == 0 {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	for _, draft := range drafts {
		if err := removeDraft(draft); err != nil {
			return err
		}
	}
	return nil
}

// unfinished are the drafts of copies to path.
func unfinished(path string) (drafts []string, err error) {
	dir := filepath.Dir(path)
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if ending, beside := strings.CutPrefix(file.Name(), filepath.Base(path)+"."); beside && hasDigits(ending, unfinishedPrefix) {
			drafts = append(drafts, filepath.Join(dir, file.Name()))
		}
	}
	return drafts, nil
}
