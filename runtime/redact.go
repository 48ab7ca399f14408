package runtime

import (
	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/secret"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// sensitiveFixed and sensitiveNow are what a record keeps of where its sensitive values are, as JSON Pointers.
type (
	sensitiveFixed struct {
		Payload []string `json:"payload,omitempty"`
		State   []string `json:"state,omitempty"`
	}
	sensitiveNow struct {
		Before []string `json:"before,omitempty"`
		After  []string `json:"after,omitempty"`
		Result []string `json:"result,omitempty"`
	}
)

// isSensitive tells whether a change of the operation may hold anything sensitive.
func (e *erased) isSensitive() bool {
	for _, s := range []*payload.Schema{e.payload, e.state, e.result} {
		if s != nil && s.IsSensitive() {
			return true
		}
	}
	return false
}

// sensitiveAtPreview is Record.Sensitive of a change; nil where nothing is.
func (e *erased) sensitiveAtPreview(payload, state []byte) ([]byte, error) {
	at := sensitiveFixed{Payload: secret.Find(e.payload, payload).Pointers, State: secret.Find(e.state, state).Pointers}
	if at.Payload == nil && at.State == nil {
		return nil, nil
	}
	return exact.Encode(at)
}

// hidesPayload tells whether a payload has anything sensitive in it. What cannot be told may have.
func hidesPayload(r *ledger.Record) bool {
	var at sensitiveFixed
	return decode(r.Sensitive, &at) != nil || len(at.Payload) > 0
}

// markSensitive sets SensitiveNow of a record that is about to be written.
func (e *erased) markSensitive(r *ledger.Record) {
	if !e.isSensitive() {
		return
	}
	at := sensitiveNow{
		Before: secret.Find(e.state, r.Before).Pointers, After: secret.Find(e.state, r.After).Pointers, Result: secret.Find(e.result, r.Result).Pointers,
	}
	r.SensitiveNow = nil
	if at.Before != nil || at.After != nil || at.Result != nil {
		r.SensitiveNow, _ = exact.Encode(at) // lists of texts always encode
	}
}

// secretsOfRecord gathers what is sensitive in all that a record holds.
func secretsOfRecord(r *ledger.Record) (*secret.Values, error) {
	fixed, now, err := sensitiveOf(r)
	if err != nil {
		return nil, err
	}
	return secret.Gather(secret.In(r.Payload, fixed.Payload), secret.In(r.State, fixed.State),
		secret.In(r.Before, now.Before), secret.In(r.After, now.After), secret.In(r.Result, now.Result))
}

func sensitiveOf(r *ledger.Record) (fixed sensitiveFixed, now sensitiveNow, err error) {
	if err = decode(r.Sensitive, &fixed); err == nil {
		err = decode(r.SensitiveNow, &now)
	}
	return fixed, now, err
}

// resultTold is the stored result as agents are told it: without what is sensitive in it, and in their payload.
func resultTold(r *ledger.Record) []byte {
	if r.Result == nil {
		return nil
	}
	fixed, now, err := sensitiveOf(r)
	if err != nil {
		return secret.HiddenJSON()
	}
	asked, err := secret.Gather(secret.In(r.Payload, fixed.Payload))
	if err != nil {
		return secret.HiddenJSON()
	}
	return asked.Redact(secret.In(r.Result, now.Result).Redacted())
}
