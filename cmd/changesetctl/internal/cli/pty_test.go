//go:build unix

package cli_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/creack/pty"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// terminal runs the command on a terminal of so many cells, answers its question, and returns what was to be seen.
func terminal(t *testing.T, columns uint16, answer string, environment []string, args ...string) (seen string, code int) {
	t.Helper()
	return onTerminal(t, exec.CommandContext(t.Context(), "changesetctl", args...), columns, answer, environment)
}

func onTerminal(t *testing.T, c *exec.Cmd, columns uint16, answer string, environment []string) (seen string, code int) {
	t.Helper()
	return answering(t, c, columns, "", func() string { return answer }, environment)
}

// answering is onTerminal for who does something before they answer, and may have typed something before there was
// anything to be seen.
func answering(t *testing.T, c *exec.Cmd, columns uint16, ahead string, answer func() string, environment []string) (seen string, code int) {
	t.Helper()
	c.Env = append(os.Environ(), environment...)
	screen := onScreen(t, c, columns, ahead)
	defer func() { _ = screen.Close() }()
	var err error
	var all bytes.Buffer
	answered := false
	for chunk := make([]byte, 4096); err == nil; { // the end of a terminal is an error on some systems
		var n int
		n, err = screen.Read(chunk)
		all.Write(chunk[:n])
		if !answered && strings.Contains(all.String(), question) {
			answered = true
			if _, err := io.WriteString(screen, answer()); err != nil {
				t.Fatalf("answer: %v", err)
			}
		}
	}
	var exit *exec.ExitError
	if err := c.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatalf("wait: %v", err)
	}
	return strings.ReplaceAll(all.String(), "\r\n", "\n"), c.ProcessState.ExitCode()
}

// onScreen starts the command on a terminal at which something was typed before.
func onScreen(t *testing.T, c *exec.Cmd, columns uint16, ahead string) *os.File {
	t.Helper()
	screen, keyboard, err := pty.Open()
	if err != nil {
		t.Fatalf("open a terminal: %v", err)
	}
	defer func() { _ = keyboard.Close() }()
	if _, err := io.WriteString(screen, ahead); err != nil {
		t.Fatalf("type ahead: %v", err)
	}
	c.Stdin, c.Stdout, c.Stderr = keyboard, keyboard, keyboard
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := errors.Join(pty.Setsize(screen, &pty.Winsize{Rows: 24, Cols: columns}), c.Start()); err != nil {
		t.Fatalf("start on a terminal: %v", err)
	}
	return screen
}

// question ends whatever is asked.
const question = "[y/N]"

func TestCommandsAskOnATerminal(t *testing.T) {
	t.Parallel()
	s, environment := opened(t)
	id := proposed(t, s, "set_rule", "tea", "3")
	for _, step := range []struct {
		answer string
		code   int
		want   string
	}{
		{"\n", 2, "Nothing was changed."},
		{"n\n", 2, "Nothing was changed."},
		{"yesterday\n", 2, "Nothing was changed."},
		{"\x04", 2, "Nothing was changed."},  // the end of the input
		{"\x03", 1, "nothing was changed: "}, // an interrupt
		{" YES \n", 0, "The apply of " + id + " is approved."},
	} {
		seen, code := terminal(t, 80, step.answer, environment, "approve", id)
		if code != step.code || !strings.Contains(seen, step.want) || !strings.Contains(seen, `tea: "2" -> "3"`) {
			t.Errorf("answered %q: exit code %d, want %d and %q:\n%s", step.answer, code, step.code, step.want, seen)
		}
		if !regexp.MustCompile(`Approve the apply of ` + id + ` as .+\? \[y/N\] `).MatchString(seen) {
			t.Errorf("the question is not there:\n%s", seen)
		}
	}
	if seen, code := terminal(t, 80, "y\n", environment, "approve", id); code != 1 || strings.Contains(seen, question) {
		t.Errorf("asked about what cannot be decided: exit code %d:\n%s", code, seen)
	}
}

