// Package machine says what something was measured on.
package machine

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Describe names the system, the processor, and the file system that dir is on, as far as the system tells.
func Describe(dir string) string {
	return fmt.Sprintf("%s, %s/%s, %d cores%s%s", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
		prefixed(" of ", processor()), prefixed("; files on ", FileSystem(dir)))
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// processor is the model that Linux tells; "" elsewhere.
func processor() (model string) {
	eachLine("/proc/cpuinfo", func(line string) {
		if name, value, found := strings.Cut(line, ":"); found && model == "" && strings.TrimSpace(name) == "model name" {
			model = strings.TrimSpace(value)
		}
	})
	return model
}

// FileSystem is the type of the file system of dir, as Linux tells; "" elsewhere.
func FileSystem(dir string) (kind string) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	longest := 0
	eachLine("/proc/self/mounts", func(line string) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			return
		}
		at := fields[1]
		if at != "/" && dir != at && !strings.HasPrefix(dir, at+"/") {
			return
		}
		if len(at) >= longest { // of two at the same place, the later hides the earlier
			longest, kind = len(at), fields[2]
		}
	})
	return kind
}

// eachLine gives the lines of a file, as far as it can be read.
func eachLine(path string, give func(string)) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		give(lines.Text())
	}
}
