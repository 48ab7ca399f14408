// Command cycle measures what a ledger carries: how many changes a second go from preview to undo in five durable
// commits, alone and at once, in one process and in several, in small ledgers and in large ones, beside what the disk
// and what PostgreSQL itself do. See docs/performance.md.
//
// All is measured in rounds, each of which measures everything once, so that whatever else the machine does meets all.
// What tells something are the ratios, which are taken within a round; the times are those of one machine on one day.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/changesetgen/changesetgen/bench/internal/machine"
	"github.com/changesetgen/changesetgen/bench/internal/profile"
	"github.com/changesetgen/changesetgen/bench/internal/program"
)

func main() { program.Main("cycle", start) }

// start is this program, or what it has processes of its own do.
func start(ctx context.Context, args []string) error {
	if len(args) == 2 && args[0] == childArgument {
		return runChild(ctx, args[1], os.Stdin, os.Stdout)
	}
	return run(ctx, args, os.Stdout, os.Stderr)
}

// settings are what the flags say.
type settings struct {
	program.Settings
	only  string
	lines *regexp.Regexp // of the table, those that are measured; nil: all
	dir   string
	rows  rowList
}

// run measures what args ask for and prints it to out; how far it is goes to progress.
func run(ctx context.Context, args []string, out, progress io.Writer) error {
	s, err := parse(args, progress)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	stop, err := profile.Start(s.Profile)
	if err != nil {
		return err
	}
	m, err := measureAll(ctx, s, progress)
	if err = errors.Join(err, stop()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\nMedians of %d rounds, in which each was measured for %s; ratios are taken within a round.\n\n",
		strings.Join(append([]string{machine.Describe(s.dir)}, m.versions...), "; "), s.Rounds, s.Length)
	return errors.Join(err, m.print(out))
}

func parse(args []string, output io.Writer) (s settings, err error) {
	flags := flag.NewFlagSet("cycle", flag.ContinueOnError)
	flags.SetOutput(output)
	s.rows = rowList{10_000, 1_000_000, 5_000_000}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	flags.StringVar(&s.only, "only", "", "the `parts` to measure: a list of "+strings.Join(partNames(), ", ")+"; all if empty")
	flags.Func("lines", "measure alone what has a name in the table that the `expression` matches", func(text string) (err error) {
		s.lines, err = regexp.Compile(text)
		return err
	})
	flags.StringVar(&s.dir, "dir", filepath.Join(cache, "changesetgen-bench"),
		"the `directory` of all files, on the disk that is to be measured; large ledgers are kept in it")
	flags.Var(&s.rows, "rows", "how many `changes` the ledgers hold whose size is compared: a rising list")
	err = s.Parse(flags, args)
	return s, err
}

// rowList is the value of a flag: numbers of changes, each larger than the one before.
type rowList []int

// String is the list as it is written.
func (l *rowList) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(*l)), " ", ","), "[]")
}

// Set reads a list.
func (l *rowList) Set(text string) error {
	*l = nil
	last := openChanges - 1
	for part := range strings.SplitSeq(text, ",") {
		rows, err := strconv.Atoi(part)
		if err != nil || rows <= last {
			return fmt.Errorf("%q is not a number of changes above the one before: give %d or more, in a rising list", part, openChanges)
		}
		*l, last = append(*l, rows), rows
	}
	return nil
}
