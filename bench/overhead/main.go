// Command overhead measures what a guard costs its callers: a preview and an apply, each beside a tool of the MCP SDK alone
// that is called over the same transport with the same arguments and does the same work. It answers as its author would have
// it answer without a guard, which is less: what a guard has to tell is part of what it costs. The ledger is in memory, so
// that only the guard's own cost counts. See docs/performance.md.
//
// The calls are made in turn, one of each, so that whatever else the machine does meets both. What tells something are the
// ratios; the times are those of one machine on one day.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/changesetgen/changesetgen/bench/internal/machine"
	"github.com/changesetgen/changesetgen/bench/internal/profile"
	"github.com/changesetgen/changesetgen/bench/internal/program"
)

func main() { program.Main("overhead", start) }

// start is this program, or a server that it talks to over standard input and output.
func start(ctx context.Context, args []string) error {
	if len(args) == 2 && args[0] == serveArgument {
		return serveStdio(ctx, args[1])
	}
	return run(ctx, args, os.Stdout, os.Stderr)
}

// run measures what args ask for and prints it to out; how far it is goes to progress.
func run(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	s, err := parse(args, progress)
	if err != nil {
		return err
	}
	stop, err := profile.Start(s.Profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	r, err := measureAll(ctx, s, progress)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "%s\nMedians of %d rounds, in each of which every transport was used for %s.\n\n",
		machine.Describe(""), s.Rounds, s.Length); err != nil {
		return err
	}
	return r.print(out)
}

func parse(args []string, output io.Writer) (s program.Settings, err error) {
	flags := flag.NewFlagSet("overhead", flag.ContinueOnError)
	flags.SetOutput(output)
	err = s.Parse(flags, args)
	return s, err
}