// Nobody says yes to what they have not seen yet.
func TestYesThatWasTypedBeforeTheQuestionIsNoAnswer(t *testing.T) {
	t.Parallel()
	s, environment := opened(t)
	id := proposed(t, s, "set_rule", "tea", "3")
	c := exec.CommandContext(t.Context(), "changesetctl", "approve", id)
	seen, code := answering(t, c, 200, "y\ny", func() string { return "\n" }, environment)
	if code != 2 || !strings.Contains(seen, "Nothing was changed.") {
		t.Errorf("exit code %d:\n%s", code, seen)
	}
	if r, _, err := s.store.Get(t.Context(), id); err != nil || r.Decision.Verdict != "" {
		t.Errorf("%q, %v", r.Decision.Verdict, err)
	}
}

// A yes is to what was shown. While the question stood there, the claim ended, and another one is in doubt now.
func TestReconcileSettlesNoOtherClaimThanTheOneThatWasShown(t *testing.T) {
	t.Parallel()
	s, environment := opened(t)
	id := proposed(t, s, "set_price", "tea", "doubtful")
	if _, err := s.apply(t.Context(), "set_price", id); err != nil {
		t.Fatal(err)
	}
	moveOn := func() string {
		r, _, err := s.store.Get(t.Context(), id)
		if err != nil {
			t.Error(err)
		}
		from := r.Status
		r.Status, r.ClaimID = ledger.Undoing, "another claim"
		if err := s.store.Swap(t.Context(), r, time.Time{}, ledger.Event{Actor: "agent", From: from, To: r.Status}); err != nil {
			t.Error(err)
		}
		return "y\n"
	}
	c := exec.CommandContext(t.Context(), "changesetctl", "reconcile", id, "--verdict", "done", "--note", "the price is there")
	seen, code := answering(t, c, 200, "", moveOn, environment)
	if code != 1 || !strings.Contains(seen, "has moved on since it was shown") {
		t.Errorf("exit code %d:\n%s", code, seen)
	}
	if r, _, err := s.store.Get(t.Context(), id); err != nil || r.Status != ledger.Undoing {
		t.Errorf("%s, %v", r.Status, err)
	}
}

func TestOutputRedirectedFromATerminalIsPlainAndTheQuestionIsStillAsked(t *testing.T) {
	t.Parallel()
	s, environment := opened(t)
	id := proposed(t, s, "set_rule", "tea", "3")
	file := t.TempDir() + "/out"
	seen, code := terminalShell(t, environment, "y\n", `changesetctl approve `+id+` > `+file)
	written, err := os.ReadFile(file)
	if err != nil || code != 0 || !strings.Contains(seen, question) {
		t.Fatalf("exit code %d, %v:\n%s", code, err, seen)
	}
	if !strings.Contains(string(written), "is approved") || strings.Contains(string(written), "\x1b") {
		t.Errorf("%q", written)
	}
	if at := strings.Index(seen, `tea: "2" -> "3"`); at < 0 || at > strings.Index(seen, question) {
		t.Errorf("asked about what the terminal did not show:\n%s", seen)
	}
}

// A yes to what nobody could be shown is no yes.
func TestNothingIsDecidedThatCouldNotBeShown(t *testing.T) {
	t.Parallel()
	fullDevice(t)
	s, environment := opened(t)
	id := proposed(t, s, "set_rule", "tea", "3")
	before := dumped(t, s)
	for _, line := range []string{
		"approve " + id + " > /dev/full 2> /dev/full", "approve " + id + " --yes > /dev/full", "reject " + id + " --reason no --yes > /dev/full",
	} {
		seen, code := terminalShell(t, environment, "y\n", "changesetctl "+line)
		if code != 1 || strings.Contains(seen, question) || dumped(t, s) != before {
			t.Errorf("%s: exit code %d:\n%s\n%s", line, code, seen, dumped(t, s))
		}
	}
	seen, _ := terminalShell(t, environment, "y\n", "changesetctl approve "+id+" --yes > /dev/full")
	if !strings.Contains(seen, "nothing was changed: ") || strings.Count(seen, "no space left") != 1 {
		t.Errorf("%s", seen)
	}
}

