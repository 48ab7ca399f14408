package runtime_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

func TestSinkOfAnOperatorIsToldWhatTheyDid(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, doubtful)
		rejected, doubted, expired := w.preview(t, "theme", "dark"), w.preview(t, "language", "de"), w.preview(t, "theme", "blue")
		wantRefused(t, w.apply(t, doubted.ChangeID, doubted.ConfirmationToken), "in_doubt")
		sink := &events{}
		o := operatorOf(t, w.store).WithSink(sink)
		if _, err := o.Rehearse().Reject(t.Context(), shownTo(t, o, rejected.ChangeID, runtime.SubjectApply), "not now"); err != nil {
			t.Fatal(err)
		}
		if len(sink.all) != 0 {
			t.Errorf("a rehearsal was told of: %+v", sink.all)
		}
		if _, err := o.Reject(t.Context(), shownTo(t, o, rejected.ChangeID, runtime.SubjectApply), "not now"); err != nil {
			t.Fatal(err)
		}
		if _, err := settle(t.Context(), o, doubted.ChangeID, runtime.Done, "looked"); err != nil {
			t.Fatal(err)
		}
		w.clock.move(time.Hour)
		if n, err := o.Expire(t.Context()); n != 1 || err != nil {
			t.Fatalf("expired %d, %v", n, err)
		}
		move := func(id string, from, to ledger.Status, code runtime.Code, reason string) runtime.Event {
			return runtime.Event{
				Server: "settings", Operation: "set_setting", ChangeID: id, Actor: "operator", By: "ana", Channel: "changesetctl",
				From: from, To: to, Code: code, Reason: reason,
			}
		}
		over := move(expired.ChangeID, ledger.Pending, ledger.Expired, "expired", "")
		over.Actor, over.By, over.Channel = "guard", "", ""
		want := []runtime.Event{
			move(rejected.ChangeID, ledger.Pending, ledger.Rejected, "rejected", "ana rejected the apply (changesetctl): not now"),
			move(doubted.ChangeID, ledger.Applying, ledger.Applied, "", "ana found the apply done (changesetctl): looked"), over,
		}
		for i := range sink.all {
			sink.all[i].At = time.Time{}
		}
		if diff := cmp.Diff(want, sink.all); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// A sink gets one event at a time, also where it is stuck in one.
func TestSinkOfAnOperatorThatMisbehavesChangesNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		record func(stuck <-chan struct{})
		told   int32
	}{
		"blocks": {func(stuck <-chan struct{}) { <-stuck }, 1}, "panics": {func(<-chan struct{}) { panic("hunter2") }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				var told atomic.Int32
				stuck := make(chan struct{})
				defer close(stuck)
				w := newWorld(t)
				o := operatorOf(t, w.store).WithSink(sinkFunc(func(context.Context, runtime.Event) {
					told.Add(1)
					test.record(stuck)
				}))
				for range 2 {
					p := w.preview(t, "theme", "dark")
					if _, err := o.Reject(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectApply), "no"); err != nil || w.record(t, p.ChangeID).Status != ledger.Rejected {
						t.Errorf("%v, %s", err, w.record(t, p.ChangeID).Status)
					}
				}
				if n := told.Load(); n != test.told {
					t.Errorf("it was told %d times", n)
				}
			})
		})
	}
}
