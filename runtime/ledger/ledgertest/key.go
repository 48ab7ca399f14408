package ledgertest

import (
	"bytes"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var keyTests = []conformance{
	{"TheKeyIsTheSameForAll", theKeyIsTheSameForAll},
	{"TheKeyIsNotTheCallersToChange", theKeyIsNotTheCallersToChange},
}

// keyLength is that of an HMAC key that nobody guesses, in bytes.
const keyLength = 32

func theKeyIsTheSameForAll(t *testing.T, open Opener) {
	stores := []ledger.Store{open(newClock().read), open(newClock().read)}
	keys := make(chan []byte, racers)
	for n := range racers {
		go func() {
			key, err := stores[n%len(stores)].SensitiveKey(t.Context())
			if err != nil {
				t.Error(err)
			}
			keys <- key
		}()
	}
	first := <-keys
	equal(t, "length of the key", len(first), keyLength)
	for range racers - 1 {
		if !bytes.Equal(<-keys, first) {
			t.Error("the key is not the same for all")
		}
	}
	if !bytes.Equal(sensitiveKey(t, open(newClock().read)), first) {
		t.Error("a later store has another key")
	}
}

func theKeyIsNotTheCallersToChange(t *testing.T, open Opener) {
	s := open(newClock().read)
	key := sensitiveKey(t, s)
	clear(key)
	if bytes.Equal(sensitiveKey(t, s), key) {
		t.Error("a caller changed the key of all")
	}
}

func sensitiveKey(t *testing.T, s ledger.Store) []byte {
	t.Helper()
	key, err := s.SensitiveKey(t.Context())
	if err != nil {
		t.Fatalf("key: %v", err)
	}
	return key
}
