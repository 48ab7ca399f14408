package runtime

import (
	"fmt"
	"strconv"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// DateTime is a date-time of JSON Schema as it was spelled: 2026-03-01T12:00:00.50+01:00 is the same instant as
// 2026-03-01T11:00:00.5Z, and another text. Unless formats are asserted, any text can stand there.
type DateTime string

// DateTimeOf spells an instant, in its own offset and to the nanosecond.
func DateTimeOf(t time.Time) DateTime { return DateTime(t.Format(time.RFC3339Nano)) }

// Time is the instant. It is an error if the text is none by RFC 3339, as is a leap second, which Go has no time for.
func (d DateTime) Time() (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, string(d))
	if err != nil {
		return time.Time{}, fmt.Errorf("the date-time %s: %w; write it as 2006-01-02T15:04:05Z", visible.Text(strconv.Quote(string(d))), err)
	}
	return t, nil
}
