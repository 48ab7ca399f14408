package pgcluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// memory is the disk in memory, and enough of it for some clusters with what tests write to them.
const (
	memory     = "/dev/shm"
	memoryRoom = 2 << 30
)

func roomInMemory() bool {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(memory, &stat); err != nil {
		return false
	}
	return stat.Bavail*uint64(stat.Bsize) >= memoryRoom
}

// dies lets a process be ended when the thread that started it does, and so at the latest when this process does.
func dies(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGQUIT }

// killChildren ends the processes that a halted process has started, and returns once they have ended: a server that starts again
// refuses to while one of them has its memory still. Nobody else has their numbers as long as their parent is there.
func killChildren(pid int) error {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil && !errors.Is(err, os.ErrNotExist) { // it ended, or this kernel does not tell
		return err
	}
	for _, field := range strings.Fields(string(text)) {
		child, err := strconv.Atoi(field)
		if err == nil {
			err = syscall.Kill(child, syscall.SIGKILL)
		}
		if err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	for _, child := range strings.Fields(string(text)) {
		for isAlive(child) {
			time.Sleep(glance)
		}
	}
	return nil
}

// isAlive tells whether a process has not ended. One that has stays a zombie while its halted parent does not ask for it.
func isAlive(pid string) bool {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	const zombie, dead = "Z", "X"
	_, fields, _ := strings.Cut(string(text), ") ") // behind its name
	state, _, _ := strings.Cut(fields, " ")
	return state != zombie && state != dead
}

// freeMemory frees the piece of shared memory that a killed server left, which its file names by key and id in its seventh
// line. Another start with the same data would do that too.
func freeMemory(data string) error {
	const memoryLine = 6
	text, err := os.ReadFile(filepath.Join(data, stateFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("free the memory of a server: %w", err)
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) <= memoryLine {
		return nil
	}
	var key, id int
	if _, err := fmt.Sscan(lines[memoryLine], &key, &id); err != nil {
		return fmt.Errorf("free the memory of a server: %w", err)
	}
	if _, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("free the memory of a server: %w", err)
	}
	return nil
}
