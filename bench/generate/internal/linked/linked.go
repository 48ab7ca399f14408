// Package linked imports what the generated packages import, so that go.mod has all of it, and so that building this
// package puts all of it into the build cache before anything is measured.
package linked

import (
	_ "github.com/changesetgen/changesetgen/runtime"
	_ "github.com/changesetgen/changesetgen/runtime/sqlop"
	_ "github.com/modelcontextprotocol/go-sdk/mcp"
	_ "github.com/oapi-codegen/runtime"
)
