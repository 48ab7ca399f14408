package runtime_test

import (
	"fmt"
	"testing"
	"time"
)

// A preview runs out at the same instant wherever its servers are: one is made under one time zone, just before its
// clocks are changed, and applied after a restart under another.
func TestPreviewExpiresAtOneInstantInAllTimeZones(t *testing.T) {
	t.Parallel()
	const chicago, kolkata = "America/Chicago", "Asia/Kolkata"
	for change, at := range map[string]time.Time{
		"when the clocks of Chicago are set forward": time.Date(2027, time.March, 14, 8, 0, 0, 0, time.UTC),
		"when they are set back":                     time.Date(2027, time.November, 7, 7, 0, 0, 0, time.UTC),
	} {
		for _, zones := range [][2]string{{chicago, kolkata}, {kolkata, chicago}, {chicago, "UTC"}} {
			t.Run(fmt.Sprintf("%s/from %s to %s", change, zones[0], zones[1]), func(t *testing.T) {
				t.Parallel()
				directory := t.TempDir()
				target := openTargetDB(t, directory)
				made := at.Add(-5 * time.Minute)
				first := startAt(t, directory, zones[0], made)
				inTime := first.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"})
				late := first.call(t, "preview_set_setting", map[string]string{"key": "language", "value": "de"})
				wantInstant(t, "expires_at", late.ExpiresAt, made.Add(serverTTL), time.Minute)
				first.kill()

				second := startAt(t, directory, zones[1], made.Add(serverTTL-2*time.Minute))
				s := second.call(t, "get_change_status", map[string]string{"change_id": late.ChangeID})
				if s.Status != "pending" || s.ExpiresAt != late.ExpiresAt {
					t.Errorf("after the restart: %s, want it to expire at %s", s.raw, late.ExpiresAt)
				}
				a := second.call(t, "apply_set_setting", map[string]string{"change_id": inTime.ChangeID, "confirmation_token": inTime.ConfirmationToken})
				if a.Status != "applied" {
					t.Fatalf("two minutes before the end: %s", a.raw)
				}
				wantInstant(t, "undo_expires_at", a.UndoExpiresAt, made.Add(serverTTL-2*time.Minute+24*time.Hour), time.Minute)
				second.kill()

				expiry, err := time.Parse(time.RFC3339, late.ExpiresAt)
				if err != nil {
					t.Fatal(err)
				}
				third := startAt(t, directory, zones[0], expiry)
				r := third.call(t, "apply_set_setting", map[string]string{"change_id": late.ChangeID, "confirmation_token": late.ConfirmationToken})
				wantRefused(t, r, "expired")
				wantWrites(t, target, 1, "at the end")
			})
		}
	}
}

// Clocks are set by days, and by hours. What has expired stays so, and what is judged by a wrong clock is refused.
func TestClockOfTheHostMoves(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		by    time.Duration
		code  string
		right string // the status of the answer once the clock is right again
	}{
		"back two hours": {-2 * time.Hour, "clock_skew", "applied"},
		"forward a day":  {24 * time.Hour, "expired", "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.preview(t, "theme", "dark")
			w.clock.move(test.by)
			apply := func() reply { return w.apply(t, p.ChangeID, p.ConfirmationToken) }
			wantRefused(t, apply(), test.code)
			w.restart(t)
			wantRefused(t, apply(), test.code)
			w.clock.move(-test.by) // set right
			w.restart(t)
			if a := apply(); a.Status != test.right || a.Status == "refused" && (a.Code != "expired" || w.writes(t) != 0) {
				t.Errorf("with the clock set right: %s", a.raw)
			}
		})
	}
}

// startAt starts a server in a time zone whose ledger shows a time.
func startAt(t *testing.T, directory, zone string, now time.Time) *process {
	t.Helper()
	return startServer(t, serveIn+"="+directory, "TZ="+zone, nowIs+"="+now.Format(time.RFC3339Nano))
}

// wantInstant checks a time that was told, which must say its offset and be at an instant or a little later.
func wantInstant(t *testing.T, field, told string, want time.Time, slack time.Duration) {
	t.Helper()
	got, err := time.Parse(time.RFC3339, told)
	if err != nil || got.Before(want) || got.After(want.Add(slack)) {
		t.Errorf("%s is %q (%v), want %s", field, told, err, want.Format(time.RFC3339))
	}
}
