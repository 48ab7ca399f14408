package runtime

import (
	"context"
	"log/slog"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// identity is whom a call acts for, as the ledger keeps it: hashed.
type identity struct{ scope, caller string }

// identify takes the scope from the program and the caller from an authenticated transport. What a client says of
// itself is no identity.
func (g *Guard) identify(ctx context.Context, extra *mcp.RequestExtra) identity {
	var who identity
	if g.opts.Scope != nil {
		who.scope = identityHash("scope", g.opts.Scope(ctx))
	}
	if extra != nil && extra.TokenInfo != nil {
		who.caller = identityHash("caller", extra.TokenInfo.UserID)
	}
	return who
}

// unnamed refuses a caller whom a transport authenticated without saying who they are, unless the program tells callers
// apart by their scope: all of them would be one, and could carry out what any other previewed.
func (g *Guard) unnamed(ctx context.Context, set *toolset, extra *mcp.RequestExtra) *refusal {
	if extra == nil || extra.TokenInfo == nil || g.identify(ctx, extra) != (identity{}) {
		return nil
	}
	set.nameless.Do(func() {
		g.log(ctx, slog.LevelError, "a caller was authenticated without a UserID: set TokenInfo.UserID in the verifier of tokens")
	})
	return refuseUnknownCaller()
}

// party is whom records of it act for.
func (i identity) party() *ledger.Party { return &ledger.Party{Scope: i.scope, Caller: i.caller} }

// partyOf is whom a record acts for.
func partyOf(r *ledger.Record) *ledger.Party { return &ledger.Party{Scope: r.Scope, Caller: r.Caller} }
