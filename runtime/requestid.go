package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/internal/plural"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/requestid"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// takeRequestID takes the request id out of the arguments of a preview; what is left is the payload. Arguments that
// cannot be read are left as they are, to be refused as a payload.
func takeRequestID(raw []byte) (rest []byte, id string, wrong []payload.Violation) {
	rest, given, ok := requestid.TakeFrom(raw)
	if !ok {
		return raw, "", nil
	}
	id, isText := given.(string)
	switch {
	case !isText:
		return nil, "", wrongRequestID(kindOf(map[string]any{requestid.Name: given}, requestid.Name))
	case id == "" || utf8.RuneCountInString(id) > requestid.MaxChars:
		return nil, "", wrongRequestID(plural.Of(utf8.RuneCountInString(id), "character"))
	}
	return rest, id, nil
}

// earlier answers a request that was made before, with the change as it stands; nil if it was not.
func (g *Guard) earlier(ctx context.Context, t *tool, p *proposal) answer {
	if p.requestID == "" {
		return nil
	}
	r, err := g.requested(ctx, p)
	var hash string
	if err == nil {
		hash, err = g.requestHash(ctx, p.op.erased, p.sent)
	}
	switch {
	case err != nil:
		return g.ledgerFailed(ctx, err)
	case r == nil:
		return nil
	case r.RequestHash != hash:
		return refuseRequestReused(r)
	}
	if r.Status == ledger.Pending {
		waiting, err := g.renewedPreview(ctx, p.op, *r)
		var no *refusal
		switch {
		case err == nil:
			return waiting
		case errors.As(err, &no):
			return no
		case !errors.Is(err, errNoTransition): // it is no longer waiting
			return g.ledgerFailed(ctx, err)
		}
	}
	stands := g.status(ctx, t, p.who, r.ID)
	if s, ok := stands.(*statusAnswer); ok {
		s.requested = true
	}
	return stands
}

// requested finds the change that a request made, under any name that its operation had; nil if there is none.
func (g *Guard) requested(ctx context.Context, p *proposal) (*ledger.Record, error) {
	for _, name := range p.op.names() {
		found, err := g.store.List(ctx, ledger.Query{
			Server: p.op.server, Operations: []string{name}, By: p.who.party(), RequestID: p.requestID, Limit: 1,
		})
		if err != nil {
			return nil, fmt.Errorf("look for the request: %w", err)
		}
		if len(found) > 0 {
			return &found[0], nil
		}
	}
	return nil, nil
}

// ledgerFailed is what an agent is told of a ledger that fails at a preview.
func (g *Guard) ledgerFailed(ctx context.Context, err error) *refusal {
	if ctx.Err() != nil {
		return refuseCancelled()
	}
	g.log(ctx, slog.LevelError, "the ledger failed at a preview", "error", err)
	if no := ledgerRefusal(err); no.code != CodeInternal {
		return no
	}
	return refusePreviewFailed()
}
