package cli

import (
	"strconv"
	"strings"
	"time"
)

// counted names a number of things.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// capitalised begins a sentence with a word of ours.
func capitalised(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// timestamp is a time as records have it.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
