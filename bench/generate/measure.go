package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// result is all that was measured of specs of one size.
type result struct {
	operations   int
	ours, theirs []sample // those of the same index were measured one after the other
}

// sample is one run of a generator and of the compiler on what it made.
type sample struct {
	generate, build usage
	lines           int // of Go
}

// measureAll measures both tools, in turn and each first as often as the other, at every size.
func (w *workshop) measureAll(sizes []int, repeats int, progress io.Writer) ([]*result, error) {
	results := make([]*result, len(sizes))
	for i, size := range sizes {
		results[i] = &result{operations: size}
		for _, t := range []tool{ours, theirs} {
			if err := operations(size).write(filepath.Join(w.dir, specFile(t, size)), t.template); err != nil {
				return nil, err
			}
		}
	}
	for repeat := range repeats {
		for _, r := range results {
			fmt.Fprintf(progress, "%d of %d: %d operations\n", repeat+1, repeats, r.operations)
			if err := w.measurePair(r, repeat); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// measurePair adds one sample of each tool.
func (w *workshop) measurePair(r *result, repeat int) error {
	order := []tool{ours, theirs}
	if repeat%2 == 1 {
		order = []tool{theirs, ours}
	}
	for _, t := range order {
		s, err := w.measure(t, r.operations, outputDir(t, r.operations, repeat))
		if err != nil {
			return err
		}
		if t.name == ours.name {
			r.ours = append(r.ours, s)
		} else {
			r.theirs = append(r.theirs, s)
		}
	}
	return nil
}

// measure is one sample. The folder is a new one, so that all is written and all is compiled.
func (w *workshop) measure(t tool, size int, dir string) (sample, error) {
	var s sample
	var err error
	if s.generate, err = w.generate(t, specFile(t, size), dir); err != nil {
		return sample{}, err
	}
	if s.lines, err = goLines(filepath.Join(w.dir, dir)); err != nil {
		return sample{}, err
	}
	s.build, err = w.build(dir)
	return s, err
}

func specFile(t tool, size int) string { return fmt.Sprintf("%d.%s", size, t.spec) }

func outputDir(t tool, size, repeat int) string { return fmt.Sprintf("%s-%d-%d", t.name, size, repeat) }

// goLines counts the lines of the Go files in a folder. It holds little of them at a time: on Linux, a process is said
// to have held at least as much memory as the one that started it.
func goLines(dir string) (int, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return 0, err
	}
	total := 0
	for _, path := range paths {
		lines, err := countLines(path)
		if err != nil {
			return 0, err
		}
		total += lines
	}
	return total, nil
}

func countLines(path string) (lines int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	in := bufio.NewScanner(file)
	for in.Scan() {
		lines++
	}
	return lines, in.Err()
}