func TestWhatWasDoneIsToldWhereItCannotBeWritten(t *testing.T) {
	t.Parallel()
	fullDevice(t)
	s, environment := opened(t)
	id := proposed(t, s, "set_rule", "tea", "3")
	seen, code := terminalShell(t, environment, "y\n", "changesetctl approve "+id+" > /dev/full")
	seen = strings.ReplaceAll(seen, "\n↳ ", "")
	if code != 1 || !strings.Contains(seen, question) || !strings.Contains(seen, "this was done: The apply of "+id+" is approved.") {
		t.Errorf("exit code %d:\n%s", code, seen)
	}
	if record, _, err := s.store.Get(t.Context(), id); err != nil || record.Decision.Verdict == "" {
		t.Errorf("%+v, %v", record.Decision, err)
	}
}

// fullDevice skips the test where there is no file that nothing can be written to.
func fullDevice(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
}

// What fills a line up to the end of the terminal must not have its rest stand where lines of ours begin.
func TestValueCannotPoseAsALineOnATerminal(t *testing.T) {
	t.Parallel()
	s, environment := opened(t)
	const forged = "Undo: possible once it is applied."
	for _, fill := range []string{" ", "x", "価"} {
		for _, width := range []int{60, 80} {
			value := "harmless" + strings.Repeat(fill, width) + forged
			id := proposed(t, s, "set_rule", "tea", value)
			seen, code := terminal(t, uint16(width), "", environment, "show", id)
			for line := range strings.SplitSeq(colour.ReplaceAllString(seen, ""), "\n") {
				if displaywidth.String(line) > width || strings.HasPrefix(strings.TrimSpace(line), "Undo") && line != forged {
					t.Errorf("%q", line)
				}
			}
			if at := strings.Index(seen, forged); code != 0 || at < 0 {
				t.Errorf("exit code %d:\n%s", code, seen)
			}
		}
	}
}

// terminalShell is terminal for a line of a shell.
func terminalShell(t *testing.T, environment []string, answer, line string) (string, int) {
	t.Helper()
	c, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	return onTerminal(t, exec.CommandContext(t.Context(), c, "-c", line), 80, answer, environment)
}

var colour = regexp.MustCompile("\x1b\\[[0-9]*m")

func TestTablesFitTheTerminalAndKeepIdsWhole(t *testing.T) {
	t.Parallel()
	s, environment := opened(t)
	var ids []string
	for _, item := range []string{"tea", "milk"} {
		ids = append(ids, proposed(t, s, "set_price", item, strings.Repeat("価格 very long ", 20)))
	}
	for _, columns := range []uint16{200, 120, 80, 60, 56} {
		seen, code := terminal(t, columns, "", environment, "list")
		lines := strings.Split(strings.TrimSpace(colour.ReplaceAllString(seen, "")), "\n")
		want := len(ids) + 1
		if columns <= 80 { // each summary stands below
			want += len(ids)
		}
		_, told, isTold := strings.Cut(strings.ReplaceAll(strings.Join(lines, "\n"), "\n↳ ", ""), "No room for ")
		if columns <= 60 != isTold || isTold && !strings.HasPrefix(told, map[uint16]string{60: "1 of 7 columns: SERVER. ", 56: "2 of 7 columns: SERVER, OPERATION. "}[columns]) {
			t.Errorf("what is left out on a terminal of %d: %s", columns, told)
		}
		lines = slices.DeleteFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "No room for ") || strings.HasPrefix(line, "↳ ")
		})
		if code != 0 || len(lines) != want {
			t.Fatalf("exit code %d, %d lines:\n%s", code, len(lines), seen)
		}
		for _, line := range lines {
			if width := displaywidth.String(line); width > int(columns) {
				t.Errorf("%d cells on a terminal of %d:\n%s", width, columns, line)
			}
		}
		for _, id := range ids {
			if !strings.Contains(seen, id) {
				t.Errorf("%s is not whole on a terminal of %d:\n%s", id, columns, seen)
			}
		}
		if !strings.Contains(seen, "Set tea to 価格") {
			t.Errorf("no summary on a terminal of %d:\n%s", columns, seen)
		}
	}
}

