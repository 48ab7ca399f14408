package postgres

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoteMark begins a text that is stored as a Go string literal. It is in no text that anybody writes: Unicode has promised
// never to assign it.
const quoteMark = "\uFDD0"

// stored is a text as PostgreSQL can hold it. The error of a driver may be any bytes, and the outcome of a change must not
// be lost for it: what is not UTF-8, or has a zero byte, is quoted. Two texts are never stored as the same.
func stored(s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, "\x00") && !strings.HasPrefix(s, quoteMark) {
		return s
	}
	return quoteMark + strconv.QuoteToASCII(s)
}

// textField is a text in a column.
type textField struct{ of *string }

// Scan implements sql.Scanner.
func (t textField) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("holds %T where a text belongs", src)
	}
	quoted, isQuoted := strings.CutPrefix(text, quoteMark)
	if !isQuoted {
		*t.of = text
		return nil
	}
	unquoted, err := strconv.Unquote(quoted)
	if err != nil {
		return fmt.Errorf("holds a text that is quoted wrongly: %w", err)
	}
	*t.of = unquoted
	return nil
}
