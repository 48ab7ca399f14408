package runtime

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// warnOfStrangers tells the operator, once for each server, of a call that comes over HTTP from nobody in particular: whoever
// reaches the server is then the same caller, and may carry out what any other previewed. A scope tells them apart, as far
// as its program does.
func (g *Guard) warnOfStrangers(ctx context.Context, set *toolset, extra *mcp.RequestExtra) {
	if extra == nil || extra.Header == nil || g.identify(ctx, extra) != (identity{}) {
		return
	}
	set.strangers.Do(func() {
		g.log(ctx, slog.LevelWarn, "calls come over HTTP without an authenticated user: changes answer to every caller who reaches the server",
			"servers", set.serverNames())
	})
}

// serverNames are the servers of the set, as one line of a log lists them.
func (s *toolset) serverNames() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return strings.Join(slices.Sorted(maps.Keys(s.servers)), ", ")
}
