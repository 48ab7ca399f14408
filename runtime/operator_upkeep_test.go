package runtime_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What is over behind a change that cannot be read is closed, and the other one is named.
func TestExpireGoesOnBehindARecordThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byOperator)
	var ids []string
	for _, value := range []string{"a", "b", "c", "d"} {
		ids = append(ids, w.preview(t, "theme", value).ChangeID)
	}
	w.editRow(t, ids[1], `expires_at = expires_at + 1`)
	w.editRow(t, ids[2], `expires_at = expires_at + 1`)
	w.clock.move(30 * 24 * time.Hour)
	o := operatorOf(t, w.store)
	expectTwoClosed(t, "rehearsed", ids[1], func() (int, error) { return o.Rehearse().Expire(t.Context()) })
	expectTwoClosed(t, "closed", ids[1], func() (int, error) { return o.Expire(t.Context()) })
	for _, id := range []string{ids[0], ids[3]} {
		if status := w.record(t, id).Status; status != ledger.Expired {
			t.Errorf("%s is %s", id, status)
		}
	}
}

func expectTwoClosed(t *testing.T, name, damaged string, expire func() (int, error)) {
	t.Helper()
	n, err := expire()
	if n != 2 || !errors.Is(err, ledger.ErrCorrupt) || !strings.Contains(err.Error(), damaged) {
		t.Errorf("%s: %d, %v", name, n, err)
	}
}
