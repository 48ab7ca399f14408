package ledger

import "time"

// Group is how many changes of a ledger have the same server, operation and status.
type Group struct {
	Server    string    `json:"server"`
	Operation string    `json:"operation"`
	Status    Status    `json:"status"`
	Changes   int       `json:"changes"`
	Oldest    time.Time `json:"oldest"` // when the first of them was made
	Newest    time.Time `json:"newest"` // and the last
}

// HolderState is what is known of one of those who may claim, or have claimed.
type HolderState struct {
	Name     string   `json:"name"`
	Liveness Liveness `json:"liveness"`
	Claims   int      `json:"claims"` // how many of its claims are not settled
}
