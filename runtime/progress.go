package runtime

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/internal/progress"
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
)

// Progress tells the client how far a hook has come, as an MCP progress notification. Call it with the context that the
// hook was given: any of Prepare, Observe, ObserveAfter, Apply and Undo. Done grows over the whole call, so one that
// does not raise it is passed over. A total of 0, or below done, is unknown. In text, what a person would not see is
// written out, and what is sensitive in the change is not told; of a look at a state that may be sensitive no text is.
//
// It returns at once. When it is called faster than a client should be told, or takes it, only the latest is sent.
// Nothing is sent where the client did not ask for progress, after it has its answer or has left, or with any other
// context.
func Progress(ctx context.Context, done, total float64, text string) {
	if r, ok := ctx.Value(reporterKey{}).(*progress.Reporter); ok {
		r.Report(progress.Report{Done: done, Total: total, Text: shown.Excerpted.Text(scrubFor(ctx, text))})
	}
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
	r := progress.New(func(s progress.Report) error {
		return req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: s.Done, Total: s.Total, Message: s.Text,
		})
	})
	listen := context.AfterFunc(ctx, r.Leave)
	return context.WithValue(ctx, reporterKey{}, r), func() {
		listen()
		r.End()
	}
}
