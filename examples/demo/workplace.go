package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// modulePath is the module that the demo is part of.
const modulePath = "github.com/changesetgen/changesetgen"

// workplace is where the demo works: the clone, which it only reads, and a temporary directory.
type workplace struct {
	clone string
	dir   string
}

// newWorkplace finds the clone that the demo is run in and makes the temporary directory.
func newWorkplace(ctx context.Context) (*workplace, error) {
	clone, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", modulePath).Output()
	if err != nil {
		return nil, fmt.Errorf("find the module %s: %w; run the demo inside a clone of it", modulePath, withStderr(err))
	}
	dir, err := os.MkdirTemp("", "changesetgen-demo-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary directory: %w", err)
	}
	return &workplace{clone: strings.TrimSpace(string(clone)), dir: dir}, nil
}

// withStderr adds to the error of a command what it wrote to standard error.
func withStderr(err error) error {
	if exit, ok := err.(*exec.ExitError); ok {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	return err
}

// remove deletes the temporary directory.
func (p *workplace) remove() error { return os.RemoveAll(p.dir) }

// path is the path of a file in the temporary directory, which is named with slashes.
func (p *workplace) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// cloned is the path of a file or directory of the clone, which is named with slashes.
func (p *workplace) cloned(name string) string {
	return filepath.Join(p.clone, filepath.FromSlash(name))
}

// build compiles the generator, the settings server and the operator's command into the temporary directory.
func (p *workplace) build(ctx context.Context) error {
	return p.inClone(ctx, "go", "build", "-o", p.dir+string(filepath.Separator), "./cmd/changesetgen", "./cmd/changesetctl", "./examples/settings")
}

// inClone runs a command at the top of the clone. Its output becomes part of the error when it fails.
func (p *workplace) inClone(ctx context.Context, name string, args ...string) error {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = p.clone
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, output)
	}
	return nil
}

// sameFiles returns the names of the files in two directories, sorted, or an error that says where the two differ.
func sameFiles(got, want string) ([]string, error) {
	gotNames, err := fileNames(got)
	if err != nil {
		return nil, err
	}
	wantNames, err := fileNames(want)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(gotNames, wantNames) {
		return nil, fmt.Errorf("expected the files %s, got %s", strings.Join(wantNames, ", "), strings.Join(gotNames, ", "))
	}
	for _, name := range gotNames {
		if err := sameContent(filepath.Join(got, name), filepath.Join(want, name)); err != nil {
			return nil, err
		}
	}
	return gotNames, nil
}

// fileNames lists a directory, sorted.
func fileNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, nil
}

// sameContent says that two files differ, if they do.
func sameContent(got, want string) error {
	gotBytes, err := os.ReadFile(got)
	if err != nil {
		return err
	}
	wantBytes, err := os.ReadFile(want)
	if err != nil {
		return err
	}
	if !bytes.Equal(gotBytes, wantBytes) {
		return fmt.Errorf("%s is not what the spec generates; run go generate ./... and look at the difference", want)
	}
	return nil
}
