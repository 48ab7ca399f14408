// Command demo shows the main job end to end: it generates the tools of the example server, starts the server and
// drives it as an agent's client does, through everything that can go right and wrong with a change. What it prints it
// has checked; when something is not as it must be, it says what and exits with 1.
//
// Run it anywhere inside a clone: go run ./examples/demo
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long the demo may take, the build included, before it gives up.
const patience = 10 * time.Minute

func main() {
	signal.Ignore(syscall.SIGPIPE) // a reader that leaves early must not leave the temporary directory behind
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, patience)
	err := run(ctx, os.Stdout)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(1)
	}
}

// run walks through all steps in a temporary directory that is removed afterwards.
func run(ctx context.Context, out io.Writer) (err error) {
	place, err := newWorkplace(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, place.remove()) }()

	w := &walk{screen: screen{out: out}, place: place}
	defer func() { err = errors.Join(err, w.end()) }()
	w.legend()
	for number, step := range w.steps() {
		w.title(number+1, step.title)
		if err := step.run(ctx); err != nil {
			return fmt.Errorf("step %d, %s: %w%s", number+1, step.title, err, w.serverLog())
		}
	}
	fmt.Fprintf(out, "\nAll of this was checked while it ran.\n")
	return nil
}
