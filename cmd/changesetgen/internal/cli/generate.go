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

// diagnosis is all that is wrong with the specs of a run.
type diagnosis struct {
	list       diag.List
	sources    map[string][]byte
	unreadable error // of files that could not even be read; nil for none
}

func (d *diagnosis) Error() string {
	return fmt.Sprintf("%d faults in the specs", len(d.list))
}

// generate writes the files of specs into dir, or beside each spec. Nothing is written unless all can be.
func generate(paths []string, dir string) (output.Done, error) {
	specs, err := read(paths)
	if err != nil {
		return output.Done{}, err
	}
	var plans []*output.Plan
	owners := map[string]string{} // which spec writes into a directory
	for i, s := range specs {
		target := dir
		if target == "" {
			target = filepath.Dir(paths[i])
		}
		if err := own(owners, target, paths[i]); err != nil {
			return output.Done{}, err
		}
		files, err := generator.Generate(s)
		if err != nil {
			return output.Done{}, err
		}
		plan, err := output.Prepare(target, files, generator.Owns)
		if err != nil {
			return output.Done{}, err
		}
		plans = append(plans, plan)
	}
	return output.Write(plans)
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
