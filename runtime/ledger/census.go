package ledger

import (
	"fmt"
	"time"
)

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
	Process           // that is the holder, or was

	// Where a registration lasts for a time and is renewed, and is not known to be over, by the store's clock:
	HeardAt time.Time `json:"heard_at,omitzero"` // when it was renewed last
	GoneAt  time.Time `json:"gone_at,omitzero"`  // from when on the holder counts as gone if it is not renewed before
}

// Process says where a process is, for people who look for it.
type Process struct {
	Host string `json:"host,omitzero"` // what its machine, or its container, is called there; "" where that is not known
	PID  int    `json:"pid,omitzero"`  // its number there; 0 where that is not known
}

// String names it to people.
func (p Process) String() string {
	switch {
	case p.PID == 0:
		return "an unknown process"
	case p.Host == "":
		return fmt.Sprintf("process %d", p.PID)
	}
	return fmt.Sprintf("process %d on %s", p.PID, p.Host)
}
