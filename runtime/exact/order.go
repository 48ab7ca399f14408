package exact

import "cmp"

// compareUTF16 orders names as their UTF-16 code units do, which is what RFC 8785 sorts by.
//
// The bytes of UTF-8 order names by code point. The two orders differ only between U+E000…U+FFFF and what is above,
// which UTF-16 writes with surrogates, and those come before U+E000.
func compareUTF16(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(utf16Weight(a[i]), utf16Weight(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

// utf16Weight moves the first bytes of U+E000…U+FFFF, 0xEE and 0xEF, behind those of everything above, 0xF0…0xF4. Both
// bytes that differ are first bytes, or neither is.
func utf16Weight(c byte) byte {
	if c == 0xEE || c == 0xEF {
		return c | 0xF0
	}
	return c
}
