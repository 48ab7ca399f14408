package ledgertest

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var eventTests = []conformance{
	{"EventsOfNoRecordAreNone", eventsOfNoRecordAreNone},
	{"EventsBelongToTheirRecord", eventsBelongToTheirRecord},
	{"EventsAreNumberedAndStampedByTheStore", eventsAreNumberedAndStampedByTheStore},
}

var clockTests = []conformance{
	{"NowIsUTCToTheMillisecond", nowIsUTCToTheMillisecond},
	{"TimesAreInstantsInEveryZone", timesAreInstantsInEveryZone},
	{"NewestIsZeroInAnEmptyLedger", newestIsZeroInAnEmptyLedger},
	{"NewestNeverGoesBack", newestNeverGoesBack},
	{"GetReadsTheClockWithTheRecord", getReadsTheClockWithTheRecord},
	{"GetOfNoRecordStillReadsTheClock", getOfNoRecordStillReadsTheClock},
}

func eventsOfNoRecordAreNone(t *testing.T, open Opener) {
	s := open(newClock().read)
	equal(t, "events", len(events(t, s, id(1))), 0)
}

func eventsBelongToTheirRecord(t *testing.T, open Opener) {
	s := open(newClock().read)
	insert(t, s, pending(1))
	swap(t, s, claim(insert(t, s, pending(2)), "claim", "h"), claimed)
	equal(t, "events of the first", events(t, s, id(1)), []ledger.Event{stamped(previewed, 1, noon)})
	equal(t, "number of events of the second", len(events(t, s, id(2))), 2)
}

func eventsAreNumberedAndStampedByTheStore(t *testing.T, open Opener) {
	s := open(newClock().read)
	insert(t, s, pending(1))
	equal(t, "events", events(t, s, id(1)), []ledger.Event{stamped(previewed, 1, noon)})
}

func nowIsUTCToTheMillisecond(t *testing.T, open Opener) {
	now := newClock()
	now.set(time.Date(2026, time.March, 29, 17, 30, 0, 1_999_999, time.FixedZone("", 5*60*60+30*60)))
	at, err := open(now.read).Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "now", at.Now.String(), noon.Add(time.Millisecond).String())
}

// timesAreInstantsInEveryZone has stores whose clocks run in other zones, on both sides of the hour that comes twice when
// clocks are set back.
func timesAreInstantsInEveryZone(t *testing.T, open Opener) {
	summer, winter := time.FixedZone("CDT", -5*60*60), time.FixedZone("CST", -6*60*60)
	expiry := time.Date(2027, time.November, 7, 1, 5, 0, 0, winter) // an hour later 1:05 was over once already
	now := newClock()
	now.set(time.Date(2027, time.November, 7, 1, 55, 0, 0, summer))
	r := pending(1)
	r.ExpiresAt = expiry
	r = insert(t, open(now.read), r)
	equal(t, "the expiry", r.ExpiresAt, time.Date(2027, time.November, 7, 7, 5, 0, 0, time.UTC))
	equal(t, "the time of the event", r.UpdatedAt, time.Date(2027, time.November, 7, 6, 55, 0, 0, time.UTC))

	elsewhere := time.FixedZone("IST", 5*60*60+30*60)
	now.set(expiry.In(elsewhere))
	other := open(now.read)
	failsWith(t, "swap at the instant", other.Swap(t.Context(), claim(r, "claim", "h"), expiry, claimed), ledger.ErrExpired)
	now.set(expiry.Add(-time.Millisecond).In(elsewhere))
	if err := other.Swap(t.Context(), claim(r, "claim", "h"), expiry.In(summer), claimed); err != nil {
		t.Errorf("swap a millisecond before: %v", err)
	}
}

func newestIsZeroInAnEmptyLedger(t *testing.T, open Opener) {
	at, err := open(newClock().read).Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the clock", at, ledger.Clock{Now: noon})
}

func newestNeverGoesBack(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	r := insert(t, s, pending(1))
	now.set(noon.Add(-time.Hour))
	swap(t, s, claim(r, "claim", "h"), claimed)
	at, err := s.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the clock", at, ledger.Clock{Now: noon.Add(-time.Hour), Newest: noon})
	equal(t, "the time of the event", events(t, s, id(1))[1].At, noon.Add(-time.Hour))
}

func getReadsTheClockWithTheRecord(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	insert(t, s, pending(1))
	now.set(noon.Add(time.Minute))
	insert(t, s, pending(2))
	now.set(noon.Add(time.Hour))
	_, at, err := s.Get(t.Context(), id(1))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the clock", at, ledger.Clock{Now: noon.Add(time.Hour), Newest: noon.Add(time.Minute)})
}

func getOfNoRecordStillReadsTheClock(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	insert(t, s, pending(1))
	now.set(noon.Add(time.Hour))
	r, at, err := s.Get(t.Context(), id(2))
	failsWith(t, "get", err, ledger.ErrNotFound)
	equal(t, "the record", r, ledger.Record{})
	equal(t, "the clock", at, ledger.Clock{Now: noon.Add(time.Hour), Newest: noon})
}
