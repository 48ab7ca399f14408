package machine_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/bench/internal/machine"
)

func TestAMachineIsDescribedByWhatRunsOnIt(t *testing.T) {
	t.Parallel()
	got := machine.Describe(t.TempDir())
	if !strings.HasPrefix(got, runtime.Version()+", "+runtime.GOOS+"/") {
		t.Errorf("got %q", got)
	}
	if runtime.GOOS == "linux" && !strings.Contains(got, "; files on ") {
		t.Errorf("%q does not name the file system", got)
	}
}
