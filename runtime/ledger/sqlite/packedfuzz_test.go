package sqlite

import (
	"bytes"
	"testing"
)

// FuzzUnpack reads what anybody may have written in the place of a value. It is refused, or no larger than it may be, and
// read again as the same once it is written.
func FuzzUnpack(f *testing.F) {
	for _, whole := range [][]byte{nil, {}, []byte(packMark), []byte(packMark + "r"), bytes.Repeat([]byte(`{"a":1}`), 1000), Noise(packFrom)} {
		f.Add(whole)
		f.Add(packBytes(whole))
	}
	f.Add([]byte(packMark + "s\xff\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, stored []byte) {
		whole, err := unpackBytes(stored)
		if err != nil {
			return
		}
		if len(whole) > max(packLimit, len(stored)) {
			t.Fatalf("%d bytes come out of %d", len(whole), len(stored))
		}
		again, err := unpackBytes(packBytes(whole))
		if err != nil || !bytes.Equal(again, whole) {
			t.Fatalf("%d bytes are read again as %d, %v", len(whole), len(again), err)
		}
	})
}
