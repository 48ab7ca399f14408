package cli

import (
	"strconv"
	"time"
)

// counted names a number of things.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// timestamp is a time as records have it.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
