package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/bench/internal/stat"
)

// part is a group of subjects that are measured or left out together.
type part struct {
	name string
	open func(ctx context.Context, s settings, progress io.Writer) (*opened, error)
}

// parts are all there are, in the order in which they are printed.
var parts = []part{
	{"sqlite", openSQLite}, {"processes", openProcesses}, {"rows", openRows}, {"postgres", openPostgres},
}

// opened is a part that is ready to be measured.
type opened struct {
	subjects []subject
	version  string // of what is measured, if that is not this repository; "" for none
	close    func() error
}

// subject measures something for a time in each round.
type subject struct {
	names   []string                                                           // of what it measures
	measure func(ctx context.Context, length time.Duration) ([]figures, error) // one for each name
}

func partNames() []string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.name
	}
	return names
}

// chosen are the parts that a list names; all if it is empty.
func chosen(list string) ([]part, error) {
	if list == "" {
		return parts, nil
	}
	var some []part
	for name := range strings.SplitSeq(list, ",") {
		i := slices.Index(partNames(), name)
		if i < 0 {
			return nil, fmt.Errorf("-only: there is no part %q: name some of %s", name, strings.Join(partNames(), ", "))
		}
		some = append(some, parts[i])
	}
	return some, nil
}

// asked are those subjects that are to be measured.
func (s settings) asked(subjects []subject) []subject {
	return slices.DeleteFunc(subjects, func(one subject) bool {
		return s.lines != nil && !slices.ContainsFunc(one.names, s.lines.MatchString)
	})
}

// measureAll measures the parts that are asked for.
func measureAll(ctx context.Context, s settings, progress io.Writer) (r *results, err error) {
	some, err := chosen(s.only)
	if err != nil {
		return nil, err
	}
	r = &results{names: []string{appended, again}, rows: s.rows}
	var subjects []subject
	for _, p := range some {
		var o *opened
		if o, err = p.open(ctx, s, progress); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		defer func() { err = errors.Join(err, o.close()) }()
		subjects = append(subjects, s.asked(o.subjects)...)
		if o.version != "" {
			r.versions = append(r.versions, o.version)
		}
	}
	if len(subjects) == 0 {
		return nil, fmt.Errorf("-lines: nothing that is measured has a name that %s matches", s.lines)
	}
	for _, each := range subjects {
		r.names = append(r.names, each.names...)
	}
	d, err := newDisk(s.dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	for round := range s.Rounds {
		fmt.Fprintf(progress, "round %d of %d\n", round+1, s.Rounds)
		if round > 0 {
			slices.Reverse(subjects) // each is first as often as the one that it is compared with
		}
		if err := r.measureRound(ctx, d, subjects, s.Length); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// diskShare is how much shorter the disk alone is measured than anything else: it is so before and after each.
const diskShare = 5

// measureRound measures each subject once, and the disk between them.
func (r *results) measureRound(ctx context.Context, d *disk, subjects []subject, length time.Duration) error {
	round := map[string]figures{}
	var all, over []syncs
	look := func() (syncs, error) {
		a, o, err := d.measure(length / diskShare)
		all, over = append(all, a), append(over, o)
		return a, err
	}
	last, err := look()
	if err != nil {
		return err
	}
	for _, s := range subjects {
		measured, err := s.measure(ctx, length)
		if err != nil {
			return fmt.Errorf("%s: %w", s.names[0], err)
		}
		next, err := look()
		if err != nil {
			return err
		}
		for i, f := range measured {
			f.beside((last.rate+next.rate)/2, (last.median()+next.median())/2)
			round[s.names[i]] = f
		}
		last = next
	}
	round[appended], round[again] = ofDisk(all), ofDisk(over)
	r.rounds = append(r.rounds, round)
	return nil
}

// ofDisk are the figures of all that the disk did in a round.
func ofDisk(all []syncs) figures {
	var took, rates = []time.Duration(nil), []float64(nil)
	for _, s := range all {
		took, rates = append(took, s.took...), append(rates, s.rate)
	}
	f := figures{commitRate: stat.Median(rates), syncsPerCommit: 1}
	f.time(commitP50, commitP99, stat.QuantilesOf(took))
	return f
}
