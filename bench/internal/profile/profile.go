// Package profile writes what a program spends the processor's time on.
package profile

import (
	"errors"
	"os"
	"runtime/pprof"
)

// Start begins a profile in the file at path, which stop completes. With "" there is none.
func Start(path string) (stop func() error, err error) {
	if path == "" {
		return func() error { return nil }, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return file.Close()
	}, nil
}
