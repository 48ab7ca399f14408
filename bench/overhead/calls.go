package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// caller makes the calls of one session, in turn, and times them.
type caller struct {
	session        *mcp.ClientSession
	made           int
	preview, apply []time.Duration
	ticket         ticket
}

// prices are given in turn, so that every preview finds something to change.
var prices = []string{"24.90", "29.90"}

// previewOne asks for a preview, and keeps the ticket of an answer that has one.
func (c *caller) previewOne(ctx context.Context) error {
	c.made++
	begin := time.Now()
	result, err := call(ctx, c.session, previewTool, payload{
		ID: productID, Price: prices[c.made%len(prices)], Active: true, Tags: []string{"garden", "water"},
	})
	c.preview = append(c.preview, time.Since(begin))
	if err != nil {
		return err
	}
	structured, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(structured, &c.ticket)
}

// applyOne asks for what was previewed last to be carried out.
func (c *caller) applyOne(ctx context.Context) error {
	begin := time.Now()
	_, err := call(ctx, c.session, applyTool, c.ticket)
	c.apply = append(c.apply, time.Since(begin))
	return err
}

// call fails if the tool does.
func call(ctx context.Context, session *mcp.ClientSession, tool string, arguments any) (*mcp.CallToolResult, error) {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	if result.IsError {
		return nil, fmt.Errorf("%s: %s", tool, text(result))
	}
	return result, nil
}

// text is the first half of an answer.
func text(result *mcp.CallToolResult) string {
	if len(result.Content) == 0 {
		return ""
	}
	told, _ := result.Content[0].(*mcp.TextContent)
	if told == nil {
		return ""
	}
	return told.Text
}
