//go:build !unix

package pgcluster

import "syscall"

// supported says that there are no clusters here, so that nothing below is reached.
const supported = false

const (
	shutDownNow = syscall.SIGINT
	halt        = syscall.SIGKILL
)

func apart() *syscall.SysProcAttr { return nil }

func runBy(account) *syscall.SysProcAttr { return nil }
