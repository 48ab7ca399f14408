// Command changesetgen writes the Go code of guarded operations from YAML specs.
//
// Usage:
//
//	changesetgen [generate] SPEC… [-o DIR]
//
// It is most often run by a comment in the package that uses the code:
//
//	//go:generate go tool changesetgen settings.changeset.yaml
package main

import (
	"os"

	"github.com/changesetgen/changesetgen/cmd/changesetgen/internal/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
