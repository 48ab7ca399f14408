package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/changesetgen/changesetgen/bench/internal/program"
	"github.com/changesetgen/changesetgen/bench/internal/stat"
)

// measureAll uses each transport for a time in each round.
func measureAll(ctx context.Context, s program.Settings, progress io.Writer) (r *results, err error) {
	var pairs []pair
	for _, t := range transports {
		p := pair{transport: t.name}
		for _, to := range kinds {
			var c *connection
			if c, err = t.connect(ctx, to); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", t.name, to.name, err)
			}
			defer func() { err = errors.Join(err, c.close()) }()
			p.callers = append(p.callers, &caller{session: c.session})
		}
		pairs = append(pairs, p)
	}
	r = &results{}
	for round := range s.Rounds {
		fmt.Fprintf(progress, "round %d of %d\n", round+1, s.Rounds)
		for _, p := range pairs {
			if err := p.measure(ctx, s.Length, r); err != nil {
				return nil, fmt.Errorf("%s: %w", p.transport, err)
			}
		}
	}
	return r, nil
}

// pair is the guarded server and the bare one over the same transport.
type pair struct {
	transport string
	callers   []*caller // of each of kinds
}

// measure calls both in turn for a time, and each first as often as the other.
func (p *pair) measure(ctx context.Context, length time.Duration, r *results) error {
	guarded, bare := p.callers[0], p.callers[1]
	for _, c := range p.callers {
		c.preview, c.apply = nil, nil
	}
	both := slices.Clone(p.callers)
	for range program.Turns(time.Now(), length) {
		for _, step := range []func(*caller, context.Context) error{(*caller).previewOne, (*caller).applyOne} {
			for _, c := range both {
				if err := step(c, ctx); err != nil {
					return err
				}
			}
		}
		both[0], both[1] = both[1], both[0]
	}
	r.add("preview", p.transport, guarded.preview, bare.preview)
	r.add("apply", p.transport, guarded.apply, bare.apply)
	return nil
}

// results are what was measured, by row of the table.
type results struct {
	rows []*row
}

// row is a call over a transport, in each round.
type row struct {
	call, transport string
	guarded, bare   []stat.Quantiles
}

func (r *results) add(call, transport string, guarded, bare []time.Duration) {
	of := r.row(call, transport)
	if of == nil {
		of = &row{call: call, transport: transport}
		r.rows = append(r.rows, of)
	}
	of.guarded, of.bare = append(of.guarded, stat.QuantilesOf(guarded)), append(of.bare, stat.QuantilesOf(bare))
}

// row is nil where nothing was measured.
func (r *results) row(call, transport string) *row {
	for _, known := range r.rows {
		if known.call == call && known.transport == transport {
			return known
		}
	}
	return nil
}
