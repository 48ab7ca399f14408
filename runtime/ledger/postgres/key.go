package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
)

const (
	keyBytes = 32 // of a key, at least
	// fingerprintBytes is how much of a key's digest the ledger keeps: enough to tell keys apart.
	fingerprintBytes = 16
	// fingerprintPurpose keeps a fingerprint from being a hash of anything else.
	fingerprintPurpose = "changesetgen ledger key\n"
)

// key is the secret of those who share a ledger, which the ledger does not have.
type key []byte

func (k key) fingerprint() []byte {
	digest := sha256.Sum256(append([]byte(fingerprintPurpose), k...))
	return digest[:fingerprintBytes]
}

// SensitiveKey implements ledger.Store: it is the key that the program gave to Open.
func (s *Store) SensitiveKey(ctx context.Context) ([]byte, error) {
	if err := s.checkOpen(); err != nil {
		return nil, err
	}
	if s.key == nil {
		return nil, s.unsupported("something is sensitive, and no key was given: give every program that uses the ledger the same one, " +
			"of at least 32 random bytes, with postgres.WithSensitiveKey")
	}
	return bytes.Clone(s.key), ctx.Err()
}

// checkKey makes sure that the key, if one was given, is the one that the ledger was opened with before. The first is
// remembered.
func (s *Store) checkKey(ctx context.Context, known []byte) error {
	switch {
	case s.key == nil:
		return nil
	case len(s.key) < keyBytes:
		return s.unsupported("the key of what is sensitive has %d bytes: give at least %d, from a random source", len(s.key), keyBytes)
	case known == nil && !s.looks:
		_, err := s.exec(ctx, s.pool, s.patience(), "remember the key", "\nUPDATE changesetgen.ledger SET key = ?::bytea FROM settings WHERE key IS NULL", s.key.fingerprint())
		if err != nil {
			return err
		}
		now, err := s.readAccount(ctx)
		if err != nil {
			return err
		}
		known = now.key
	}
	if known != nil && !bytes.Equal(known, s.key.fingerprint()) {
		return s.unsupported("the key of what is sensitive is another one than the ledger was opened with before; give the one that its other programs have")
	}
	return nil
}
