package screen

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/changesetgen/changesetgen/runtime"
)

// JSON writes a value for programs. It is as exact as any JSON, and what would not be seen on a terminal is escaped.
func (s *Screen) JSON(v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	s.write(escaped(b.String()))
	return nil
}

// escaped is a text of JSON in which every character is seen. Those that are not stand inside of strings only.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n', visible(string(r)) == string(r):
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				b.WriteString(`\u` + fourDigits(unit))
			}
		}
	}
	return b.String()
}

func fourDigits(unit uint16) string {
	digits := strconv.FormatUint(uint64(unit), 16)
	return strings.Repeat("0", 4-len(digits)) + digits
}

// visible is a text without anything that would not be seen.
func visible(text string) string { return runtime.Visible(text) }
