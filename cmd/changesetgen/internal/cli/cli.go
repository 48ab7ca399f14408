// Package cli is the command line of changesetgen as a function: arguments in, text and an exit code out.
package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // a spec is wrong, or a file cannot be read or written
	exitUsage  = 2 // the arguments make no sense
)

const help = `changesetgen writes the Go code of guarded operations from YAML specs.

Usage:

  changesetgen [generate] SPEC... [-o DIR]

Each spec becomes a Go package: its schemas (NAME.changeset.json), what its
operations share (NAME.changeset.go), and a file for each operation. They are
written into the folder of the spec. Files that would not change are left alone.
If any spec is wrong, all that is wrong is printed and nothing is written. The
file of an operation that was taken out of its spec is not removed.

Flags:

  -o DIR      write into DIR instead; it is made if it does not exist
  --version   print the version and exit
  --help      print this and exit

Exit codes: 0 done, 1 a spec is wrong or a file cannot be read or written,
2 wrong arguments.

The spec language is described in docs/spec.md, at
https://github.com/changesetgen/changesetgen/blob/main/docs/spec.md
`

// Run does what args, without the name of the program, ask for and returns the exit code. Nothing is read from stdin.
func Run(args []string, _ io.Reader, stdout, stderr io.Writer) int {
	call, err := parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "changesetgen: %v\nRun 'changesetgen --help' for usage.\n", err)
		return exitUsage
	}
	if err := call.run(stdout); err != nil {
		report(err, stderr)
		return exitFailed
	}
	return exitOK
}

// run does what a call asks for.
func (c call) run(stdout io.Writer) error {
	var text string
	switch c.action {
	case showHelp:
		text = help
	case showVersion:
		text = "changesetgen " + version() + "\n"
	default:
		done, err := generate(c.specs, c.dir)
		if err != nil {
			return err
		}
		text = done.String() + "\n"
	}
	_, err := io.WriteString(stdout, text)
	return err
}

// report prints what went wrong. A diagnosis is printed as it is, with the lines it is about.
func report(err error, stderr io.Writer) {
	var wrong *diagnosis
	if errors.As(err, &wrong) {
		if err = wrong.list.Write(stderr, wrong.sources); err == nil {
			err = wrong.unreadable
		}
	}
	if err != nil {
		fmt.Fprintf(stderr, "changesetgen: %v\n", err)
	}
}

// version is that of the module the program was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown version)"
	}
	return info.Main.Version
}
