package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSameFilesListsEqualDirectories(t *testing.T) {
	t.Parallel()
	files := map[string]string{"b": "2", "a": "1"}
	names, err := sameFiles(directory(t, files), directory(t, files))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestSameFilesSaysWhatDiffers(t *testing.T) {
	t.Parallel()
	want := directory(t, map[string]string{"a": "1", "b": "2"})
	for _, test := range []struct {
		name    string
		got     map[string]string
		message string
	}{
		{"a file too few", map[string]string{"a": "1"}, "expected the files a, b, got a"},
		{"a file too many", map[string]string{"a": "1", "b": "2", "c": "3"}, "got a, b, c"},
		{"another content", map[string]string{"a": "1", "b": "3"}, filepath.Join(want, "b")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := sameFiles(directory(t, test.got), want)
			if err == nil || !strings.Contains(err.Error(), test.message) {
				t.Errorf("got the error %v, want one that says %s", err, test.message)
			}
		})
	}
}

// directory is a new directory with those files.
func directory(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
