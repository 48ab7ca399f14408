package runtime_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
)

func ExampleDateTime() {
	d := runtime.DateTime("2026-03-01T12:00:00.50+01:00")
	at, err := d.Time()
	fmt.Println(at.UTC(), err)
	fmt.Println(d, "is not", runtime.DateTimeOf(at))
	// Output:
	// 2026-03-01 11:00:00.5 +0000 UTC <nil>
	// 2026-03-01T12:00:00.50+01:00 is not 2026-03-01T12:00:00.5+01:00
}

func TestDateTimeOfIsTheInstantAgain(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{
		time.Unix(0, 0), time.Unix(1, 999_999_999), time.Date(2026, 10, 25, 2, 30, 0, 1, time.FixedZone("", 3600)),
	} {
		got, err := runtime.DateTimeOf(at).Time()
		if err != nil || !got.Equal(at) {
			t.Errorf("got %v, %v; want %v", got, err, at)
		}
	}
}

func TestDateTimeThatIsNoneIsAnError(t *testing.T) {
	t.Parallel()
	for _, text := range []runtime.DateTime{"", "tomorrow", "2026-03-01", "2026-03-01 12:00:00Z", "2026-02-30T00:00:00Z", "2026-03-01T12:00:00"} {
		if got, err := text.Time(); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
