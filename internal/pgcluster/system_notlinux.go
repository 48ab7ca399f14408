//go:build !linux

package pgcluster

import "syscall"

// memory is none: what is mounted there differs from system to system.
const memory = ""

func roomInMemory() bool { return false }

// dies does nothing: here the server ends itself, within a minute, when it finds its directory removed.
func dies(*syscall.SysProcAttr) {}

// killChildren does nothing: those of a server end themselves when they find it gone.
func killChildren(int) error { return nil }

// freeMemory does nothing: the piece of shared memory that a killed server leaves stays until its data is used again.
func freeMemory(string) error { return nil }
