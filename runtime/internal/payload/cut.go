package payload

import "unicode/utf8"

const (
	// maxPointer is how much of a JSON Pointer an error repeats, in bytes. It is ample for names that people write, as
	// deep as a payload may nest.
	maxPointer = 512
	// maxText is how long a text of a violation may be, in bytes.
	maxText = 2 << 10
)

// CutPointer leaves out the middle of a JSON Pointer of more than 512 bytes, and marks the place with an ellipsis. Where
// it starts and what it ends with are what helps to find the value.
func CutPointer(pointer string) string { return cut(pointer, maxPointer) }

// CutText is CutPointer for a text of more than 2 KiB.
func CutText(text string) string { return cut(text, maxText) }

func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := limit/2, len(s)-limit/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + "…" + s[tail:]
}

// pointer leads to the value, or to a member that it has not. It is cut before it is joined: a name may be as long as
// the payload, and be on the way to thousands of violations.
func (v *value) pointer(members ...string) string {
	tokens := append(v.tokens(), members...)
	for i, token := range tokens {
		tokens[i] = CutPointer(token)
	}
	return CutPointer(join(tokens...))
}
