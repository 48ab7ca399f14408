package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	// processes is how many have one ledger open.
	processes = 4
	// childArgument makes this program one of them; the path of the ledger follows.
	childArgument = "child"
)

// order is what a child is told to do, in a line. It answers with its load.
type order struct {
	Callers int
	Length  time.Duration
}

// child is a process that uses the ledger.
type child struct {
	process *exec.Cmd
	input   io.WriteCloser
	answers *json.Decoder
}

// openProcesses starts processes on one ledger, with few callers each and with more.
func openProcesses(ctx context.Context, s settings, _ io.Writer) (*opened, error) {
	dir, err := os.MkdirTemp(s.dir, "processes-")
	if err != nil {
		return nil, err
	}
	var children []*child
	o := &opened{close: func() error { return errors.Join(closeAll(children), os.RemoveAll(dir)) }}
	for range processes {
		c, err := spawn(ctx, filepath.Join(dir, "ledger", "ledger.db"))
		if err != nil {
			return nil, errors.Join(err, o.close())
		}
		children = append(children, c)
	}
	for _, callers := range []int{4, 16} {
		o.subjects = append(o.subjects, subject{
			names: []string{shared(callers)},
			measure: func(_ context.Context, length time.Duration) ([]figures, error) {
				loads, err := command(children, order{Callers: callers, Length: length})
				return []figures{combined(loads)}, err
			},
		})
	}
	return o, nil
}

// shared is the name of what is measured of processes.
func shared(callers int) string {
	return fmt.Sprintf("SQLite, processes × callers: %d × %d", processes, callers)
}

// spawn starts this program once more, and waits until it has the ledger open.
func spawn(ctx context.Context, path string) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{process: exec.CommandContext(ctx, program, childArgument, path)}
	c.process.Stderr = os.Stderr
	if c.input, err = c.process.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := c.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.answers = json.NewDecoder(output)
	if err := c.process.Start(); err != nil {
		return nil, err
	}
	var ready bool
	if err := c.answers.Decode(&ready); err != nil {
		return nil, errors.Join(fmt.Errorf("a process did not open the ledger: %w", err), c.close())
	}
	return c, nil
}

// close has the process end, which it does when nobody can tell it anything any more.
func (c *child) close() error { return errors.Join(c.input.Close(), c.process.Wait()) }

func closeAll(children []*child) error {
	var failures []error
	for _, c := range children {
		failures = append(failures, c.close())
	}
	return errors.Join(failures...)
}

// command has all children do the same at once, and collects what they did.
func command(children []*child, do order) ([]load, error) {
	line, err := json.Marshal(do)
	if err != nil {
		return nil, err
	}
	for _, c := range children {
		if _, err := c.input.Write(append(line, '\n')); err != nil {
			return nil, fmt.Errorf("tell a process what to do: %w", err)
		}
	}
	loads := make([]load, len(children))
	for i, c := range children {
		if err := c.answers.Decode(&loads[i]); err != nil {
			return nil, fmt.Errorf("a process ended: %w", err)
		}
	}
	return loads, nil
}

// combined are the figures of processes together. The quantiles are those of the one that was worst off.
func combined(loads []load) figures {
	var all load
	var rate float64
	fewest, most := loads[0].Cycles, 0
	for _, l := range loads {
		rate += l.rate(l.Commits)
		fewest, most = min(fewest, l.Cycles), max(most, l.Cycles)
		all.Busy += l.Busy
		all.Cycles += l.Cycles
		all.Took = max(all.Took, l.Took)
		all.Cycle.P50, all.Cycle.P99 = max(all.Cycle.P50, l.Cycle.P50), max(all.Cycle.P99, l.Cycle.P99)
		all.Commit.P50, all.Commit.P99 = max(all.Commit.P50, l.Commit.P50), max(all.Commit.P99, l.Commit.P99)
	}
	f := all.figures()
	f[commitRate], f[fairness] = rate, float64(fewest)/float64(most)
	return f
}

// runChild does what it is told until nobody tells it anything any more.
func runChild(ctx context.Context, path string, in io.Reader, out io.Writer) (err error) {
	store, err := openLedger(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	hold, err := store.Hold(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hold.Release()) }()
	answers := json.NewEncoder(out)
	if err := answers.Encode(true); err != nil {
		return err
	}
	orders := json.NewDecoder(in)
	for {
		var do order
		if err := orders.Decode(&do); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		l, err := drive(ctx, store, hold.Name(), do.Callers, do.Length)
		if err != nil {
			return err
		}
		if err := answers.Encode(l); err != nil {
			return err
		}
	}
}
