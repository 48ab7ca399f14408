package screen

import "golang.org/x/sys/unix"

// forgetTyped drops what was typed at a terminal and not read yet.
func forgetTyped(terminal uintptr) error {
	return unix.IoctlSetInt(int(terminal), unix.TCFLSH, unix.TCIFLUSH)
}
