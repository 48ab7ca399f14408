package profile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/changesetgen/changesetgen/bench/internal/profile"
)

func TestAProfileIsWritten(t *testing.T) { // not in parallel: a process has one at a time
	path := filepath.Join(t.TempDir(), "profile")
	stop, err := profile.Start(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := profile.Start(path + " of another"); err == nil {
		t.Error("a second profile has begun")
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("there is no profile: %v", err)
	}
}

func TestNoProfileIsAskedFor(t *testing.T) {
	t.Parallel()
	stop, err := profile.Start("")
	if err != nil || stop() != nil {
		t.Errorf("%v", err)
	}
}
