package main

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/changesetgen/changesetgen/bench/internal/program"
	"github.com/changesetgen/changesetgen/bench/internal/stat"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// load is what callers at once got done.
type load struct {
	Took            time.Duration
	Cycles, Commits int
	Cycle, Commit   stat.Quantiles
	Busy            int
}

// drive has so many callers go through cycles for a time. Each ends the cycle that it is in.
func drive(ctx context.Context, store ledger.Store, holder string, callers int, length time.Duration) (load, error) {
	return driveEach(store, holder, callers, func(c *caller, begin time.Time) error {
		for range program.Turns(begin, length) {
			if err := c.cycle(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// driveEach has so many callers work at once, and adds up what they did.
func driveEach(store ledger.Store, holder string, callers int, work func(c *caller, begin time.Time) error) (load, error) {
	all := make([]caller, callers)
	failures := make([]error, callers)
	var group sync.WaitGroup
	begin := time.Now()
	for i := range all {
		all[i] = newCaller(store, holder, i)
		group.Go(func() { failures[i] = work(&all[i], begin) })
	}
	group.Wait()
	return sum(all, time.Since(begin)), cmp.Or(failures...) // one of many that say the same
}

func sum(all []caller, took time.Duration) load {
	l := load{Took: took}
	var cycles, commits []time.Duration
	for _, c := range all {
		cycles, commits = append(cycles, c.cycles...), append(commits, c.commits...)
		l.Busy += c.busy
	}
	l.Cycles, l.Commits = len(cycles), len(commits)
	l.Cycle, l.Commit = stat.QuantilesOf(cycles), stat.QuantilesOf(commits)
	return l
}
