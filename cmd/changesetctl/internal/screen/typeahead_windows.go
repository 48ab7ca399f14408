package screen

import "golang.org/x/sys/windows"

// forgetTyped drops what was typed at a terminal and not read yet.
func forgetTyped(terminal uintptr) error {
	return windows.FlushConsoleInputBuffer(windows.Handle(terminal))
}
