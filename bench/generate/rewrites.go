package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// reportRewrites says which files changesetgen writes again after one operation of a spec has changed.
func (w *workshop) reportRewrites(out io.Writer, size int) error {
	for _, change := range []struct {
		what string
		to   func(*operation)
	}{
		{"nothing", func(*operation) {}},
		{"the summary of one operation", func(o *operation) { o.Summary = "Renew product" }},
		{"a description in one payload", func(o *operation) { o.AmountIs = "How many there are" }},
	} {
		rewritten, all, err := w.rewrites(size, change.to)
		if err != nil {
			return err
		}
		text := "none"
		if len(rewritten) > 0 {
			text = strings.Join(rewritten, ", ")
		}
		if _, err := fmt.Fprintf(out, "\nChanged: %s, of %d operations. Written again, of %d files: %s.\n", change.what, size, all, text); err != nil {
			return err
		}
	}
	return nil
}

// rewrites generates, changes one operation and generates again, and names the files whose time of modification changed.
func (w *workshop) rewrites(size int, change func(*operation)) (rewritten []string, all int, err error) {
	dir, err := os.MkdirTemp(w.dir, "rewrites-")
	if err != nil {
		return nil, 0, err
	}
	spec := filepath.Join(dir, ours.spec)
	c := operations(size)
	if err := w.regenerate(c, spec, dir); err != nil {
		return nil, 0, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.changeset.*o*")) // .go and .json, not .yaml
	if err != nil {
		return nil, 0, err
	}
	before := time.Unix(0, 0)
	for _, file := range files {
		if err := os.Chtimes(file, before, before); err != nil {
			return nil, 0, err
		}
	}
	change(&c.Operations[size/2])
	if err := w.regenerate(c, spec, dir); err != nil {
		return nil, 0, err
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return nil, 0, err
		}
		if !info.ModTime().Equal(before) {
			rewritten = append(rewritten, filepath.Base(file))
		}
	}
	return rewritten, len(files), nil
}

// regenerate writes a spec and generates from it into dir.
func (w *workshop) regenerate(c contents, spec, dir string) error {
	if err := c.write(spec, ours.template); err != nil {
		return err
	}
	_, err := start(w.dir, nil, filepath.Join(w.dir, ours.name), ours.args(spec, dir)...)
	return err
}
