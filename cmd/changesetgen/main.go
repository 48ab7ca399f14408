// Command changesetgen writes the Go code of guarded operations from YAML specs.
//
// Usage:
//
//	changesetgen [generate] SPEC… [-o DIR]
//	changesetgen diff SPEC… [-o DIR]
//
// The first writes the files, the second says whether what is there is what it would write. The first is most often run by a comment in the package that uses the code:
//
//	//go:generate go tool changesetgen settings.changeset.yaml
package main

import (
	"os"
	"runtime/debug"

	"github.com/changesetgen/changesetgen/cmd/changesetgen/internal/cli"
)

// garbagePercent is how much garbage may pile up, in per cent of what is in use. At twice Go's own value a large spec
// takes a tenth less time and a third more memory; a small one is done before there is any to collect.
const garbagePercent = 200

func main() {
	debug.SetGCPercent(garbagePercent)
	os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
