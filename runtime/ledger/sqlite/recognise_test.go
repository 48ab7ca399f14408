package sqlite_test

import (
	"os"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

func TestRecogniseRefusesOnlyWhatIsCertainlyNoLedger(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		damage func(t *testing.T, path string)
		says   string // "" where it is for Open to judge
	}{
		"a ledger":                    {func(*testing.T, string) {}, ""},
		"a missing file":              {func(t *testing.T, path string) { must(t, os.Remove(path)) }, ""},
		"an empty file":               {truncate(0), ""},
		"a file cut in its header":    {truncate(50), ""},
		"a file of text":              {overwrite(0, []byte("not a database, and long enough to tell")), "does not begin as a SQLite database does"},
		"another program's database":  {overwriteNumber(applicationOffset, 7), "a SQLite database of another program"},
		"a database of no program":    {overwriteNumber(applicationOffset, 0), "a SQLite database of another program"},
		"a directory":                 {func(t *testing.T, path string) { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o700)) }, ""},
		"a ledger of another version": {overwriteNumber(versionOffset, 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			create(t, path)
			test.damage(t, path)
			err := sqlite.Recognise(path)
			if (err != nil) != (test.says != "") || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v", err)
			}
		})
	}
}
