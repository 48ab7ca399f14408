package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/cli"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Whoever runs the commands in a script learns from the exit code whether something was done: 0, nothing because of an
// error: 1, or nothing because nobody said yes: 2.
func TestExitCodesTellWhatWasDone(t *testing.T) {
	t.Parallel()
	s, _ := opened(t)
	rule, doubt := proposed(t, s, "set_rule", "tea", "3"), proposed(t, s, "set_price", "milk", doubtfulApply)
	if r, err := s.apply(t.Context(), "set_price", doubt); err != nil || r.Code != "in_doubt" {
		t.Fatalf("%v, %+v", err, r)
	}
	applied := proposed(t, s, "set_price", "tea", "4")
	if r, err := s.apply(t.Context(), "set_price", applied); err != nil || r.Status != "applied" {
		t.Fatalf("%v, %+v", err, r)
	}
	insertExpired(t, s, 1)
	for name, command := range map[string][]string{
		"approve": {"approve", rule}, "reject": {"reject", rule, "--reason", "no"}, "undo": {"undo", applied},
		"reconcile": {"reconcile", doubt, "--verdict", "done", "--note", "looked"}, "prune": {"prune", "--older-than", "1d"},
	} {
		before := dumped(t, s)
		if r := run(s, command...); r.code != 2 || !strings.Contains(r.stderr, "Nothing was changed") {
			t.Errorf("%s without a yes: exit code %d: %s", name, r.code, r.stderr)
		}
		if after := dumped(t, s); after != before {
			t.Errorf("%s without a yes changed the ledger:\n%s\n%s", name, before, after)
		}
	}
	for name, command := range map[string][]string{
		"an unknown change": {"approve", "chg_00000000000000000000", "--yes"}, "an unknown command": {"aprove"},
		"an unknown flag": {"list", "--nonsense"}, "a doubt that is none": {"reconcile", rule, "--verdict", "done", "--note", "x", "--yes"},
		"no ledger": {"--ledger", filepath.Join(t.TempDir(), "none.db"), "list"}, "something that is no ledger": {"--ledger", noLedger(t), "list"},
		"a check that finds something": {"check"}, "a name that is not UTF-8": {"approve", rule, "--yes", "--as", "M\xfcller"},
	} {
		if r := run(s, command...); r.code != 1 {
			t.Errorf("%s: exit code %d: %s", name, r.code, r.stderr)
		}
	}
	for name, command := range map[string][]string{
		"reconcile": {"reconcile", doubt, "--verdict", "done", "--note", "looked", "--yes"}, "prune": {"prune", "--older-than", "1d", "--yes"},
		"approve": {"approve", rule, "--yes"}, "nothing to close": {"expire"}, "list": {"list"},
	} {
		if r := run(s, command...); r.code != 0 {
			t.Errorf("%s: exit code %d: %s", name, r.code, r.stderr)
		}
	}
	if r := run(s, "check"); r.code != 0 {
		t.Errorf("a check that finds nothing: exit code %d: %s", r.code, r.stdout)
	}
}

// That a check found something is told by what it writes, which cannot be written.
func TestCheckWhoseFindingsCannotBeWrittenSaysSo(t *testing.T) {
	t.Parallel()
	s, _ := opened(t)
	doubt := proposed(t, s, "set_price", "milk", doubtfulApply)
	if r, err := s.apply(t.Context(), "set_price", doubt); err != nil || r.Code != "in_doubt" {
		t.Fatalf("%v, %+v", err, r)
	}
	var stderr strings.Builder
	code := cli.Run(t.Context(), []string{"--ledger", s.address, "check"}, cli.Streams{
		In: strings.NewReader(""), Out: full{}, Err: &stderr, Getenv: func(string) string { return "" },
	})
	if told := stderr.String(); code != 1 || !strings.Contains(told, full{}.Error()) || strings.Contains(told, "something is wrong") {
		t.Errorf("exit code %d: %q", code, told)
	}
}

// full is where nothing can be written.
type full struct{}

func (full) Error() string { return "there is no room" }

func (f full) Write([]byte) (int, error) { return 0, f }

// A preview whose time is over is closed only where somebody says yes to that.
func TestExitCodeOfAnExpireThatNobodyAgreedTo(t *testing.T) {
	t.Parallel()
	s := openedAt(t, ledgerIn(t.TempDir()), runtime.MaxTTL+time.Minute)
	id := proposed(t, s, "set_price", "tea", "3")
	for _, step := range []struct {
		command []string
		code    int
		status  string
	}{{[]string{"expire"}, 2, "pending"}, {[]string{"expire", "--yes"}, 0, "expired"}} {
		r := run(s, step.command...)
		record, _, err := s.store.Get(t.Context(), id)
		if err != nil || r.code != step.code || string(record.Status) != step.status {
			t.Errorf("%q: exit code %d, %s, %v", step.command, r.code, record.Status, err)
		}
	}
}

// noLedger is a file that is something else.
func noLedger(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "note.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("not a ledger\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// dumped is all that the ledger has.
func dumped(t *testing.T, s *shop) string {
	t.Helper()
	records, err := s.store.List(t.Context(), ledger.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%+v", records)
}
