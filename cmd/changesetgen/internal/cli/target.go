package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/changesetgen/changesetgen/cmd/changesetgen/internal/output"
	"github.com/changesetgen/changesetgen/generator"
	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/diag"
)

// target is what a spec makes, the folder that it belongs into, and how that differs from what is there.
type target struct {
	spec  string // the path as it was given
	dir   string
	files map[string][]byte // by base name
	plan  *output.Plan
}

// diagnosis is all that is wrong with the specs of a run.
type diagnosis struct {
	list       diag.List
	sources    map[string][]byte
	unreadable error // of files that could not even be read; nil for none
}

func (d *diagnosis) Error() string {
	return fmt.Sprintf("%d faults in the specs", len(d.list))
}

// targets makes the files of specs, for dir or for the folder of each spec, and writes nothing.
func targets(paths []string, dir string) ([]target, error) {
	specs, err := read(paths)
	if err != nil {
		return nil, err
	}
	var all []target
	owners := map[string]string{} // which spec writes into a directory
	for i, s := range specs {
		t := target{spec: paths[i], dir: dir}
		if t.dir == "" {
			t.dir = filepath.Dir(t.spec)
		}
		if err := own(owners, t.dir, t.spec); err != nil {
			return nil, err
		}
		if t.files, err = generator.Generate(s); err != nil {
			return nil, err
		}
		if t.plan, err = output.Prepare(t.dir, t.files, generator.Owns); err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// read reads and checks all specs, and reports the faults of all of them together.
func read(paths []string) ([]*spec.Spec, error) {
	var specs []*spec.Spec
	wrong := diagnosis{sources: map[string][]byte{}}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			wrong.unreadable = errors.Join(wrong.unreadable, err)
			continue
		}
		wrong.sources[path] = src
		s, faults := spec.Read(path, src)
		wrong.list = append(wrong.list, faults...)
		specs = append(specs, s)
	}
	if len(wrong.list) > 0 || wrong.unreadable != nil {
		return nil, &wrong
	}
	return specs, nil
}

// own claims a directory for the package of a spec: a directory holds one Go package, and each spec makes one.
func own(owners map[string]string, dir, spec string) error {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("find the directory %s: %w", dir, err)
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil {
		absolute = real
	}
	if other, taken := owners[absolute]; taken {
		return fmt.Errorf("%s and %s would both write a Go package into %s: put them into different folders", other, spec, dir)
	}
	owners[absolute] = spec
	return nil
}
