package runtime

import (
	"context"
	"errors"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// keyStore has a key and nothing else.
type keyStore struct {
	ledger.Store
	key string
}

func (s keyStore) SensitiveKey(context.Context) ([]byte, error) {
	if s.key == "" {
		return nil, ledger.ErrUnsupported
	}
	return []byte(s.key), nil
}

// sealed is a change with a sensitive value, with a token and a yes, as it is stored.
func sealed(t *testing.T, g *Guard, token string) ledger.Record {
	t.Helper()
	r := ledger.Record{Fixed: ledger.Fixed{
		ID: "chg_1", Payload: []byte(`{"pin":1}`), State: []byte(`{"pin":2}`), Shown: []byte(`{}`), Sensitive: []byte(`{"payload":["/pin"]}`),
	}}
	if err := g.seal(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	r.ApplyToken = tokenHash(forApply, r.ID, r.PayloadHash, token)
	r.Decision = ledger.Decision{Verdict: ledger.Approved, Digest: decisionDigest(forApply, r.ID, shownDigest(&r))}
	return r
}

// Neither a token nor a yes is good for a change with sensitive values whose record somebody edited: its hashes need the
// key of the ledger.
func TestEditedSensitiveChangeIsNotTheOneThatWasApproved(t *testing.T) {
	t.Parallel()
	store, token := keyStore{key: "key"}, mintToken(forApply)
	g := &Guard{store: store}
	for name, edit := range map[string]func(*ledger.Record){
		"nothing":        func(*ledger.Record) {},
		"payload":        func(r *ledger.Record) { r.Payload = []byte(`{"pin":3}`) },
		"state":          func(r *ledger.Record) { r.State = []byte(`{"pin":3}`) },
		"shown":          func(r *ledger.Record) { r.Shown = []byte(`{"rows":[]}`) },
		"what is marked": func(r *ledger.Record) { r.Sensitive = []byte(`{}`) },
		"nothing marked": func(r *ledger.Record) { r.Sensitive = nil },
		"payload, hashed": func(r *ledger.Record) {
			r.Payload = []byte(`{"pin":3}`)
			r.PayloadHash, r.ShownDigest = keyedHashes([]byte("guess"), r)
		},
	} {
		r := sealed(t, g, token)
		edit(&r)
		if err := verifySeal(t.Context(), store, &r); err != nil {
			t.Fatal(err)
		}
		isSame, isPayload := name == "nothing", name != "nothing" && name != "state" && name != "shown" && name != "what is marked"
		if got := tokenMatches(&r, forApply, token); got == isPayload {
			t.Errorf("%s edited: the token is good: %t", name, got)
		}
		if got := approved(&r, forApply); got != isSame {
			t.Errorf("%s edited: the yes is good: %t", name, got)
		}
	}
}

func TestSensitiveChangeNeedsTheKeyOfItsLedger(t *testing.T) {
	t.Parallel()
	r := sealed(t, &Guard{store: keyStore{key: "key"}}, "confirm_x")
	if err := verifySeal(t.Context(), keyStore{}, &r); !errors.Is(err, ledger.ErrUnsupported) {
		t.Errorf("error: %v", err)
	}
	other := r
	if err := verifySeal(t.Context(), keyStore{key: "another"}, &other); err != nil || tokenMatches(&other, forApply, "confirm_x") {
		t.Errorf("another key: %v", err)
	}
	r.Sensitive = nil
	if err := verifySeal(t.Context(), keyStore{}, &r); err != nil {
		t.Errorf("of nothing sensitive: %v", err)
	}
}
