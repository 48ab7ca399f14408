package runtime_test

import (
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// A request that is made again gets no token for what somebody put in place of its payload.
func TestRepeatedRequestGivesNoTokenForAnEditedPayload(t *testing.T) {
	t.Parallel()
	w, store := newAlteredWorld(t)
	p := w.request(t, "r1", "theme", "dark")
	store.alter = func(r *ledger.Record) {
		r.Payload = []byte(`{"key":"theme","value":"pink"}`)
		r.PayloadHash = exact.Hash(r.Payload)
	}
	again := w.request(t, "r1", "theme", "dark")
	wantRefused(t, again, "ledger_corrupt")
	wantRefused(t, w.status(t, p.ChangeID), "ledger_corrupt")
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "ledger_corrupt")
	if again.ConfirmationToken != "" || w.writes(t) != 0 {
		t.Errorf("%s", again.raw)
	}
}
