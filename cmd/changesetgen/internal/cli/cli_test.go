package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/cmd/changesetgen/internal/cli"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"changesetgen": func() { os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: filepath.Join("testdata", "script"), RequireExplicitExec: true})
}

// result is all that a run leaves on the terminal.
type result struct {
	Code           int
	Stdout, Stderr string
}

func run(args ...string) result {
	var stdout, stderr strings.Builder
	code := cli.Run(args, strings.NewReader(""), &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

func TestWrongArgumentsAreAUsageError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args []string
		want string
	}{
		{nil, "no spec is named"},
		{[]string{"diff"}, "no spec is named"},
		{[]string{"dif", "a.yaml"}, "unknown command 'dif' (did you mean 'diff'?)"},
		{[]string{"generate"}, "no spec is named"},
		{[]string{"--"}, "no spec is named"},
		{[]string{"genrate", "a.yaml"}, "unknown command 'genrate' (did you mean 'generate'?)"},
		{[]string{"help"}, "unknown command 'help' (did you mean '--help'?)"},
		{[]string{"entirely-different"}, "unknown command 'entirely-different'"},
		{[]string{"--versoin"}, "unknown flag '--versoin' (did you mean '--version'?)"},
		{[]string{"a.yaml", "--quiet=yes"}, "unknown flag '--quiet'"},
		{[]string{"-"}, "a spec is read from a file, not from standard input: its place and name matter"},
		{[]string{"--help=yes"}, "--help takes no value"},
		{[]string{"a.yaml", "-o"}, "-o needs a directory"},
		{[]string{"a.yaml", "-o", ""}, "-o needs a directory"},
		{[]string{"a.yaml", "-o="}, "-o needs a directory"},
		{[]string{"-o", "x", "a.yaml", "-o=y"}, "-o is given twice"},
		{[]string{"generate", ""}, "the name of a spec is empty"},
	}
	for _, test := range tests {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			t.Parallel()
			want := result{Code: 2, Stderr: "changesetgen: " + test.want + "\nRun 'changesetgen --help' for usage.\n"}
			if diff := cmp.Diff(want, run(test.args...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHelpAndVersionGoToStdout(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--help", "-help", "-h"} {
		got := run("a.yaml", flag)
		if got.Code != 0 || got.Stderr != "" || !strings.Contains(got.Stdout, "changesetgen [generate] SPEC... [-o DIR]") {
			t.Errorf("%s: %+v", flag, got)
		}
		if !strings.Contains(got.Stdout, "changesetgen diff SPEC... [-o DIR]") {
			t.Errorf("%s does not say how to compare: %+v", flag, got)
		}
		if !strings.Contains(got.Stdout, "docs/spec.md") {
			t.Errorf("%s does not say where the language is described: %+v", flag, got)
		}
	}
	for _, flag := range []string{"--version", "-version"} {
		got := run(flag)
		if got.Code != 0 || got.Stderr != "" || !strings.HasPrefix(got.Stdout, "changesetgen ") || strings.Count(got.Stdout, "\n") != 1 {
			t.Errorf("%s: %+v", flag, got)
		}
	}
}

func TestUnreadableSpecFailsWithItsName(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing.changeset.yaml")
	got := run(missing)
	if got.Code != 1 || got.Stdout != "" || !strings.Contains(got.Stderr, missing) {
		t.Errorf("run: %+v, want exit code 1 and the name on stderr", got)
	}
}

func TestExitCodesTellWhatIsWrongFromWhatDiffers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.changeset.yaml"), filepath.Join(dir, "bad.changeset.yaml")
	missing := filepath.Join(dir, "missing.changeset.yaml")
	for path, text := range map[string]string{good: noteSpec, bad: "version: ["} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		args []string
		want int
	}{
		{[]string{"diff", good}, 1},
		{[]string{"diff", bad}, 2},
		{[]string{"diff", good, missing}, 2},
		{[]string{"diff", good, good}, 2},
		{[]string{"diff", good, "--nonsense"}, 2},
		{[]string{"generate", bad}, 1},
		{[]string{"generate", good}, 0},
		{[]string{"diff", good}, 0},
	} {
		if got := run(step.args...); got.Code != step.want {
			t.Errorf("%v: %+v, want exit code %d", step.args, got, step.want)
		}
	}
}

// noteSpec is a spec that nothing is wrong with.
const noteSpec = `
version: 1
package: notes
server: {name: notes}
operations:
  write_note:
    observe: none
    payload: {type: object, required: [text], properties: {text: {type: string}}}
    summary: Write ${payload.text}
    apply: go
    undo: none
`

func TestWhatCannotBePrintedIsAFailure(t *testing.T) {
	t.Parallel()
	spec := filepath.Join(t.TempDir(), "notes.changeset.yaml")
	if err := os.WriteFile(spec, []byte(noteSpec), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want int
	}{{[]string{"--help"}, 1}, {[]string{"diff", spec}, 2}, {[]string{"generate", spec}, 1}} {
		var stderr strings.Builder
		if code := cli.Run(test.args, strings.NewReader(""), closed{}, &stderr); code != test.want {
			t.Errorf("%v: exit code %d, want %d: %s", test.args, code, test.want, &stderr)
		}
	}
}

// closed is a terminal that is gone.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, os.ErrClosed }
