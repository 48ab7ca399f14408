package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// usage is what a process took.
type usage struct {
	wall time.Duration
	peak int64 // the most memory that it held at once, in bytes; 0 where the system does not say
}

// start runs a process to its end, in a folder and with more in its environment.
func start(dir string, env []string, name string, args ...string) (usage, error) {
	process := exec.Command(name, args...)
	process.Dir = dir
	process.Env = append(os.Environ(), env...)
	var output bytes.Buffer
	process.Stdout, process.Stderr = &output, &output
	begin := time.Now()
	err := process.Run()
	took := time.Since(begin)
	if err != nil {
		return usage{}, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, &output)
	}
	return usage{wall: took, peak: peakMemory(process.ProcessState)}, nil
}
