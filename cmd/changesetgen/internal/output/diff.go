package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Kind is how a file differs from what it should be.
type Kind string

// The kinds of differences, in words that follow "is".
const (
	IsStale    Kind = "out of date"
	IsMissing  Kind = "missing"
	IsOrphaned Kind = "orphaned"
)

// Difference is a file that is not what it should be.
type Difference struct {
	Path    string
	Kind    Kind
	Unified []byte // what would make it right, for git apply and patch -p1
}

// Differences are the files that the plan would write, in the order of their names. How lines end does not count: git
// may check files out with other line endings.
func (p *Plan) Differences() []Difference {
	var all []Difference
	for _, f := range p.changed {
		path := filepath.Join(p.dir, f.name)
		if f.old == nil {
			all = append(all, Difference{path, IsMissing, unified(path, nil, f.content)})
		} else if unified := unified(path, f.old, f.content); unified != nil {
			all = append(all, Difference{path, IsStale, unified})
		}
	}
	return all
}

// Orphaned is the difference of a file that should not be there.
func Orphaned(path string, content []byte) Difference {
	return Difference{path, IsOrphaned, unified(path, content, nil)}
}

// noFile stands for a file that is not there, on every system.
const noFile = "/dev/null"

// unified is the unified diff of a file without its line endings; nil content is a file that is not there, and a nil
// diff says that nothing differs.
func unified(path string, before, after []byte) []byte {
	slashed := strings.TrimPrefix(filepath.ToSlash(path), "/")
	beforeName, afterName := "a/"+slashed, "b/"+slashed
	if before == nil {
		beforeName = noFile
	}
	if after == nil {
		afterName = noFile
	}
	return diff.Diff(beforeName, withLineFeeds(before), afterName, withLineFeeds(after))
}

func withLineFeeds(content []byte) []byte {
	return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
}

// Others are the regular files in dir that are not among files and whose names is recognises, with their content. The
// directory need not exist.
func Others(dir string, files map[string][]byte, is func(name string) bool) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for other files: %w", err)
	}
	others := map[string][]byte{}
	for _, entry := range entries {
		name := entry.Name()
		if _, made := files[name]; made || !entry.Type().IsRegular() || !is(name) {
			continue
		}
		if others[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return nil, fmt.Errorf("look at another file: %w", err)
		}
	}
	return others, nil
}
