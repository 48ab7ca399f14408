package generator_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/google/go-cmp/cmp"
)

// runs is how often the same thing is done to see that the order of Go's maps, which is another each time, never shows.
const runs = 8

func TestGenerateGivesTheSameBytesEachTime(t *testing.T) {
	t.Parallel()
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			first := generate(t, g.spec)
			for range runs {
				if diff := cmp.Diff(first, generate(t, g.spec)); diff != "" {
					t.Fatalf("a later run differs (-first +later):\n%s", diff)
				}
			}
		})
	}
}

// unordered are the maps of the language whose keys may stand in any order, by their key paths. Operations, connections,
// resources, definitions and all that is in a schema keep the order of their author, and so does their code.
var unordered = []string{
	"", "server", "defaults",
	"resources.*", "resources.*.observe", "resources.*.observe.after",
	"operations.*", "operations.*.observe", "operations.*.observe.after", "operations.*.inverse", "operations.*.diff[*]",
}

func TestOrderOfKeysDoesNotShow(t *testing.T) {
	t.Parallel()
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			name, tree := filepath.Base(g.spec), parse(t, g.spec)
			first := generateFrom(t, name, tree.AppendJSON(nil))
			for run := range uint64(runs) {
				shuffle(tree, "", rand.New(rand.NewPCG(run, 0)))
				if diff := cmp.Diff(first, generateFrom(t, name, tree.AppendJSON(nil))); diff != "" {
					t.Fatalf("another order of keys gives other files (-first +other):\n%s", diff)
				}
			}
		})
	}
}

func TestOrderOfOperationsShowsOnlyInWhatTheyShare(t *testing.T) {
	t.Parallel()
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			name, tree := filepath.Base(g.spec), parse(t, g.spec)
			first := generateFrom(t, name, tree.AppendJSON(nil))
			slices.Reverse(tree.Get("operations").Children)
			other := generateFrom(t, name, tree.AppendJSON(nil))
			for file := range first {
				if shared := strings.Count(file, ".") == strings.Count("stem.changeset.go", "."); !shared && first[file] != other[file] {
					t.Errorf("%s (-first +other):\n%s", file, cmp.Diff(first[file], other[file]))
				}
			}
		})
	}
}

// parse reads a spec as it stands, without the comments.
func parse(t *testing.T, path string) *document.Node {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tree, faults := document.Read(filepath.Base(path), src)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return tree
}

// shuffle puts the keys of unordered maps in and below a node at a path into another order.
func shuffle(node *document.Node, path string, random *rand.Rand) {
	if slices.Contains(unordered, path) {
		random.Shuffle(len(node.Children), func(i, j int) {
			node.Children[i], node.Children[j] = node.Children[j], node.Children[i]
		})
	}
	for _, child := range node.Children {
		below := strings.TrimPrefix(path+"."+child.Key, ".")
		switch {
		case node.Is(document.List):
			below = path + "[*]"
		case path == "resources" || path == "operations":
			below = path + ".*"
		}
		shuffle(child, below, random)
	}
}
