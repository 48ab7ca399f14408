package sqlite

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

func TestNetworkFileSystemsAreRefusedAndUnknownOnesReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		found   fileSystem
		refused bool
		warned  bool
	}{
		{fileSystem{name: "NFS", reach: networked}, true, false},
		{fileSystem{name: "fuse.mine", reach: unsure}, false, true},
		{fileSystem{reach: local}, false, false},
	} {
		var log bytes.Buffer
		err := c.found.judge("ledger.db", slog.New(slog.NewTextHandler(&log, nil)))
		if errors.Is(err, ledger.ErrUnsupported) != c.refused {
			t.Errorf("%+v: %v, want refused: %v", c.found, err, c.refused)
		}
		if warned := strings.Contains(log.String(), "level=WARN"); warned != c.warned {
			t.Errorf("%+v: log %q, want a warning: %v", c.found, log.String(), c.warned)
		}
	}
}
