package sqlite

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The bytes of the index of a log that the engine locks for as long as it reads one state of a database.
const (
	firstReaderByte = 123
	lastReaderByte  = 127
)

// readersOfLog are the processes that read a state of the ledger at path, each by its number and name. They are asked of the
// system: opening the index of the log, and closing it again, would drop this process's own locks on it.
func readersOfLog(path string) []string {
	info, err := os.Stat(path + indexEnding)
	if err != nil {
		return nil
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	locks, err := os.ReadFile("/proc/locks")
	if !ok || err != nil {
		return nil
	}
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(stat.Dev)), unix.Minor(uint64(stat.Dev)), stat.Ino)
	var readers []string
	for line := range strings.Lines(string(locks)) {
		if process, ok := readerIn(strings.Fields(line), file); ok {
			readers = append(readers, nameOfProcess(process))
		}
	}
	slices.Sort(readers)
	return slices.Compact(readers)
}

// readerIn is the process of a line of locks, as "1: POSIX ADVISORY READ 4711 08:01:42 124 124", if that is one of a reader
// of that file.
func readerIn(fields []string, file string) (process string, ok bool) {
	if len(fields) != 8 || fields[3] != "READ" || fields[5] != file {
		return "", false
	}
	first, err := strconv.Atoi(fields[6])
	if err != nil || first > lastReaderByte {
		return "", false
	}
	last, err := strconv.Atoi(fields[7])
	return fields[4], err == nil && last >= firstReaderByte
}

func nameOfProcess(process string) string {
	if process == strconv.Itoa(os.Getpid()) {
		return "this process"
	}
	name, err := os.ReadFile("/proc/" + process + "/comm")
	if err != nil {
		return process
	}
	return process + " (" + strings.TrimSpace(string(name)) + ")"
}
