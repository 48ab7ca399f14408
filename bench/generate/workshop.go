package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// workshop is a folder with the built generators and a module of what they generate. Its name, which is also that of the
// module, is a new one each time, so that the go command has none of the packages in its cache.
type workshop struct {
	dir string
	env []string // of the go command
}

// linked is the package that brings what generated code imports into the build cache.
const linked = "./internal/linked"

// newWorkshop makes a workshop. It is to run in the folder of this module.
func newWorkshop() (*workshop, error) {
	dir, err := os.MkdirTemp("", "generated-")
	if err != nil {
		return nil, err
	}
	w := &workshop{dir: dir, env: []string{"GOFLAGS=", "GOWORK=" + filepath.Join(dir, "go.work")}}
	if err := w.furnish(); err != nil {
		return nil, errors.Join(err, w.remove())
	}
	return w, nil
}

// furnish builds the generators and lays out the module. Generated code takes its dependencies from this module, which
// the workspace joins with the one of generated code.
func (w *workshop) furnish() error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	for _, step := range [][]string{
		{"build", "-o", w.dir + string(filepath.Separator), ours.command, theirs.command},
		{"build", linked},
	} {
		if _, err := start(here, []string{"GOFLAGS=", "GOWORK=off"}, "go", step...); err != nil {
			return err
		}
	}
	config, err := templates.ReadFile("templates/" + theirs.config)
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		"go.mod":      fmt.Sprintf("module %s\n\ngo 1.26.0\n", filepath.Base(w.dir)),
		"go.work":     fmt.Sprintf("go 1.26.0\n\nuse (\n\t.\n\t%q\n)\n", here),
		theirs.config: string(config),
	} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (w *workshop) remove() error { return os.RemoveAll(w.dir) }

// generate runs a tool on a spec and puts what it makes into a folder of the workshop.
func (w *workshop) generate(t tool, spec, dir string) (usage, error) {
	if err := os.MkdirAll(filepath.Join(w.dir, dir), 0o700); err != nil {
		return usage{}, err
	}
	binary := filepath.Join(w.dir, t.name)
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	return start(w.dir, nil, binary, t.args(spec, dir)...)
}

// build compiles the package in a folder of the workshop, whose dependencies are compiled already.
func (w *workshop) build(dir string) (usage, error) {
	return start(w.dir, w.env, "go", "build", "./"+dir)
}
