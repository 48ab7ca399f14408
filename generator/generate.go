// Package generator turns a checked spec into the files of a Go package.
//
// Generate is pure: it reads no file, no clock and no environment, and the same spec gives the same bytes everywhere.
// There is one function for each block of the output, called in output order, so that this package reads like what it
// writes. Names are computed once, before anything is printed.
package generator

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/changesetgen/changesetgen/spec"
)

// Generate returns the files of a spec by base name: one of schemas, one of what its operations share, and one for each
// operation. It does not fail for a spec that spec.Read has checked.
func Generate(s *spec.Spec) (map[string][]byte, error) {
	m := resolve(s)
	files := []file{
		{name: m.schemaFile, print: func() ([]byte, error) { return schemas(m) }},
		{name: m.sharedFile, print: func() ([]byte, error) { return sharedFile(m).Render() }},
	}
	for _, op := range m.operations {
		files = append(files, file{name: op.file, print: func() ([]byte, error) { return operationFile(m, op).Render() }})
	}
	return printed(files)
}

// file is one file of the output. Files are printed from the model alone, which no longer changes, in any order.
type file struct {
	name  string
	print func() ([]byte, error)
}

// printed prints files, as many at a time as there are processors: nearly all of the work is laying out Go. Of several
// errors it returns that of the first file.
func printed(files []file) (map[string][]byte, error) {
	contents, errs := make([][]byte, len(files)), make([]error, len(files))
	var started atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		workers.Go(func() {
			for i := started.Add(1) - 1; i < int64(len(files)); i = started.Add(1) - 1 {
				contents[i], errs[i] = files[i].print()
			}
		})
	}
	workers.Wait()
	all := make(map[string][]byte, len(files))
	for i, f := range files {
		if errs[i] != nil {
			return nil, fmt.Errorf("generate %s: %w", f.name, errs[i])
		}
		all[f.name] = contents[i]
	}
	return all, nil
}
