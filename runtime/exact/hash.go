package exact

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash names canonical bytes: "sha256:" and 64 lower-case hexadecimal digits. Texts that say the same have the same
// hash only in canonical form.
func Hash(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:])
}
