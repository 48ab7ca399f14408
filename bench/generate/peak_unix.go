//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory is the most memory that a process held at once, in bytes.
func peakMemory(ended *os.ProcessState) int64 {
	used, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	unit := int64(1024)
	if runtime.GOOS == "darwin" { // the one system that counts bytes
		unit = 1
	}
	return int64(used.Maxrss) * unit
}
