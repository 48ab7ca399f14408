package document

import "strings"

// The escapes of a JSON Pointer, replaced in one pass so that none yields another.
var (
	escapes   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapes = strings.NewReplacer("~1", "/", "~0", "~")
)

// EscapePart is a key as a part of a JSON Pointer.
func EscapePart(key string) string { return escapes.Replace(key) }

// UnescapePart is the key that a part of a JSON Pointer stands for.
func UnescapePart(part string) string { return unescapes.Replace(part) }
