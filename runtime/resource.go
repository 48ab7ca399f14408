package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/internal/shown"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

const (
	changeScheme   = "changeset://"
	changeTemplate = changeScheme + "{id}"
)

// changeURI is the address of the resource that shows a change whole.
func changeURI(id string) string { return changeScheme + id }

// addResource lets clients read every change of the set whole: as get_change_status shows it, to those it shows it to,
// and with everything that an answer cuts or leaves out.
func (g *Guard) addResource(server *mcp.Server, set *toolset) {
	t := &tool{set: set, name: changeTemplate}
	server.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: changeTemplate, Name: "change", Title: "A change", Description: aboutResource, MIMEType: jsonType,
	}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return g.readResource(ctx, t, req)
	})
}

// The kinds of text that a change can be read as.
const (
	jsonType = "application/json"
	textType = "text/plain"
)

// readResource gives a change for programs and for people. That it is not there is no other answer than that it is
// somebody else's.
func (g *Guard) readResource(ctx context.Context, t *tool, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	if no := g.unnamed(ctx, t.set, req.Extra); no != nil {
		g.noteRefusal(ctx, t, no)
		return nil, unreadableResource(no)
	}
	uri := req.Params.URI
	id := strings.TrimPrefix(uri, changeScheme)
	switch a := g.status(ctx, t, g.identify(ctx, req.Extra), id).(type) {
	case *statusAnswer:
		a.extent = shown.Entire
		document, err := visible.Marshal(a.structure())
		if err != nil {
			g.log(ctx, slog.LevelError, "a change could not be written", "change", id, "error", err)
			return nil, unreadableResource(refuseInternal())
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
			{URI: uri, MIMEType: jsonType, Text: string(document)}, {URI: uri, MIMEType: textType, Text: a.text()},
		}}, nil
	case *refusal:
		g.noteRefusal(ctx, t, a)
		if a.code == CodeUnknownChange {
			return nil, mcp.ResourceNotFoundError(changeURI(quotableID(id)))
		}
		return nil, unreadableResource(a)
	}
	return nil, unreadableResource(refuseInternal())
}

// quotableID repeats no more than an id: a client may put anything into an address, a token even.
func quotableID(id string) string {
	if changeID.MatchString(id) {
		return id
	}
	return ""
}

// unreadableResource says why there is nothing to read. It is an error of the protocol: resources have no others.
func unreadableResource(no *refusal) error {
	data, err := visible.Marshal(no.structure())
	if err != nil {
		data = json.RawMessage(jsonNull)
	}
	return &jsonrpc.Error{
		Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("%s: %s %s", no.code, no.told(), visible.Text(no.hint)), Data: data,
	}
}
