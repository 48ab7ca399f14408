package runtime

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// overdue is a ledger of previews whose time is over.
type overdue struct {
	ledger.Store
	previews int
}

func (o overdue) Now(context.Context) (ledger.Clock, error) {
	return ledger.Clock{Now: time.Now()}, nil
}

func (o overdue) List(_ context.Context, q ledger.Query) (page []ledger.Record, _ error) {
	for i := range o.previews {
		if q.UndoRequested || q.After != "" {
			break
		}
		page = append(page, ledger.Record{
			Fixed: ledger.Fixed{
				ID: fmt.Sprintf("chg_%020d", i), Server: "settings", Operation: "set_setting", Payload: []byte(`{}`),
				Shown: []byte(`{"rows":[],"summary":"Set theme"}`), CreatedAt: time.Now().Add(-time.Hour), TTL: time.Minute,
			},
			Mutable: ledger.Mutable{Status: ledger.Pending, ExpiresAt: time.Now()},
		})
	}
	return page, nil
}

func (o overdue) Swap(context.Context, ledger.Record, time.Time, ledger.Event, ...ledger.Cap) error {
	return nil
}

type stuckSink chan struct{}

func (s stuckSink) Record(context.Context, Event) { <-s }

func TestExpireWaitsForAStuckSinkOnlyOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const previews = 5
		o, err := NewOperator(overdue{previews: previews}, Decider{Name: "ana", Channel: "page"})
		if err != nil {
			t.Fatal(err)
		}
		stuck := make(stuckSink)
		began := time.Now()
		if n, err := o.WithSink(stuck).Expire(t.Context()); n != previews || err != nil {
			t.Errorf("closed %d, %v", n, err)
		}
		if took := time.Since(began); took != sinkPatience {
			t.Errorf("it took %s", took)
		}
		close(stuck)
	})
}
