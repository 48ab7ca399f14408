package screen

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Lengths of time that people count in.
const (
	Day  = 24 * time.Hour
	Week = 7 * Day
)

// units are the endings of an age, the longest first.
var units = []struct {
	ending string
	length time.Duration
}{{"w", Week}, {"d", Day}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}}

// ParseAge reads a length of time, such as 30d, 12h or 1d12h.
func ParseAge(text string) (time.Duration, error) {
	wrong := fmt.Errorf("%s is no age: give a number and w, d, h, m or s, such as 30d, 12h or 1d12h", strconv.QuoteToASCII(text))
	rest, last, age := text, -1, time.Duration(0)
	for rest != "" {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n, err := strconv.ParseInt(rest[:digits], 10, 64)
		unit := unitAt(rest[digits:])
		if err != nil || unit <= last {
			return 0, wrong
		}
		if n > (math.MaxInt64-int64(age))/int64(units[unit].length) {
			return 0, fmt.Errorf("%s is longer than any ledger is old", strconv.QuoteToASCII(text))
		}
		age += time.Duration(n) * units[unit].length
		last, rest = unit, rest[digits+1:]
	}
	if last < 0 {
		return 0, wrong
	}
	return age, nil
}

// unitAt is the unit that a text begins with; -1 for none.
func unitAt(text string) int {
	for i, u := range units {
		if strings.HasPrefix(text, u.ending) {
			return i
		}
	}
	return -1
}

// Age is a length of time as people say it: its largest unit, rounded down.
func Age(d time.Duration) string {
	for _, u := range units[1:] { // days are easier to compare than weeks
		if d >= u.length {
			return fmt.Sprintf("%d%s", d/u.length, u.ending)
		}
	}
	return "0s"
}

// Moment is a time with how far it is away from now; "" for none.
func Moment(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	text := t.UTC().Format(time.RFC3339)
	switch d := now.Sub(t); {
	case d < 0:
		return fmt.Sprintf("%s (in %s)", text, Age(left(-d)))
	default:
		return fmt.Sprintf("%s (%s ago)", text, Age(d))
	}
}

// left is a length of time without what has passed of it while it was written: a day less a moment is a day.
func left(d time.Duration) time.Duration {
	if d < time.Hour {
		return d.Round(time.Second)
	}
	return d.Round(time.Minute)
}
