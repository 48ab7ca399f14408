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
	exitOK          = 0
	exitFailed      = 1 // a spec is wrong, or a file cannot be read or written
	exitUsage       = 2 // the arguments make no sense
	exitDiffers     = 1 // of diff: files are not what the specs make
	exitNotCompared = 2 // of diff: a spec is wrong, or a file cannot be read
)

const help = `changesetgen writes the Go code of guarded operations from YAML specs.

Usage:

  changesetgen [generate] SPEC... [-o DIR]
  changesetgen diff SPEC... [-o DIR]

Each spec becomes a Go package: its schemas (NAME.changeset.json), what its
operations share (NAME.changeset.go), and a file for each operation. They are
written into the folder of the spec. Files that would not change are left alone.
If any spec is wrong, all that is wrong is printed and nothing is written.

A file of an operation that was taken out of its spec, or of a spec that is gone,
is orphaned: it is named on standard error and not removed.

diff writes nothing. It prints, as a unified diff, what generate would write and
which files are orphaned. How lines end does not count.

Flags:

  -o DIR      the folder of the generated files, if it is not that of the spec;
              generate makes it if it does not exist
  --version   print the version and exit
  --help      print this and exit

Exit codes of generate: 0 done, 1 a spec is wrong or a file cannot be read or
written, 2 wrong arguments.

Exit codes of diff: 0 all is up to date, 1 files are out of date, missing or
orphaned, 2 a spec or an argument is wrong or a file cannot be read.

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
	code, err := call.run(stdout, stderr)
	if err != nil {
		report(err, stderr)
	}
	return code
}

// run does what a call asks for.
func (c call) run(stdout, stderr io.Writer) (code int, err error) {
	switch c.action {
	case showHelp:
		_, err = io.WriteString(stdout, help)
	case showVersion:
		_, err = fmt.Fprintln(stdout, "changesetgen", version())
	case diffFiles:
		return diff(c.specs, c.dir, stdout, stderr)
	default:
		err = generate(c.specs, c.dir, stdout, stderr)
	}
	if err != nil {
		return exitFailed, err
	}
	return exitOK, nil
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
