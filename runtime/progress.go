package runtime

import (
	"context"
	"math"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/internal/excerpt"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// Progress tells the client how far a hook has come, as an MCP progress notification. Call it with the context that the
// hook was given: any of Prepare, Observe, ObserveAfter, Apply and Undo. Done grows over the whole call, so one that
// does not raise it is passed over. A total of 0, or below done, is unknown. In text, what a person would not see is
// written out, and what is sensitive in the change is not told.
//
// It returns at once. When it is called faster than a client should be told, or takes it, only the latest is sent.
// Nothing is sent where the client did not ask for progress, after it has its answer or has left, or with any other
// context.
func Progress(ctx context.Context, done, total float64, text string) {
	if r, ok := ctx.Value(reporterKey{}).(*reporter); ok {
		r.report(report{done: done, total: total, text: scrubFor(ctx, text)})
	}
}

// report is one call of Progress.
type report struct {
	done, total float64
	text        string
}

// sendable is a report as it is sent; false where there is none: JSON has no number for some.
func (r report) sendable() (report, bool) {
	if math.IsNaN(r.done) || math.IsInf(r.done, 0) {
		return r, false
	}
	if math.IsNaN(r.total) || math.IsInf(r.total, 0) || r.total < r.done {
		r.total = 0
	}
	r.text = visible.Text(excerpt.Of(r.text, maxValueChars).String())
	return r, true
}

type reporterKey struct{}

// reported does what a call asks for, and lets its hooks report. However that ends, nothing is sent after it.
func reported(ctx context.Context, req *mcp.CallToolRequest, do func(context.Context, *mcp.CallToolRequest) answer) answer {
	ctx, end := reporting(ctx, req)
	defer end()
	return do(ctx, req)
}

// reporting is ctx for the hooks of a call. End it before the call is answered: a client that has its answer takes no
// more notifications.
func reporting(ctx context.Context, req *mcp.CallToolRequest) (_ context.Context, end func()) {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return ctx, func() {}
	}
	r := newReporter(func(s report) error {
		return req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: s.done, Total: s.total, Message: s.text,
		})
	})
	listen := context.AfterFunc(ctx, r.leave)
	return context.WithValue(ctx, reporterKey{}, r), func() {
		listen()
		r.end()
	}
}
