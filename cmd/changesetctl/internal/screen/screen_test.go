package screen_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
)

func noEnvironment(string) string { return "" }

// written is what do writes to a screen that is no terminal.
func written(t *testing.T, do func(*screen.Screen)) string {
	t.Helper()
	var b bytes.Buffer
	s := screen.New(&b, noEnvironment)
	do(s)
	if s.IsTerminal() || s.Err() != nil {
		t.Errorf("terminal %v, error %v", s.IsTerminal(), s.Err())
	}
	return b.String()
}

func TestEverythingWrittenIsVisible(t *testing.T) {
	t.Parallel()
	const evil = "a\x1b[2J\u009b\u202e\u200b\r\tb"
	got := written(t, func(s *screen.Screen) {
		s.Line("%v", evil)
		s.Lines("  ", evil+"\n"+evil)
		s.Table([]screen.Column{{Head: "HEAD"}}, [][]screen.Cell{{{Text: evil, Colour: screen.Red}}})
		s.Fields("", []screen.Field{{Name: "name", Value: screen.Cell{Text: evil}}})
		if err := s.JSON(map[string]string{evil: evil}); err != nil {
			t.Error(err)
		}
	})
	if at := strings.IndexAny(got, "\x1b\u009b\u202e\u200b\r\t"); at >= 0 {
		t.Errorf("%q at %d of %q", got[at], at, got)
	}
}

// TestLinesOfSeveralAtOnceStayWhole has what goes on behind a command warn while the command writes.
func TestLinesOfSeveralAtOnceStayWhole(t *testing.T) {
	t.Parallel()
	const writers, each = 4, 50
	got := written(t, func(s *screen.Screen) {
		var all sync.WaitGroup
		for n := range writers {
			all.Go(func() {
				for range each {
					s.Line("%v", strings.Repeat(strconv.Itoa(n), 20))
				}
			})
		}
		all.Wait()
	})
	for n := range writers {
		if lines := strings.Count(got, strings.Repeat(strconv.Itoa(n), 20)+"\n"); lines != each {
			t.Errorf("%d lines of writer %d are whole, of %d", lines, n, each)
		}
	}
}

func TestFurtherLinesOfATextAreMarked(t *testing.T) {
	t.Parallel()
	got := written(t, func(s *screen.Screen) { s.Lines("  ", "first\nsecond\nthird") })
	if want := "  first\n    | second\n    | third\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTableIsWholeWhereThereIsNoTerminal(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 100) + "end"
	got := written(t, func(s *screen.Screen) {
		s.Table([]screen.Column{{Head: "A"}, {Head: "B", Min: 4}}, [][]screen.Cell{{{Text: "価格"}, {Text: long}}, {{Text: ""}, {Text: "x"}}, {{Text: "y"}, {Text: ""}}})
	})
	if want := "A     B\n価格  " + long + "\n      x\ny\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestJSONIsExact(t *testing.T) {
	t.Parallel()
	type value struct {
		Text string          `json:"text"`
		Raw  json.RawMessage `json:"raw"`
	}
	want := value{"<a> & \u202e \U000e0001 é\n\x7f", json.RawMessage(`{"n":123456789012345678901234567890.10,"s":"` + "\u2066" + `"}`)}
	got := written(t, func(s *screen.Screen) {
		if err := s.JSON(want); err != nil {
			t.Error(err)
		}
	})
	var back value
	if err := json.Unmarshal([]byte(got), &back); err != nil || back.Text != want.Text {
		t.Fatalf("%v: %q", err, back.Text)
	}
	for _, text := range []string{"<a> & ", "123456789012345678901234567890.10", `\u202e`, `\udb40\udc01`, `\u2066`, "é", `\u007f`} {
		if !strings.Contains(got, text) {
			t.Errorf("%q is not in %s", text, got)
		}
	}
}

func TestFirstErrorOfWritingIsKept(t *testing.T) {
	t.Parallel()
	s := screen.New(closed{}, noEnvironment)
	s.Line("one")
	s.Line("two")
	if !errors.Is(s.Err(), errClosed) {
		t.Errorf("%v", s.Err())
	}
	if yes, err := s.Ask(t.Context(), strings.NewReader("y\n"), "Go on?"); yes || !errors.Is(err, errClosed) {
		t.Errorf("a question that nobody sees was answered: %v, %v", yes, err)
	}
}

var errClosed = errors.New("closed")

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errClosed }

func TestOnlyAYesIsAYes(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{
		"y\n": true, "Y\n": true, "yes\n": true, " Yes \r\n": true, "y": true,
		"": false, "\n": false, "n\n": false, "yy\n": false, "yes please\n": false, "\ny\n": false,
	} {
		var got bool
		written(t, func(s *screen.Screen) {
			var err error
			if got, err = s.Ask(t.Context(), strings.NewReader(answer), "Go on?"); err != nil {
				t.Errorf("%q: %v", answer, err)
			}
		})
		if got != want {
			t.Errorf("%q: %v", answer, got)
		}
	}
}

func TestQuestionEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	written(t, func(s *screen.Screen) {
		if yes, err := s.Ask(ctx, never{}, "Go on?"); yes || !errors.Is(err, context.Canceled) {
			t.Errorf("%v, %v", yes, err)
		}
	})
}

// never is somebody who does not answer.
type never struct{}

func (never) Read([]byte) (int, error) { select {} }

func TestMomentSaysHowFarAwayItIs(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 29, 12, 0, 0, 0, time.UTC)
	for text, at := range map[string]time.Time{
		"2026-03-29T12:00:00Z (0s ago)":  now,
		"2026-03-29T11:58:30Z (1m ago)":  now.Add(-90 * time.Second),
		"2026-03-29T12:14:59Z (in 14m)":  now.Add(14*time.Minute + 59*time.Second),
		"2026-03-27T12:00:00Z (2d ago)":  now.Add(-2 * screen.Day),
		"2026-02-07T11:00:00Z (50d ago)": now.Add(-50*screen.Day - time.Hour),
	} {
		if got := screen.Moment(at.In(time.FixedZone("", 5*60*60+30*60)), now); got != text {
			t.Errorf("%v: %q, want %q", at, got, text)
		}
	}
	if got := screen.Moment(time.Time{}, now); got != "" {
		t.Errorf("no time is %q", got)
	}
}

// TestProgressElsewhereThanOnATerminalIsALineNowAndThen works for 25 seconds, with a word every second.
func TestProgressElsewhereThanOnATerminalIsALineNowAndThen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := written(t, func(s *screen.Screen) {
			for n := range 25 {
				s.Progress("%d of 25 deleted", n)
				time.Sleep(time.Second) // of the bubble
			}
			s.Progress("")
		})
		if want := "10 of 25 deleted\n20 of 25 deleted\n"; got != want {
			t.Errorf("written is %q, want %q", got, want)
		}
	})
}
