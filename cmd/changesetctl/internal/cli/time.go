package cli

import "time"

// timestamp is a time as records have it.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
