package memledger

import (
	"bytes"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// stored is a record as the ledger keeps it: it shares nothing with the caller's, and its times are to the millisecond.
func stored(r ledger.Record) ledger.Record {
	r = cloned(r)
	for _, at := range []*time.Time{
		&r.CreatedAt, &r.ExpiresAt, &r.ClaimedAt, &r.DoubtAt, &r.AppliedAt, &r.UndoExpiresAt,
		&r.Decision.At, &r.UndoDecision.At, &r.UndoRequest.At, &r.Finding.At,
	} {
		*at = toMillisecond(*at)
	}
	for _, span := range []*time.Duration{&r.TTL, &r.UndoTTL} {
		if *span < 0 {
			*span = -1 // as ledger.Fixed.UndoTTL says it
			continue
		}
		*span = span.Truncate(time.Millisecond)
	}
	return r
}

// cloned is a record whose bodies are nobody else's.
func cloned(r ledger.Record) ledger.Record {
	for _, body := range []*[]byte{
		&r.Payload, &r.State, &r.Shown, &r.Sensitive, &r.ApplyToken, &r.UndoToken,
		&r.Before, &r.After, &r.Result, &r.SensitiveNow,
	} {
		*body = bytes.Clone(*body)
	}
	return r
}

// toMillisecond cuts a time to what a ledger keeps of it. The zero time stays that.
func toMillisecond(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}
