package runtime

import (
	"encoding/json"
	"strconv"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
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

// find finds what is sensitive in a document. A document that cannot be read is sensitive as a whole.
func find(schema *payload.Schema, canonical []byte) sensitiveIn {
	in := sensitiveIn{canonical: canonical}
	if schema == nil || canonical == nil {
		return in
	}
	var err error
	if in.pointers, err = schema.Sensitive(canonical); err != nil {
		in.pointers = []string{""}
	}
	return in
}

// sensitiveAtPreview is Record.Sensitive of a change; nil where nothing is.
func (e *erased) sensitiveAtPreview(payload, state []byte) ([]byte, error) {
	at := sensitiveFixed{Payload: find(e.payload, payload).pointers, State: find(e.state, state).pointers}
	if at.Payload == nil && at.State == nil {
		return nil, nil
	}
	return exact.Encode(at)
}

// markSensitive sets SensitiveNow of a record that is about to be written.
func (e *erased) markSensitive(r *ledger.Record) {
	if !e.isSensitive() {
		return
	}
	at := sensitiveNow{
		Before: find(e.state, r.Before).pointers, After: find(e.state, r.After).pointers, Result: find(e.result, r.Result).pointers,
	}
	r.SensitiveNow = nil
	if at.Before != nil || at.After != nil || at.Result != nil {
		r.SensitiveNow, _ = exact.Encode(at) // lists of texts always encode
	}
}

// secretsOfRecord gathers what is sensitive in all that a record holds.
func secretsOfRecord(r *ledger.Record) (*secrets, error) {
	fixed, now, err := sensitiveOf(r)
	if err != nil {
		return nil, err
	}
	return secretsOf(sensitiveIn{r.Payload, fixed.Payload}, sensitiveIn{r.State, fixed.State},
		sensitiveIn{r.Before, now.Before}, sensitiveIn{r.After, now.After}, sensitiveIn{r.Result, now.Result})
}

func sensitiveOf(r *ledger.Record) (fixed sensitiveFixed, now sensitiveNow, err error) {
	if err = decode(r.Sensitive, &fixed); err == nil {
		err = decode(r.SensitiveNow, &now)
	}
	return fixed, now, err
}

// redacted is a document with a text instead of each sensitive value; nil stays nil.
func (in sensitiveIn) redacted() []byte {
	if len(in.pointers) == 0 || in.canonical == nil {
		return in.canonical
	}
	tree, err := exact.Tree(in.canonical)
	if err != nil {
		return hiddenJSON()
	}
	for _, pointer := range in.pointers {
		tree = place.At(pointer).Replace(tree, hiddenValue)
	}
	redacted, err := exact.FromTree(tree)
	if err != nil {
		return hiddenJSON()
	}
	return redacted
}

func hiddenJSON() json.RawMessage { return json.RawMessage(strconv.Quote(hiddenValue)) }

// resultTold is the stored result as agents are told it: without what is sensitive in it, and in their payload.
func resultTold(r *ledger.Record) []byte {
	if r.Result == nil {
		return nil
	}
	fixed, now, err := sensitiveOf(r)
	if err != nil {
		return hiddenJSON()
	}
	asked, err := secretsOf(sensitiveIn{r.Payload, fixed.Payload})
	if err != nil {
		return hiddenJSON()
	}
	return asked.redact(sensitiveIn{r.Result, now.Result}.redacted())
}
