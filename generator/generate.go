// Package generator turns a checked spec into the files of a Go package.
//
// Generate is pure: it reads no file, no clock and no environment, and the same spec gives the same bytes everywhere.
// There is one function for each block of the output, called in output order, so that this package reads like what it
// writes. Names are computed once, before anything is printed.
package generator

import (
	"fmt"

	"github.com/changesetgen/changesetgen/spec"
)

// Generate returns the files of a spec by base name: one of schemas, one of what its operations share, and one for each
// operation. It does not fail for a spec that spec.Read has checked.
func Generate(s *spec.Spec) (map[string][]byte, error) {
	m := resolve(s)
	files := map[string][]byte{}
	var err error
	if files[m.schemaFile], err = schemas(m); err != nil {
		return nil, fmt.Errorf("generate %s: %w", m.schemaFile, err)
	}
	if files[m.sharedFile], err = sharedFile(m).Render(); err != nil {
		return nil, fmt.Errorf("generate %s: %w", m.sharedFile, err)
	}
	for _, op := range m.operations {
		if files[op.file], err = operationFile(m, op).Render(); err != nil {
			return nil, fmt.Errorf("generate %s: %w", op.file, err)
		}
	}
	return files, nil
}
