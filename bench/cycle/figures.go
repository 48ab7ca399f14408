package main

import (
	"math"
	"time"

	"github.com/changesetgen/changesetgen/bench/internal/stat"
)

// metric is something that is measured of a subject. Times are in seconds.
type metric int

const (
	cycleRate  metric = iota // a second
	commitRate               // durable transactions a second
	overDisk                 // commitRate by the rate at which pages are appended and synced
	cycleP50
	cycleP99
	commitP50
	commitP99
	lastOverSync   // commitP99 by the median time of a page that is appended and synced
	syncsPerCommit // of files, by SQLite
	fairness       // cycles of the process that made fewest, by those of the one that made most
	busy           // answers of ledger.ErrBusy
	listP50
	listP99
)

// figures are what a subject did in one round. What is not there was not measured.
type figures map[metric]float64

// value is NaN for what was not measured.
func (f figures) value(m metric) float64 {
	if v, measured := f[m]; measured {
		return v
	}
	return math.NaN()
}

// figures are those of a load of cycles.
func (l load) figures() figures {
	f := figures{busy: float64(l.Busy), commitRate: l.rate(l.Commits)}
	f.time(commitP50, commitP99, l.Commit)
	if l.Cycles > 0 {
		f[cycleRate] = l.rate(l.Cycles)
		f.time(cycleP50, cycleP99, l.Cycle)
	}
	return f
}

func (l load) rate(count int) float64 { return float64(count) / l.Took.Seconds() }

func (f figures) time(p50, p99 metric, q stat.Quantiles) {
	f[p50], f[p99] = q.P50.Seconds(), q.P99.Seconds()
}

// beside adds what the disk did before and after.
func (f figures) beside(rate float64, sync time.Duration) {
	f[overDisk] = f.value(commitRate) / rate
	f[lastOverSync] = f.value(commitP99) / sync.Seconds()
}
