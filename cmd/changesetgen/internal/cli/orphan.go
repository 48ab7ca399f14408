package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/changesetgen/changesetgen/cmd/changesetgen/internal/output"
	"github.com/changesetgen/changesetgen/generator"
)

// orphan is a generated file that no spec makes any more. It breaks the build, or adds what nobody asks for.
type orphan struct {
	path    string
	content []byte
	reason  string
}

// orphans finds the orphaned files in the folders of targets, in the order of their names.
func orphans(all []target) ([]orphan, error) {
	given := map[string]bool{} // the base names of the specs
	for _, t := range all {
		given[filepath.Base(t.spec)] = true
	}
	var found []orphan
	for _, t := range all {
		others, err := output.Others(t.dir, t.files, generator.IsFileName)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(others)) {
			reason, err := t.abandons(others[name], given)
			if err != nil {
				return nil, err
			}
			if reason != "" {
				found = append(found, orphan{filepath.Join(t.dir, name), others[name], reason})
			}
		}
	}
	return found, nil
}

// abandons says why a file in the target's folder, which the target does not make, is orphaned; "" if it is not. A spec
// that was not given and that lies where specs are looked for is believed to make it.
func (t target) abandons(content []byte, given map[string]bool) (reason string, err error) {
	source, generated := generator.Source(content)
	if !generated {
		return "", nil
	}
	if given[source] {
		return source + " does not make it any more", nil
	}
	for _, dir := range []string{t.dir, filepath.Dir(t.spec)} {
		_, err := os.Lstat(filepath.Join(dir, filepath.Base(source)))
		if err == nil {
			return "", nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("look for the spec of a generated file: %w", err)
		}
	}
	return "there is no " + source + " any more", nil
}
