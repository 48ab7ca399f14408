package runtime_test

import (
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The hash of a request is over the payload as it was sent: without the key, whoever reads the ledger could try all short
// values against it.
func TestHashOfASensitiveRequestIsKeyed(t *testing.T) {
	t.Parallel()
	requested := func(v *vault) string {
		payload := asked()
		payload["request_id"] = "r1"
		first := v.call(t, "preview_rotate", payload)
		if again := v.call(t, "preview_rotate", payload); again.ChangeID != first.ChangeID || again.Status != "preview" {
			t.Fatalf("the request, repeated: %s", again.raw)
		}
		payload["credential"].(map[string]any)["pin"] = oldPin
		wantRefused(t, v.call(t, "preview_rotate", payload), "request_id_reused")
		r, _, err := v.store.Get(t.Context(), first.ChangeID)
		if err != nil {
			t.Fatal(err)
		}
		return r.RequestHash
	}
	here, elsewhere := requested(newVault(t)), requested(newVault(t))
	if !strings.HasPrefix(here, "hmac-sha256:") || here == elsewhere {
		t.Errorf("in two ledgers: %q, %q", here, elsewhere)
	}
	w := newWorld(t)
	w.request(t, "r1", "theme", "dark")
	all, err := w.store.List(t.Context(), ledger.Query{})
	if err != nil || len(all) != 1 || !strings.HasPrefix(all[0].RequestHash, "sha256:") {
		t.Errorf("of nothing sensitive: %+v, %v", all, err)
	}
}
