package runtime_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Whoever runs a server must learn that its changes are nobody's own, and once is enough.
func TestCallsOfNobodyOverHTTPAreWarnedOfOnce(t *testing.T) {
	t.Parallel()
	const warning = "level=WARN msg=\"calls come over HTTP without an authenticated user"
	unauthenticated := func(t *testing.T, w *world) *client {
		t.Helper()
		web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return w.server }, nil))
		t.Cleanup(web.Close)
		return connect(t, &mcp.StreamableClientTransport{Endpoint: web.URL, DisableStandaloneSSE: true})
	}
	for name, test := range map[string]struct {
		scope  func(context.Context) string
		client func(*testing.T, *world) *client
		want   int
	}{
		"nobody":            {nil, unauthenticated, 1},
		"somebody":          {nil, func(t *testing.T, w *world) *client { t.Helper(); return as(t, w.overHTTP(t, false), "ana") }, 0},
		"nobody in a scope": {func(context.Context) string { return "shop" }, unauthenticated, 0},
		"not over HTTP":     {nil, func(_ *testing.T, w *world) *client { return w.client }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.options.Scope = test.scope })
			c := test.client(t, w)
			for _, value := range []string{"dark", "blue"} {
				if p := c.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": value}); p.Status != "preview" {
					t.Fatalf("%s", p.raw)
				}
			}
			if log := w.log.String(); strings.Count(log, warning) != test.want || test.want > 0 && !strings.Contains(log, "servers=settings") {
				t.Errorf("log: %s", log)
			}
		})
	}
}
