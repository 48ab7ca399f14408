package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
)

// writesOff is the write mode in which changes can only be previewed.
const writesOff runtime.WriteMode = "off"

// config is what the server is told when it is started.
type config struct {
	database  string // file of the settings
	ledger    string // file of the ledger
	writeMode runtime.WriteMode
	grace     time.Duration // how long the end waits for writes
}

// parseFlags reads the command line. What is wrong with it is said on stderr, and returned.
func parseFlags(args []string, stderr io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("settings", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&c.database, "db", "", "`file` of the settings, a SQLite database; made and filled when missing")
	flags.StringVar(&c.ledger, "ledger", "", "`file` of the ledger; made when missing, in a directory of its own")
	flags.DurationVar(&c.grace, "grace", runtime.DefaultShutdownGrace, "how long writes that run are waited for at the end")
	mode := flags.String("write-mode", os.Getenv(runtime.DefaultWriteModeEnv),
		"`mode` guarded lets changes be applied, off only lets them be previewed;\nthe default is $"+runtime.DefaultWriteModeEnv+", or else off")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	c.writeMode = cmp.Or(runtime.WriteMode(*mode), writesOff)
	if err := c.check(flags.Args()); err != nil {
		fmt.Fprintf(stderr, "settings: %v\n", err)
		return c, err
	}
	return c, nil
}

// check says what is wrong with the command line; rest is what was left after the flags.
func (c config) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q; give files with --db and --ledger", rest[0])
	case c.database == "":
		return errors.New("--db is missing; name the file of the settings: --db settings.db")
	case c.ledger == "":
		return errors.New("--ledger is missing; name the file of the ledger: --ledger ledger/settings.db")
	case c.grace <= 0:
		return fmt.Errorf("--grace is %s; give a time such as 10s", c.grace)
	case c.writeMode != runtime.Guarded && c.writeMode != writesOff:
		return fmt.Errorf("%q is not a write mode; give --write-mode %s or --write-mode %s", c.writeMode, runtime.Guarded, writesOff)
	}
	return nil
}
