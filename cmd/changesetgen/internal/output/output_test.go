package output_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/cmd/changesetgen/internal/output"
	"github.com/google/go-cmp/cmp"
)

// owns recognises the files of these tests.
func owns(content []byte) bool { return bytes.HasPrefix(content, []byte("ours: ")) }

func TestWriteMakesTheDirectoryAndItsFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "deep")
	done := write(t, dir, map[string][]byte{"a.go": []byte("ours: a"), "b.go": []byte("ours: b")})
	if want := (output.Done{Written: 2}); done != want {
		t.Errorf("Write() = %v, want %v", done, want)
	}
	if diff := cmp.Diff(map[string]string{"a.go": "ours: a", "b.go": "ours: b"}, contents(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestWriteTouchesOnlyWhatChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string][]byte{"same.go": []byte("ours: 1"), "other.go": []byte("ours: 1")})
	then := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for _, name := range []string{"same.go", "other.go"} {
		if err := os.Chtimes(filepath.Join(dir, name), then, then); err != nil {
			t.Fatal(err)
		}
	}
	done := write(t, dir, map[string][]byte{"same.go": []byte("ours: 1"), "other.go": []byte("ours: 2")})
	if want := (output.Done{Written: 1, Unchanged: 1}); done != want {
		t.Errorf("Write() = %v, want %v", done, want)
	}
	if got := stat(t, dir, "same.go").ModTime(); !got.Equal(then) {
		t.Errorf("the modification time of the unchanged file is %v, want %v", got, then)
	}
	if got := stat(t, dir, "other.go").ModTime(); got.Equal(then) {
		t.Error("the changed file has its old modification time")
	}
}

func TestWriteKeepsTheModeOfAReplacedFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a.go")
	if err := os.WriteFile(path, []byte("ours: 1"), 0o640); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string][]byte{"a.go": []byte("ours: 2")})
	if got := stat(t, dir, "a.go").Mode().Perm(); got != 0o640 {
		t.Errorf("mode is %o, want 640", got)
	}
}

func TestPrepareRefusesWhatIsInTheWay(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		block func(path string) error // puts something at the path
		want  string
	}{
		{"file of somebody else", func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) }, "was not generated"},
		{"folder", func(path string) error { return os.Mkdir(path, 0o700) }, "not a regular file"},
		{"link to a file of ours", func(path string) error {
			target := path + ".target"
			if err := os.WriteFile(target, []byte("ours: 1"), 0o600); err != nil {
				return err
			}
			return os.Symlink(target, path)
		}, "not a regular file"},
		{"link to nothing", func(path string) error { return os.Symlink(path+".missing", path) }, "not a regular file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := test.block(filepath.Join(dir, "b.go")); err != nil {
				t.Skipf("cannot be set up here: %v", err)
			}
			before := names(t, dir)
			_, err := output.Prepare(dir, map[string][]byte{"a.go": []byte("ours: a"), "b.go": []byte("ours: b")}, owns)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "b.go") {
				t.Errorf("Prepare() = %v, want an error about b.go with %q", err, test.want)
			}
			if diff := cmp.Diff(before, names(t, dir)); diff != "" {
				t.Errorf("the directory has changed (-before +after):\n%s", diff)
			}
		})
	}
}

// A Go program is often called as the folder of a package is, and built beside it.
func TestPrepareSaysWhichFileIsInThePlaceOfAFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "warehouse")
	if err := os.WriteFile(file, []byte("a program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "deep", "deeper")} {
		_, err := output.Prepare(dir, map[string][]byte{"a.go": []byte("ours: a")}, owns)
		if want := file + " is a file, so no folder can be there: give -o another folder"; err == nil || err.Error() != want {
			t.Errorf("Prepare(%s) = %v, want %s", dir, err, want)
		}
	}
}

func TestWriteStaysInItsDirectory(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "dir")
	plan, err := output.Prepare(dir, map[string][]byte{filepath.Join("..", "evil.go"): []byte("ours: a")}, owns)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := output.Write([]*output.Plan{plan}); err == nil {
		t.Error("Write() has left its directory")
	}
	if diff := cmp.Diff([]string{"dir"}, names(t, parent)); diff != "" {
		t.Errorf("files beside the directory (-want +got):\n%s", diff)
	}
}

func TestWriteLeavesNothingBehindWhenItFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plan, err := output.Prepare(dir, map[string][]byte{"a.go": []byte("ours: a"), "b.go": []byte("ours: b")}, owns)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "b.go", "x"), 0o700); err != nil { // since Prepare has looked
		t.Fatal(err)
	}
	if _, err := output.Write([]*output.Plan{plan}); err == nil {
		t.Error("Write() has replaced a folder")
	}
	for _, name := range names(t, dir) {
		if strings.HasSuffix(name, ".tmp") {
			t.Errorf("%s is left behind", name)
		}
	}
}

