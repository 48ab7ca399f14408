package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunSaysWhatIsWrongWithTheCommandLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
		exit int
		want string
	}{
		{"no database", []string{"--ledger", "l.db"}, exitUsage, "--db is missing"},
		{"no ledger", []string{"--db", "s.db"}, exitUsage, "--ledger is missing"},
		{"something more", []string{"--db", "s.db", "--ledger", "l.db", "extra"}, exitUsage, `unexpected argument "extra"`},
		{"a write mode that is none", []string{"--db", "s.db", "--ledger", "l.db", "--write-mode", "on"}, exitUsage, `"on"`},
		{"no time for the writes that run", []string{"--db", "s.db", "--ledger", "l.db", "--grace", "0s"}, exitUsage, "--grace is 0s"},
		{"a flag that is none", []string{"--port", "1"}, exitUsage, "-port"},
		{"help", []string{"--help"}, exitDone, "-write-mode"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			if got := run(test.args, &stderr); got != test.exit {
				t.Errorf("exit code %d, want %d", got, test.exit)
			}
			if !strings.Contains(stderr.String(), test.want) {
				t.Errorf("standard error does not say %s:\n%s", test.want, &stderr)
			}
		})
	}
}

func TestRunSaysWhichFileCannotBeOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "text"), []byte("this is no database, whatever its name may say\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, database, ledger, want string
	}{
		{"settings in a directory that is missing", "missing/settings.db", "ledger/l.db", "missing"},
		{"settings that are no database", "text", "ledger/l.db", "--db must name"},
		{"a ledger that is no database", "settings.db", "text", "ledger"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			args := []string{"--db", filepath.Join(dir, test.database), "--ledger", filepath.Join(dir, test.ledger)}
			if got := run(args, &stderr); got != exitFailed {
				t.Errorf("exit code %d, want %d", got, exitFailed)
			}
			if !strings.Contains(stderr.String(), test.want) {
				t.Errorf("standard error does not say %s:\n%s", test.want, &stderr)
			}
		})
	}
}
