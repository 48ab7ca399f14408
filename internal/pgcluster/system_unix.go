//go:build unix

package pgcluster

import "syscall"

const supported = true

// What a server is told to do.
const (
	shutDownNow = syscall.SIGINT // ends connections, and writes down all that is left to write
	halt        = syscall.SIGSTOP
)

// apart lets a process outlive what is sent to the others of this process's group, such as an interrupt from a terminal.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// runBy is apart, as the user of the servers.
func runBy(a account) *syscall.SysProcAttr {
	attributes := apart()
	if a.changes {
		attributes.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attributes
}
