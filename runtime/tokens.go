package runtime

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// purpose is the one transition that a token stands for. It is the token's prefix and part of its hash.
type purpose string

const (
	forApply purpose = "confirm"
	forUndo  purpose = "undo"
	// forNothing is that of a decision on a change of which nothing is to be decided.
	forNothing purpose = ""
)

// verb names the purpose to people.
func (p purpose) verb() string {
	if p == forUndo {
		return "undo"
	}
	return "apply"
}

const (
	tokenBytes   = 24 // 192 random bits
	claimIDBytes = 16
	writeIDBytes = 8 // it is told from those of the few writes that race for one revision of one record
	idRandom     = 4 // bytes after the millisecond; the store refuses a second record of one id
)

// mintToken makes a new token. It is shown once; the ledger keeps only its hash.
func mintToken(p purpose) string {
	return string(p) + "_" + base64.RawURLEncoding.EncodeToString(random(tokenBytes))
}

// newClaimID makes the random name of one claim.
func newClaimID() string { return hex.EncodeToString(random(claimIDBytes)) }

// newWriteID makes the random name of one write.
func newWriteID() string { return hex.EncodeToString(random(writeIDBytes)) }

// newChangeID makes an id that sorts by the time it was made at. It is no secret.
func newChangeID(now time.Time) string {
	return fmt.Sprintf("chg_%012x%x", now.UnixMilli(), random(idRandom))
}

var changeID = regexp.MustCompile(`^chg_[0-9a-f]{20}$`)

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: it ends the program if the system has no randomness
	return b
}

// tokenHash is what the ledger keeps of a token. Every part is written with its length, so that no two lists of parts
// run together into the same bytes.
func tokenHash(p purpose, changeID, payloadHash, token string) []byte {
	h := sha256.New()
	writeParts(h, []string{string(p), changeID, payloadHash, token})
	return h.Sum(nil)
}

// tokenMatches tells whether token is the one whose hash r keeps for p. The payload is hashed anew, so a stored payload
// or payload hash that somebody edited makes every token of the change wrong.
func tokenMatches(r *ledger.Record, p purpose, token string) bool {
	kept := r.ApplyToken
	if p == forUndo {
		kept = r.UndoToken
	}
	payloadHash := payloadHashOf(r)
	whole := subtle.ConstantTimeCompare([]byte(payloadHash), []byte(r.PayloadHash))
	right := subtle.ConstantTimeCompare(kept, tokenHash(p, r.ID, payloadHash, token))
	return whole&right == 1
}

// identityHash hides the name of a scope or a caller in the ledger; "" stays "".
func identityHash(kind, name string) string {
	if name == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(kind + "\x00" + name))
	return hex.EncodeToString(sum[:])
}
