package postgres

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// preparedName is what pgx knows a statement by that a body has prepared. It is none that anybody sends as a text: pgx would
// take it for that statement.
const preparedName = "prepared %d"

// preparedNames are those of the statements that a body has prepared. They are looked up also while the transaction is in use.
type preparedNames struct {
	mu  sync.Mutex
	all map[string]string // by the name that body gave it, that which pgx knows it by
}

// find is what pgx knows a statement by.
func (n *preparedNames) find(name string) (own string, isPrepared bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	own, isPrepared = n.all[name]
	return own, isPrepared
}

// own is find, or what pgx is to know a new statement by. The caller uses the transaction.
func (n *preparedNames) own(name string) string {
	own, isPrepared := n.find(name)
	if !isPrepared {
		own = fmt.Sprintf(preparedName, len(n.all)+1)
	}
	return own
}

// keep adds a statement that was prepared. The caller uses the transaction.
func (n *preparedNames) keep(name, own string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.all == nil {
		n.all = map[string]string{}
	}
	n.all[name] = own
}

// owns are what pgx knows all of them by.
func (n *preparedNames) owns() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Collect(maps.Values(n.all))
}