func TestColoursAreForTerminalsThatWantThem(t *testing.T) {
	t.Parallel()
	s, environment := opened(t)
	proposed(t, s, "set_price", "tea", "3")
	for name, test := range map[string]struct {
		environment string
		want        bool
	}{
		"terminal": {"X=", true}, "NO_COLOR": {"NO_COLOR=1", false}, "dumb": {"TERM=dumb", false},
	} {
		seen, code := terminal(t, 100, "", append(environment[:len(environment):len(environment)], test.environment), "list")
		if got := colour.MatchString(seen); code != 0 || got != test.want {
			t.Errorf("%s: exit code %d, coloured %v:\n%q", name, code, got, seen)
		}
	}
}

// A terminal must not obey what an agent, a target or a person wrote, whatever shows it: values, keys, errors, reasons.
func TestTerminalObeysNothingThatIsShown(t *testing.T) {
	t.Parallel()
	s, environment := opened(t)
	id, failed := proposed(t, s, "set_rule", evil, evil), proposed(t, s, "set_price", evil, failingApply)
	if r, err := s.apply(t.Context(), "set_price", failed); err != nil || r.Code != "apply_failed" {
		t.Fatalf("%v, %+v", err, r)
	}
	for _, step := range []struct {
		answer string
		args   []string
	}{
		{"", []string{"list"}}, {"", []string{"pending"}}, {"", []string{"show", id}}, {"", []string{"show", failed}},
		{"", []string{"show", id, "--json"}}, {"", []string{"show", failed, "--json"}},
		{"n\n", []string{"reject", id, "--reason", "no"}},
		{"y\n", []string{"approve", id, "--as", evil, "--reason", evil}},
		{"", []string{"approve", id}}, // an error that names who approved it
		{"y\n", []string{"reject", id, "--as", evil, "--reason", evil}},
		{"", []string{"show", id}}, {"", []string{"list", "--server", evil, "--status", evil}},
	} {
		seen, _ := terminal(t, 500, step.answer, environment, step.args...)
		seen = strings.ReplaceAll(colour.ReplaceAllString(seen, ""), "\r\n", "\n")
		for _, character := range []string{"\x1b", "\u009b", "\r", "\u2028", "\u202e", "\u2066", "\u200b", "\nApproved by ana"} {
			if strings.Contains(seen, character) {
				t.Errorf("%q: %q is in\n%q", step.args, character, seen)
			}
		}
		if !strings.Contains(seen, "Approved by ana") {
			t.Errorf("%q does not show it:\n%s", step.args, seen)
		}
	}
}

func TestLongPruneShowsHowFarItIs(t *testing.T) {
	t.Parallel()
	s, environment := opened(t)
	insertExpired(t, s, 600)
	seen, code := terminal(t, 80, "y\n", environment, "prune", "--older-than", "1d")
	if code != 0 || !strings.Contains(seen, "To delete: 600 changes") || !strings.Contains(seen, "Deleted 600 changes.") ||
		!strings.Contains(seen, "\r\x1b[K500 of 600 deleted") {
		t.Errorf("exit code %d:\n%q", code, seen)
	}
	operator, err := runtime.NewOperator(s.store, runtime.Decider{Name: "ana", Channel: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := operator.Rehearse().Prune(t.Context(), runtime.PruneOptions{}); p.Changes != 0 || err != nil {
		t.Errorf("%d are left, %v", p.Changes, err)
	}
}

func TestHistoryIsWholeOnANarrowTerminal(t *testing.T) {
	t.Parallel()
	s, environment := opened(t)
	id := proposed(t, s, "set_rule", "tea", "3")
	reason := strings.TrimSpace(strings.Repeat("price ", 60)) + "."
	if r := run(s, "reject", id, "--yes", "--reason", reason); r.code != 0 {
		t.Fatal(r.stderr)
	}
	for _, columns := range []uint16{60, 80, 120} {
		seen, _ := terminal(t, columns, "", environment, "show", id)
		_, history, _ := strings.Cut(colour.ReplaceAllString(seen, ""), "History:")
		if n := strings.Count(history, "price"); n != 60 {
			t.Errorf("%d of 60 words on a terminal of %d:\n%s", n, columns, history)
		}
	}
}
