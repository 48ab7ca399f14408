package main

import (
	"context"
	"io/fs"
	"strings"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What the tools that read take and give.
type (
	nothing  struct{}
	noteList struct {
		Names []string `json:"names"`
	}
	noteRef struct {
		Name string `json:"name" jsonschema:"Which note."`
	}
	noteText struct {
		Text string `json:"text"`
	}
)

// addReading adds the tools that look at notes. They write nothing, so they go beside the guard: tools of the SDK like
// any other, on the same server.
func addReading(server *mcp.Server, folder *folder) {
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: new(false), IdempotentHint: true, OpenWorldHint: new(false)}
	mcp.AddTool(server, &mcp.Tool{Name: "list_notes", Title: "List the notes", Description: "The names of all notes.", Annotations: readOnly},
		func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, noteList, error) {
			names, err := folder.names()
			return nil, noteList{names}, err
		})
	mcp.AddTool(server, &mcp.Tool{Name: "read_note", Title: "Read a note", Description: "All that a note says.", Annotations: readOnly},
		func(_ context.Context, _ *mcp.CallToolRequest, of noteRef) (*mcp.CallToolResult, noteText, error) {
			note, err := folder.read(of.Name)
			if err == nil && note == nil {
				err = runtime.Refuse("there is no note called %s", of.Name)
			}
			if err != nil {
				return nil, noteText{}, err
			}
			return nil, noteText{note.Text}, nil
		})
}

// names are those of all notes, in order.
func (f *folder) names() ([]string, error) {
	if err := f.inPlace(); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, entry := range entries {
		name, isNote := strings.CutSuffix(entry.Name(), extension)
		if _, err := fileName(name); isNote && err == nil && entry.Type().IsRegular() {
			names = append(names, name)
		}
	}
	return names, nil
}
