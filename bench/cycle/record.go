package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The names under which changes are made here.
const (
	server    = "bench"
	operation = "update_product"
)

// The limits of changes that wait, as a guard has them where it is told nothing else.
const (
	maxPending    = 100
	maxPendingAll = 10_000
)

// ttl is how long a preview stays good.
const ttl = 15 * time.Minute

// The bodies of an ordinary change: three fields of a product become other ones.
var (
	payload = []byte(`{"active":true,"id":"product-000417","price":"24.90","tags":["garden","water"]}`)
	before  = []byte(`{"active":false,"id":"product-000417","name":"Watering can, 10 l","price":"19.90","tags":["garden"],"version":17}`)
	after   = []byte(`{"active":true,"id":"product-000417","name":"Watering can, 10 l","price":"24.90","tags":["garden","water"],"version":18}`)
	result  = []byte(`{"revision":18}`)
	shown   = []byte(`{"rows":[` + strings.Join([]string{
		row("active", "false", "true"), row("price", `"19.90"`, `"24.90"`), row("tags", `["garden"]`, `["garden","water"]`),
	}, ",") + `],"summary":"Change product product-000417 (Watering can, 10 l)"}`)
)

// The hashes of a change are made once: nothing here is about what a guard computes.
var (
	scope, behaviour, undoBehaviour = hash("scope"), hash("behaviour"), hash("undo")
	payloadHash, requestHash        = hash("payload"), hash("request")
	shownDigest                     = hash("shown")
	applyToken, undoToken           = []byte(hash("token"))[:32], []byte(hash("undo token"))[:32]
)

func row(field, before, after string) string {
	return fmt.Sprintf(`{"after":%s,"before":%s,"field":%q}`, after, before, field)
}

// preview is a new change of a caller, with all that a guard writes of one.
func preview(at time.Time, caller string) ledger.Record {
	id := fmt.Sprintf("chg_%012x%s", at.UnixMilli(), random(4))
	return ledger.Record{
		Fixed: ledger.Fixed{
			ID: id, Server: server, Operation: operation, Scope: scope, Caller: caller,
			Digest: behaviour, UndoDigest: undoBehaviour, PayloadHash: payloadHash,
			Payload: payload, State: before, Shown: shown, ShownDigest: shownDigest, CreatedAt: at,
			RequestID: id, RequestHash: requestHash, Approval: "token", UndoApproval: "token",
			TTL: ttl, UndoTTL: 24 * time.Hour, Items: 1,
		},
		Mutable: ledger.Mutable{
			WriteID: random(16), Status: ledger.Pending, ExpiresAt: at.Add(ttl), ApplyToken: applyToken,
		},
	}
}

// claimed is r as the claim of an apply leaves it.
func claimed(r ledger.Record, holder string) ledger.Record {
	r.WriteID, r.Status, r.ClaimID, r.Holder, r.ClaimedAt = random(16), ledger.Applying, random(16), holder, time.Now()
	return r
}

// applied is r once its body ran.
func applied(r ledger.Record) ledger.Record {
	at := time.Now()
	r.WriteID, r.Status, r.Before, r.After, r.Result = random(16), ledger.Applied, before, after, result
	r.UndoToken, r.AppliedAt, r.UndoExpiresAt = undoToken, at, at.Add(r.UndoTTL)
	return r
}

// undoing is r as the claim of an undo leaves it.
func undoing(r ledger.Record, holder string) ledger.Record {
	r.WriteID, r.Status, r.ClaimID, r.Holder = random(16), ledger.Undoing, random(16), holder
	return r
}

// undone is r once its undo ran.
func undone(r ledger.Record) ledger.Record {
	r.WriteID, r.Status = random(16), ledger.Undone
	return r
}

// pendingCaps are those that a guard inserts with.
func pendingCaps(r *ledger.Record) []ledger.Cap {
	waiting := ledger.Query{Statuses: []ledger.Status{ledger.Pending}, Unexpired: true}
	own := waiting
	own.Server, own.By = r.Server, &ledger.Party{Scope: r.Scope, Caller: r.Caller}
	return []ledger.Cap{{Of: own, Max: maxPending}, {Of: waiting, Max: maxPendingAll}}
}

// transition is the event of a change that an agent moves.
func transition(from, to ledger.Status) ledger.Event {
	return ledger.Event{Actor: "agent", From: from, To: to}
}

func hash(of string) string {
	sum := sha256.Sum256([]byte(of))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func random(size int) string {
	b := make([]byte, size)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
