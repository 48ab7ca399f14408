package runtime

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/secret"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// keyedPrefix names the hashes of what has sensitive values. They need the key of the ledger: without it, whoever knows
// the rest of a payload could find a short value by trying all of them. What is shown is hashed so wherever payload or
// state has one; a payload by its own alone, so that one payload has one hash, whatever the state is like.
const keyedPrefix = "hmac-sha256:"

// alteredHash is what a keyed hash reads as that does not fit what is stored. No token and no decision fits it.
const alteredHash = "altered"

// errNoKey is a ledger that does not give its key.
var errNoKey = errors.New("the key of the ledger for sensitive values")

func keyOf(ctx context.Context, store ledger.Store) ([]byte, error) {
	key, err := store.SensitiveKey(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoKey, err)
	}
	return key, nil
}

// keyIsLost tells that it is the lack of the key, and nothing that passes, why a change could not be read.
func keyIsLost(err error) bool {
	return errors.Is(err, errNoKey) && errors.Is(err, ledger.ErrUnsupported)
}

// seal sets the hashes of a new change. Its Sensitive must be set.
func (g *Guard) seal(ctx context.Context, r *ledger.Record) error {
	if r.Sensitive == nil {
		r.PayloadHash = exact.Hash(r.Payload)
		r.ShownDigest = shownDigest(r)
		return nil
	}
	key, err := keyOf(ctx, g.store)
	if err != nil {
		return err
	}
	r.PayloadHash, r.ShownDigest = keyedHashes(key, r)
	return nil
}

// verifySeal holds the keyed hashes of a change that was read against what is stored. Whoever decides on it has no key.
func verifySeal(ctx context.Context, store ledger.Store, r *ledger.Record) error {
	if r.Sensitive == nil {
		return nil
	}
	key, err := keyOf(ctx, store)
	if err != nil {
		return err
	}
	payload, shown := keyedHashes(key, r)
	isPayload := subtle.ConstantTimeCompare([]byte(payload), []byte(r.PayloadHash)) |
		subtle.ConstantTimeCompare([]byte(keyedPayload(key, r)), []byte(r.PayloadHash)) // nobody makes it without the key
	if isPayload == 0 {
		r.PayloadHash = alteredHash
	}
	if subtle.ConstantTimeCompare([]byte(shown), []byte(r.ShownDigest)) == 0 {
		r.ShownDigest = alteredHash
	}
	return nil
}

func keyedHashes(key []byte, r *ledger.Record) (payload, shown string) {
	payload = exact.Hash(r.Payload)
	if hidesPayload(r) {
		payload = keyedPayload(key, r)
	}
	return payload, keyed(key, "shown", string(r.Payload), string(r.State), string(r.Shown), string(r.Sensitive))
}

func keyedPayload(key []byte, r *ledger.Record) string {
	return keyed(key, "payload", string(r.Payload))
}

// keyed is digestOf with a key.
func keyed(key []byte, parts ...string) string {
	h := hmac.New(sha256.New, key)
	writeParts(h, parts)
	return keyedPrefix + hex.EncodeToString(h.Sum(nil))
}

// payloadHashOf is the hash of the stored payload, whatever the record says it is. That of a change with sensitive values
// was held against the payload when the record was read.
func payloadHashOf(r *ledger.Record) string {
	if r.Sensitive != nil {
		return r.PayloadHash
	}
	return exact.Hash(r.Payload)
}

// hashesOf are the hashes that a change of the same payload may have. Whether it is keyed depends on what was marked as
// sensitive when that was previewed; one of a payload that nothing is marked in is so only where that may have been.
func hashesOf(ctx context.Context, store ledger.Store, r *ledger.Record, mayBeKeyed bool) ([]string, error) {
	plain := exact.Hash(r.Payload)
	if r.Sensitive == nil && !mayBeKeyed {
		return []string{plain}, nil
	}
	key, err := keyOf(ctx, store)
	if err != nil {
		return nil, err
	}
	return []string{plain, keyedPayload(key, r)}, nil
}

// requestHash is what a repeated request is known by: the payload as it was sent.
func (g *Guard) requestHash(ctx context.Context, op *erased, sent []byte) (string, error) {
	if len(secret.Find(op.payload, sent).Pointers) == 0 {
		return exact.Hash(sent), nil
	}
	key, err := keyOf(ctx, g.store)
	if err != nil {
		return "", err
	}
	return keyed(key, "request", string(sent)), nil
}
