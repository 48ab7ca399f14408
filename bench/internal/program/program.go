// Package program is what the commands that measure in rounds have in common: how they begin and end, and their flags.
package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

// Main is a whole command of that name. It calls start with the arguments of this process, and ends it with 1 when that fails,
// but for who asked for help.
func Main(name string, start func(ctx context.Context, args []string) error) {
	if err := start(context.Background(), os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Settings are what every command can be told.
type Settings struct {
	Rounds  int           // at least 1; 5 unless told otherwise
	Length  time.Duration // of a measurement in a round; 2 seconds unless told otherwise
	Profile string        // the file for a profile; "" for none
}

// Parse reads the flags of a command, those in flags and those of s.
func (s *Settings) Parse(flags *flag.FlagSet, args []string) error {
	flags.IntVar(&s.Rounds, "rounds", 5, "how often each is measured")
	flags.DurationVar(&s.Length, "for", 2*time.Second, "how long each is measured in a round")
	flags.StringVar(&s.Profile, "profile", "", "the `file` for a profile of the processor's time in this process")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if s.Rounds < 1 || s.Length <= 0 || flags.NArg() > 0 {
		return errors.New("-rounds must be 1 or more, -for a positive time, and nothing may follow the flags")
	}
	return nil
}
