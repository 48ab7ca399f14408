package runtime_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// newFuzzWorld is a world whose calls arrive with the bytes of a fuzzer for arguments, as no client could send them.
func newFuzzWorld(f *testing.F) (*world, func(t *testing.T, tool string, raw []byte) reply) {
	f.Helper()
	w := newWorld(f, func(w *world) {
		w.options.MaxPending, w.options.MaxPendingAll = math.MaxInt32, math.MaxInt32 // however many a machine makes
	})
	var arguments []byte // one call at a time
	w.server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if call, ok := req.(*mcp.CallToolRequest); ok && arguments != nil {
				call.Params.Arguments = arguments
			}
			return next(ctx, method, req)
		}
	})
	return w, func(t *testing.T, tool string, raw []byte) reply {
		t.Helper()
		arguments = append([]byte{}, raw...)
		defer func() { arguments = nil }()
		return w.call(t, tool, nil)
	}
}

// Whatever arrives, the answer is complete, and nothing is written to the target.
func FuzzPreviewArguments(f *testing.F) {
	for _, seed := range []string{
		`{"key":"theme","value":"dark"}`, `{"key":"theme","value":"\ud800"}`, `{"key":"theme","value":1e999}`, `null`, ``, `[`,
		`{"key":"theme","key":"language","value":"x"}`, "{\"key\":\"theme\",\"value\":\"\xff\u202e\"}",
	} {
		f.Add([]byte(seed))
	}
	w, call := newFuzzWorld(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := call(t, "preview_set_setting", raw)
		if r.Status != "preview" && r.Code != "invalid_payload" && r.Code != "not_found" && r.Code != "too_large" {
			t.Errorf("%q: %s", raw, r.raw)
		}
		if w.writes(t) != 0 {
			t.Fatalf("%q wrote to the target", raw)
		}
	})
}

// Whatever arrives, a change whose token was not shown is neither applied nor altered.
func FuzzApplyArguments(f *testing.F) {
	w, call := newFuzzWorld(f)
	p := w.preview(f, "theme", "dark")
	for _, seed := range []string{
		`{"change_id":"` + p.ChangeID + `","confirmation_token":"confirm_x"}`, `{"change_id":"chg_00000000000000000000","confirmation_token":"x"}`,
		`{"change_id":"` + p.ChangeID + `"}`, `{"change_id":null,"confirmation_token":{}}`, `null`, ``, `"`,
	} {
		f.Add([]byte(seed))
	}
	before := w.record(f, p.ChangeID)
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := call(t, "apply_set_setting", raw)
		if r.Code != "invalid_arguments" && r.Code != "unknown_change" && r.Code != "invalid_token" {
			t.Errorf("%q: %s", raw, r.raw)
		}
		if diff := cmp.Diff(before, w.record(t, p.ChangeID)); diff != "" || w.writes(t) != 0 {
			t.Fatalf("%q changed something:\n%s", raw, diff)
		}
	})
}
