package runtime

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// digestPrefix names the hash of every digest that people and records see, as exact.Hash does.
const digestPrefix = "sha256:"

// shownDigest is what a person decides on: the payload that would run, the state that it was looked at over, and the text
// that was shown of both. It is computed from what the ledger holds, whatever that says its digest is.
//
// Of a change with sensitive values it needs the key of the ledger, and was held against what is stored when the record
// was read.
func shownDigest(r *ledger.Record) string {
	switch {
	case r.Sensitive != nil && r.ShownDigest == alteredHash:
		return ""
	case r.Sensitive != nil:
		return r.ShownDigest
	}
	return digestOf("shown", exact.Hash(r.Payload), string(r.State), string(r.Shown))
}

// decisionDigest is what a person's yes or no is bound to: what it was about, the change, and what was shown of it. A yes
// to an apply is none to its undo, nor to any other change, nor to the same one with other words.
func decisionDigest(p purpose, changeID, shownDigest string) string {
	return digestOf("decision", string(p), changeID, shownDigest)
}

// digestOf hashes parts. Each is written with its length, so that no two lists of parts run together into the same bytes.
func digestOf(parts ...string) string {
	h := sha256.New()
	writeParts(h, parts)
	return digestPrefix + hex.EncodeToString(h.Sum(nil))
}

func writeParts(h hash.Hash, parts []string) {
	for _, part := range parts {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
}
