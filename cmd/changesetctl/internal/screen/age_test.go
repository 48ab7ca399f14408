package screen_test

import (
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
)

func TestMomentsToComeAreRounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for until, want := range map[time.Duration]string{
		24*time.Hour - time.Millisecond: "(in 1d)", 15*time.Minute - time.Millisecond: "(in 15m)", 13 * time.Hour: "(in 13h)",
		-time.Hour: "(1h ago)",
	} {
		if got := screen.Moment(now.Add(until), now); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s, want %s", until, got, want)
		}
	}
}

func TestParseAge(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"0s": 0, "90m": 90 * time.Minute, "30d": 30 * screen.Day, "2w": 2 * screen.Week, "1d12h": 36 * time.Hour, "007s": 7 * time.Second,
		"1w2d3h4m5s": 9*screen.Day + 3*time.Hour + 4*time.Minute + 5*time.Second,
	} {
		if got, err := screen.ParseAge(text); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "3", "d", "-3d", "+3d", "3 d", "3D", "1.5h", "12h1d", "1d1d", "3y", "３d", "1ms", "9223372036854775807s", "99999999999999999999s", "106751d24h",
	} {
		if got, err := screen.ParseAge(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzParseAge(f *testing.F) {
	for _, text := range []string{"", "30d", "1d12h", "106751d", "106752d", "5s5s", "\xff", "d", "9223372036s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := screen.ParseAge(text)
		switch {
		case err != nil:
			if message := err.Error(); message == "" || strings.ContainsAny(message, "\x1b\n\u202e") {
				t.Errorf("%q: %q", text, message)
			}
		case d < 0 || strings.Trim(text, "0123456789wdhms") != "":
			t.Errorf("%q: %v", text, d)
		}
	})
}
