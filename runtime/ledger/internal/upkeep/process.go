package upkeep

import (
	"os"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// ThisProcess is the process that calls, as it is written down beside its registration. A machine that does not say what it is
// called has no name there.
func ThisProcess() ledger.Process {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return ledger.Process{Host: host, PID: os.Getpid()}
}
