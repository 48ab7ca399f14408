package runtime

import (
	"bytes"
	"regexp"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

func TestTokensAreRandomAndNameTheirPurpose(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for p, form := range map[purpose]*regexp.Regexp{
		forApply: regexp.MustCompile(`^confirm_[A-Za-z0-9_-]{32}$`),
		forUndo:  regexp.MustCompile(`^undo_[A-Za-z0-9_-]{32}$`),
	} {
		for range 100 {
			token := mintToken(p)
			if !form.MatchString(token) || seen[token] {
				t.Errorf("token %q", token)
			}
			seen[token] = true
		}
	}
}

func TestChangeIDsSortByTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 29, 12, 0, 0, 0, time.UTC)
	earlier, later := newChangeID(at), newChangeID(at.Add(time.Millisecond))
	if !changeID.MatchString(earlier) || !changeID.MatchString(later) || earlier >= later {
		t.Errorf("%s, %s", earlier, later)
	}
}

// The parts of a hash are told apart, whatever they hold.
func TestTokenHashKeepsItsPartsApart(t *testing.T) {
	t.Parallel()
	base := tokenHash(forApply, "a", "b", "c")
	for name, other := range map[string][]byte{
		"purpose":      tokenHash(forUndo, "a", "b", "c"),
		"id":           tokenHash(forApply, "x", "b", "c"),
		"payload":      tokenHash(forApply, "a", "x", "c"),
		"token":        tokenHash(forApply, "a", "b", "x"),
		"moved border": tokenHash(forApply, "ab", "", "c"),
		"empty parts":  tokenHash(forApply, "", "ab", "c"),
	} {
		if bytes.Equal(base, other) {
			t.Errorf("another %s has the same hash", name)
		}
	}
}

func TestTokenIsBoundToTheStoredPayload(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*ledger.Record){
		"payload":      func(r *ledger.Record) { r.Payload = []byte(`{"value":"dark!"}`) },
		"hash":         func(r *ledger.Record) { r.PayloadHash = exact.Hash([]byte(`{"value":"dark!"}`)) },
		"both":         func(r *ledger.Record) { r.Payload = []byte(`{}`); r.PayloadHash = exact.Hash(r.Payload) },
		"id":           func(r *ledger.Record) { r.ID = newChangeID(time.Now()) },
		"no token":     func(r *ledger.Record) { r.ApplyToken = nil },
		"token of two": func(r *ledger.Record) { r.ApplyToken = append(r.ApplyToken, r.ApplyToken...) },
	} {
		r := ledger.Record{}
		r.ID, r.Payload = newChangeID(time.Now()), []byte(`{"value":"dark"}`)
		r.PayloadHash = exact.Hash(r.Payload)
		token := mintToken(forApply)
		r.ApplyToken = tokenHash(forApply, r.ID, r.PayloadHash, token)
		if !tokenMatches(&r, forApply, token) || tokenMatches(&r, forApply, token+"x") || tokenMatches(&r, forUndo, token) {
			t.Fatalf("%s: the token does not match to begin with, or others do", name)
		}
		if edit(&r); tokenMatches(&r, forApply, token) {
			t.Errorf("the token is good although the %s was edited", name)
		}
	}
}

func TestIdentityIsHashed(t *testing.T) {
	t.Parallel()
	scope, caller := identityHash("scope", "acme"), identityHash("caller", "acme")
	if scope == caller || scope == "acme" || identityHash("scope", "") != "" {
		t.Errorf("scope %q, caller %q", scope, caller)
	}
}
