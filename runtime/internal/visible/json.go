package visible

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
)

// Marshal encodes a value as JSON for a text that people may see: it leaves < and & as they are, and is
// otherwise as JSON has it.
func Marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return JSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// JSON is compact JSON with escapes, of JSON, for every character that a reader would not see as itself: all of those are
// in strings. What it parses to is the same.
func JSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, func(r rune) bool { return !seen(r) }) {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case seen(r):
			b.WriteRune(r)
		case r <= maxShortEscape:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.Bytes()
}
