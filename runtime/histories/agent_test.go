package histories_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// agent calls the tools of one server, whichever process that is at the time, one call after the other.
type agent struct {
	name   string
	seat   *seat
	random *rand.Rand
	*history
}

// act does one thing at random.
func (a *agent) act() {
	if a.random.IntN(leavesTurn) == 0 {
		a.seat.leave(a.seat.taken())
	}
	switch chance := a.random.IntN(100); {
	case chance < 22 || !a.knows():
		a.preview(a.pick(a.random, anything))
	case chance < 55:
		a.apply(a.pick(a.random, (*known).waits))
	case chance < 60:
		a.apply(a.pick(a.random, (*known).isBarred))
	case chance < 80:
		a.undo(a.pick(a.random, (*known).stands))
	case chance < 94:
		a.status(a.pick(a.random, anything))
	default:
		a.reconcile(a.pick(a.random, anything))
	}
}

// preview asks for a change of its own, or for one like another: by the same request or of the same payload.
func (a *agent) preview(like *known) {
	operations := []string{free, free, free, approved, approved, limited}
	k := known{
		operation: operations[a.random.IntN(len(operations))],
		payload:   payload{Key: keyOf(a.random.IntN(thingCount)), Value: a.stamp()},
		bornAt:    a.clock.read().Add(-mostBack),
	}
	if a.random.IntN(2) == 0 {
		k.request = a.stamp()
	}
	if like != nil && a.random.IntN(4) == 0 {
		k.operation, k.payload = like.operation, like.payload
		k.request = like.request
		switch a.random.IntN(5) {
		case 0:
			k.payload.Value = a.stamp() // another payload of the same request
		case 1, 2:
			k.request = ""
		}
		if k.payload == like.payload && k.request == "" {
			k.twin = like.id
		}
	}
	arguments := map[string]string{"key": k.payload.Key, "value": k.payload.Value}
	if k.request != "" {
		arguments["request_id"] = k.request
	}
	r, got, ok := a.ask("preview_"+k.operation, arguments)
	a.previewed(&k, r, got, ok)
}

// previewed makes steps of an answer to a preview.
func (a *agent) previewed(k *known, r *request, got answer, ok bool) {
	x := r.step(previewed, got.ChangeID)
	x.token, x.payload, x.fresh = k.request, hashOf(&k.payload), got.ConfirmationToken
	switch {
	case ok && got.Status == "preview":
		a.add(x)
		k.id, k.hash, k.confirm = got.ChangeID, got.PayloadHash, []string{got.ConfirmationToken}
		k.needsYes = got.Approval == "operator"
		if k.hash != x.payload {
			a.fault("%s: the payload has the hash %s, and should have %s", r.what, k.hash, x.payload)
		}
		a.learn(*k)
		if k.twin != "" {
			a.learn(known{id: k.twin, twin: k.id})
		}
	case !ok, got.Code == "internal":
		x.maybe, x.fresh = true, unknown
		a.addLost(x)
	case got.Code == "request_id_reused":
		x.kind, x.allows = seen, func(s state) bool { return s.status != "" && s.payload != x.payload }
		a.add(x)
	case got.refused():
		if !slices.Contains([]string{"no_change", "clock_skew", "ledger_busy", "too_many_pending", "limit_exceeded", "shutting_down"}, got.Code) {
			a.fault("%s", r.what)
		}
	default:
		x.kind = seen
		x.allows = func(s state) bool { return s.payload == x.payload && stands(s, x, got) }
		a.add(x)
	}
}

// apply applies a change with a token that may be right, and may say which payload it is about.
func (a *agent) apply(k *known) {
	token := a.token(k.confirm)
	arguments := map[string]string{"change_id": k.id, "confirmation_token": token}
	wrongHash := false
	switch a.random.IntN(12) {
	case 0:
		arguments["expected_payload_hash"] = hashOf(&k.payload)
	case 1:
		arguments["expected_payload_hash"], wrongHash = hashOf(&payload{}), true
	}
	r, got, ok := a.ask("apply_"+k.operation, arguments)
	a.applied(k, r, got, ok, token, wrongHash)
}

func (a *agent) undo(k *known) {
	token := a.token(k.undo)
	r, got, ok := a.ask("undo_"+k.operation, map[string]string{"change_id": k.id, "undo_token": token})
	a.undone(k, r, got, ok, token)
}

// token is mostly the last of some, else an earlier one, or one that never was.
func (a *agent) token(of []string) string {
	switch n := len(of); {
	case n == 0 || a.random.IntN(16) == 0:
		return "no token"
	case a.random.IntN(8) == 0:
		return of[a.random.IntN(n)]
	default:
		return of[n-1]
	}
}

func (a *agent) status(k *known) {
	see := func() (*request, answer, bool) {
		return a.ask("get_change_status", map[string]string{"change_id": k.id})
	}
	if a.random.IntN(4) == 0 {
		see = func() (*request, answer, bool) { return a.look(k.id) }
	}
	r, got, ok := see()
	if !ok || got.refused() && got.Code != "unknown_change" {
		return
	}
	x := r.step(seen, k.id)
	x.allows = func(s state) bool { return stands(s, x, got) }
	if got.refused() {
		x.allows = gone
	}
	a.add(x)
}

// reconcile has the guard of a server look at a change in doubt. That is no tool: it is the program that does so.
func (a *agent) reconcile(k *known) {
	p := a.seat.taken()
	r := &request{process: p, call: a.call(), called: a.now()}
	r.what = fmt.Sprintf("%d %s reconcile at %s", r.call, a.name, p.name)
	a.tally.called("Guard.Reconcile")
	verdict, err := p.guard.Reconcile(context.Background(), k.id)
	if p.dead() {
		a.seat.vacate(p)
		return
	}
	x := r.step(seen, k.id)
	x.what += fmt.Sprintf(": %v, %v", verdict, err)
	x.allows = looked(verdict, err)
	a.add(x)
}