func TestWriteChangesNothingWhereALaterPlanCannotBeCarriedOut(t *testing.T) {
	t.Parallel()
	good, bad := t.TempDir(), filepath.Join(t.TempDir(), "taken")
	write(t, good, map[string][]byte{"a.go": []byte("ours: 1")})
	var plans []*output.Plan
	for _, dir := range []string{good, bad} {
		plan, err := output.Prepare(dir, map[string][]byte{"a.go": []byte("ours: 2"), "b.go": []byte("ours: 2")}, owns)
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, plan)
	}
	if err := os.WriteFile(bad, nil, 0o600); err != nil { // since Prepare has looked
		t.Fatal(err)
	}
	done, err := output.Write(plans)
	if err == nil || done != (output.Done{}) {
		t.Errorf("Write() = %v, %v, want an error and nothing done", done, err)
	}
	if diff := cmp.Diff(map[string]string{"a.go": "ours: 1"}, contents(t, good)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestWriteTakesTheLongestNamesThereAre(t *testing.T) {
	t.Parallel()
	const suffix = ".changeset.go"
	longest := 255 - len(suffix) // of every file system that matters
	for name, fits := range map[string]bool{
		"x" + suffix: true, strings.Repeat("x", longest) + suffix: true, strings.Repeat("x", longest+1) + suffix: false,
	} {
		dir := filepath.Join(t.TempDir(), "new")
		plan, err := output.Prepare(dir, map[string][]byte{"a.go": []byte("ours: a"), name: []byte("ours: a")}, owns)
		if err == nil {
			_, err = output.Write([]*output.Plan{plan})
		}
		if (err == nil) != fits {
			t.Errorf("a name of %d bytes: %v", len(name), err)
		}
		if found, _ := os.ReadDir(dir); (len(found) > 0) != fits {
			t.Errorf("a name of %d bytes leaves %v", len(name), found)
		}
	}
}

func TestDifferencesAreWhatWriteWouldChange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string][]byte{"same.go": []byte("ours: 1\n"), "stale.go": []byte("ours: 1\n"), "dos.go": []byte("ours: 1\r\n")})
	plan, err := output.Prepare(dir, map[string][]byte{
		"same.go": []byte("ours: 1\n"), "stale.go": []byte("ours: 2\n"), "dos.go": []byte("ours: 1\n"), "new.go": []byte("ours: 1\n"),
	}, owns)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(filepath.ToSlash(dir), "/")
	fresh, stale := filepath.Join(dir, "new.go"), filepath.Join(dir, "stale.go")
	want := []output.Difference{
		{Path: fresh, Kind: output.IsMissing, Unified: []byte("diff /dev/null b/" + name + "/new.go\n--- /dev/null\n+++ b/" + name + "/new.go\n@@ -0,0 +1,1 @@\n+ours: 1\n")},
		{Path: stale, Kind: output.IsStale, Unified: []byte("diff a/" + name + "/stale.go b/" + name + "/stale.go\n--- a/" + name + "/stale.go\n+++ b/" + name + "/stale.go\n@@ -1,1 +1,1 @@\n-ours: 1\n+ours: 2\n")},
	}
	if diff := cmp.Diff(want, plan.Differences()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOthersAreTheRegularFilesThatAreNotMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string][]byte{"made.go": nil, "other.go": []byte("x"), "other.txt": nil})
	if err := os.Mkdir(filepath.Join(dir, "folder.go"), 0o700); err != nil {
		t.Fatal(err)
	}
	isGo := func(name string) bool { return filepath.Ext(name) == ".go" }
	got, err := output.Others(dir, map[string][]byte{"made.go": nil}, isGo)
	if diff := cmp.Diff(map[string][]byte{"other.go": []byte("x")}, got); diff != "" || err != nil {
		t.Errorf("Others() has the error %v (-want +got):\n%s", err, diff)
	}
	if got, err := output.Others(filepath.Join(dir, "nowhere"), nil, isGo); len(got) > 0 || err != nil {
		t.Errorf("Others() of a folder that is not there = %v, %v", got, err)
	}
	if _, err := output.Others(filepath.Join(dir, "other.go"), nil, isGo); err == nil {
		t.Error("Others() of a file has no error")
	}
}

func TestDoneCountsInPlainWords(t *testing.T) {
	t.Parallel()
	for want, done := range map[string]output.Done{
		"wrote 0 files, 3 unchanged": {Unchanged: 3},
		"wrote 1 file, 0 unchanged":  {Written: 1},
		"wrote 2 files, 1 unchanged": {Written: 2, Unchanged: 1},
	} {
		if got := done.String(); got != want {
			t.Errorf("%#v is %q, want %q", done, got, want)
		}
	}
}

// write prepares and writes files.
func write(t *testing.T, dir string, files map[string][]byte) output.Done {
	t.Helper()
	plan, err := output.Prepare(dir, files, owns)
	if err != nil {
		t.Fatalf("Prepare: %v", err)
	}
	done, err := output.Write([]*output.Plan{plan})
	if err != nil {
		t.Fatalf("Write: %v", err)
	}
	return done
}

func stat(t *testing.T, dir, name string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range names(t, dir) {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(content)
	}
	return files
}
