package sqlite_test

import (
	"os"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// logHeader and frameHeader are the lengths of what precedes the pages in a write-ahead log, and each page.
const (
	logHeader   = 32
	frameHeader = 24
)

// TestALogThatLostWritesIsRefused damages the write-ahead log of a killed process. SQLite takes it for one that ends
// earlier, and the claims in the rest would be forgotten and could be made again.
func TestALogThatLostWritesIsRefused(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, log string){
		"removed":                     func(t *testing.T, log string) { must(t, os.Remove(log)) },
		"empty":                       truncate(0),
		"one byte":                    truncate(1),
		"cut to half":                 func(t *testing.T, log string) { truncate(int64(len(read(t, log))/2))(t, log) },
		"cut inside its last frame":   func(t *testing.T, log string) { truncate(int64(len(read(t, log))-100))(t, log) },
		"a flipped byte at its start": overwrite(5, []byte{0xff}),
		"a flipped salt":              invert(17),
		"a flipped byte in a frame":   invert(logHeader + 9),
		"a flipped byte in a page":    overwrite(logHeader+frameHeader+200, []byte{0xff, 0xfe}),
		"a flipped byte in the last page": func(t *testing.T, log string) {
			overwrite(len(read(t, log))-50, []byte{0xff, 0xfe, 0xfd})(t, log)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			crash(t, path)
			damage(t, path+"-wal")
			expectRefusal(t, path, ledger.ErrCorrupt)
			_, err := sqlite.Open(t.Context(), path)
			if err == nil || !strings.Contains(err.Error(), "are missing") || !strings.Contains(err.Error(), "remove "+path+".mark") {
				t.Errorf("%v does not say that writes are missing, or what to do", err)
			}
		})
	}
}

// invert turns every bit of one byte, whatever it is: the salts of a log are random.
func invert(at int) func(t *testing.T, file string) {
	return func(t *testing.T, file string) { overwrite(at, []byte{^read(t, file)[at]})(t, file) }
}

// TestALedgerIsNeverMadeInThePlaceOfAnother removes a ledger that was closed, or puts an older copy in its place.
func TestALedgerIsNeverMadeInThePlaceOfAnother(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	create(t, path)
	older := read(t, path)
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(2), ledger.Event{}))
	must(t, s.Close())
	must(t, os.Remove(path))
	expectRefusal(t, path, ledger.ErrCorrupt)
	must(t, os.WriteFile(path, older, 0o600))
	expectRefusal(t, path, ledger.ErrCorrupt)

	must(t, os.Remove(path+".mark")) // as the error says
	if got := len(everything(t, path)); got != 1 {
		t.Errorf("%d changes are in the older copy, want 1", got)
	}
}

// TestALostMarkIsMadeAgain has a ledger whose mark is missing or makes no sense, as after a power loss. Nobody can tell
// then whether writes are missing, which has to be said.
func TestALostMarkIsMadeAgain(t *testing.T) {
	t.Parallel()
	for name, lose := range illegible() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			create(t, path)
			before := read(t, path+".mark")
			lose(t, path+".mark")
			logger, log := recordLog()
			s := open(t, path, sqlite.WithLogger(logger))
			if said := log.String(); !strings.Contains(said, "level=WARN") || !strings.Contains(said, path+".mark") {
				t.Errorf("the log says %q, want a warning about the mark", said)
			}
			must(t, s.Close())
			if got := len(everything(t, path)); got != 1 {
				t.Errorf("%d changes, want 1", got)
			}
			if after := read(t, path+".mark"); string(after) != string(before) {
				t.Errorf("the mark is %q, want %q", after, before)
			}
		})
	}
}

// illegible are the ways in which a mark says nothing.
func illegible() map[string]func(t *testing.T, mark string) {
	return map[string]func(t *testing.T, mark string){
		"removed": func(t *testing.T, mark string) { must(t, os.Remove(mark)) },
		"empty":   truncate(0),
		"cut":     truncate(20),
		"longer":  func(t *testing.T, mark string) { overwrite(len(read(t, mark)), []byte("more"))(t, mark) },
		"zeros":   func(t *testing.T, mark string) { overwrite(0, make([]byte, len(read(t, mark))))(t, mark) },
	}
}

// TestAnOlderMarkIsNoDamage puts an earlier mark beside a ledger, as a power loss may: the mark is not synced.
func TestAnOlderMarkIsNoDamage(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	create(t, path)
	earlier := read(t, path+".mark") // of a ledger that was closed
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(2), ledger.Event{}))
	must(t, s.Close())
	must(t, os.WriteFile(path+".mark", earlier, 0o600))
	if got := len(everything(t, path)); got != 2 {
		t.Errorf("%d changes, want 2", got)
	}
}

// TestAWriteOfAnotherProgramIsNoticed has a shell change a row of a ledger that is closed.
func TestAWriteOfAnotherProgramIsNoticed(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	create(t, path)
	execute("SELECT count(*) FROM changes")(t, path)
	must(t, open(t, path).Close()) // looking at it is no harm
	execute("UPDATE changes SET status = 'applied'")(t, path)
	expectRefusal(t, path, ledger.ErrCorrupt)
}

// TestRowsThatAreGoneAreMissed has a shell remove rows of a ledger whose mark is lost. All that are left are as they were.
func TestRowsThatAreGoneAreMissed(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]string{
		"every change":     "DELETE FROM changes",
		"one change":       "DELETE FROM changes WHERE n = 3",
		"an earlier event": "DELETE FROM events WHERE change = 2 AND seq = 1",
		"a whole change":   "DELETE FROM events WHERE change = 3; DELETE FROM changes WHERE n = 3",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			writeChanges(t, path)
			execute(remove)(t, path)
			must(t, os.Remove(path+".mark"))
			expectRefusal(t, path, ledger.ErrCorrupt)
		})
	}
}
