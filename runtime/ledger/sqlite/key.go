package sqlite

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	keyEnding = ".key"
	keyBytes  = 32
	// fingerprintBytes is how much of a key's digest the ledger keeps: enough to tell keys apart.
	fingerprintBytes = 16
	// fingerprintPurpose keeps a fingerprint from being a hash of anything else.
	fingerprintPurpose = "changesetgen ledger key\n"
)

// key is the secret beside a ledger.
type key []byte

func (k key) fingerprint() []byte {
	digest := sha256.Sum256(append([]byte(fingerprintPurpose), k...))
	return digest[:fingerprintBytes]
}

// SensitiveKey implements ledger.Store. The key is in FILE.key, so that who has the ledger alone, as in a backup, cannot
// guess what was hashed. The ledger keeps its fingerprint, and another key, or none, is ErrUnsupported. Only when no
// change is left that needs a lost key is another one made.
func (s *Store) SensitiveKey(ctx context.Context) ([]byte, error) {
	if known := s.key.Load(); known != nil {
		return bytes.Clone(*known), nil
	}
	if s.looks {
		return s.lookForKey(ctx)
	}
	var found key
	err := s.transact(ctx, func(ctx context.Context, _ time.Time) (err error) {
		if found, err = s.findKey(ctx); err != nil || bytes.Equal(s.writer.now.key, found.fingerprint()) {
			return err
		}
		s.writer.now = s.writer.now.withoutEvent()
		s.writer.now.key = found.fingerprint()
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.key.Store(&found)
	return bytes.Clone(found), nil
}

// lookForKey is SensitiveKey for who makes nothing.
func (s *Store) lookForKey(ctx context.Context) (key, error) {
	var now account
	err := s.query(ctx, "look for the key", func(db querier) (err error) {
		now, err = readAccount(ctx, db)
		return err
	})
	if err != nil {
		return nil, err
	}
	found, err := readKey(s.path, now.key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unseenKey(s.path)
	}
	return found, err
}

// verifyKey fails when the ledger has got another key than the one that this store gave away.
func (s *Store) verifyKey(now account) error {
	if known := s.key.Load(); known != nil && !bytes.Equal(now.key, known.fingerprint()) {
		return unsupported(s.path, "its key was lost and made again while this program used the old one; restart it")
	}
	return nil
}

// findKey reads the key, or makes one where it is not missed.
func (s *Store) findKey(ctx context.Context) (key, error) {
	found, err := readKey(s.path, s.writer.now.key)
	if errors.Is(err, fs.ErrNotExist) {
		return s.makeKey(ctx)
	}
	return found, err
}

// readKey reads the key of the ledger at path. It fails if that is not the one with the fingerprint, which is nil before
// the ledger has one.
func readKey(path string, fingerprint []byte) (key, error) {
	file := path + keyEnding
	if err := checkFile(path, file); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, unavailable(path, "read "+file, err)
	}
	found, err := hex.DecodeString(string(bytes.TrimSpace(text)))
	if err != nil || len(found) != keyBytes {
		return nil, unsupported(path, "%s is no key of a ledger, which is %d bytes in hexadecimal; bring back the one that was there", file, keyBytes)
	}
	if fingerprint != nil && !bytes.Equal(fingerprint, key(found).fingerprint()) {
		return nil, unsupported(path, "%s is the key of another ledger; bring back the one that was there", file)
	}
	return found, nil
}

// makeKey makes the key of a ledger that has none, or lost one that nothing needs any more.
func (s *Store) makeKey(ctx context.Context) (key, error) {
	file := s.path + keyEnding
	var needed bool
	if s.writer.now.key != nil {
		if err := s.writer.conn.QueryRowContext(ctx, needsKeySQL).Scan(&needed); err != nil {
			return nil, s.explain("look for what needs the key", err)
		}
	}
	if needed {
		return nil, missingKey(s.path)
	}
	made := make(key, keyBytes)
	rand.Read(made) // never fails
	if err := writeKey(s.path, made); err != nil {
		return nil, unavailable(s.path, "make "+file, err)
	}
	return made, nil
}

func missingKey(path string) error {
	return unsupported(path, "%s is missing, and there are changes whose hashes were made with it; bring it back; without it, "+
		"settle those of them that are in doubt with changesetctl reconcile, and then prune them all", path+keyEnding)
}

// unseenKey is missingKey for who looks at a ledger, which may be a copy.
func unseenKey(path string) error {
	return unsupported(path, "%s is missing, so nothing can be said of what is sensitive; put the key there that its server has", path+keyEnding)
}

// writeKey puts the key of the ledger at path on disk, whole or not at all.
func writeKey(path string, k key) error {
	file := path + keyEnding
	draft := file + draftEnding
	if err := os.Remove(draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeBeside(path, draft); err != nil {
		return err
	}
	f, err := os.OpenFile(draft, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(hex.EncodeToString(k) + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(draft, file), syncDirectory(filepath.Dir(file)))
}
