// Command generate measures changesetgen beside oapi-codegen: how long and with how much memory each generates code for
// the same operations, how many lines that is, and how long the Go compiler takes over it. See docs/performance.md.
//
// Both are run as processes of their own and in turn, so that whatever else the machine does meets both. What tells
// something of the generators are the ratios; the times themselves are those of one machine on one day.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "generate: %v\n", err)
		os.Exit(1)
	}
}

// run measures what args ask for and prints it to out; how far it is goes to progress.
func run(args []string, out, progress io.Writer) (err error) {
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	flags.SetOutput(progress)
	sizes := sizeList{1, 10, 100, 1000}
	flags.Var(&sizes, "operations", "how many `operations` the specs have: a list such as 1,10")
	repeats := flags.Int("repeats", 5, "how often each is measured")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *repeats < 1 || flags.NArg() > 0 {
		return errors.New("-repeats must be 1 or more, and nothing may follow the flags")
	}
	w, err := newWorkshop()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.remove()) }()
	results, err := w.measureAll(sizes, *repeats, progress)
	if err != nil {
		return err
	}
	if err := describe(out, *repeats); err != nil {
		return err
	}
	if err := printTable(out, results); err != nil {
		return err
	}
	return w.reportRewrites(out, sizes.largest())
}

// sizeList is the value of a flag: numbers of operations.
type sizeList []int

// String is the list as it is written.
func (l *sizeList) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(*l)), " ", ","), "[]")
}

// Set reads a list.
func (l *sizeList) Set(text string) error {
	*l = nil
	for part := range strings.SplitSeq(text, ",") {
		size, err := strconv.Atoi(part)
		if err != nil || size < 1 {
			return fmt.Errorf("%q is not a number of operations", part)
		}
		*l = append(*l, size)
	}
	return nil
}

func (l sizeList) largest() int {
	largest := 0
	for _, size := range l {
		largest = max(largest, size)
	}
	return largest
}
