package cli

import (
	"strings"
	"time"
)

// capitalised begins a sentence with a word of ours.
func capitalised(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// timestamp is a time as records have it.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
