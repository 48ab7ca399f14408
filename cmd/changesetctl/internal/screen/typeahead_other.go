//go:build !linux && !darwin && !windows

package screen

// forgetTyped does nothing: it is not known how on this system.
func forgetTyped(uintptr) error { return nil }
