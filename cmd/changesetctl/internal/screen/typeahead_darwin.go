package screen

import "golang.org/x/sys/unix"

// whatIsRead is FREAD of the system: the queue of what was typed.
const whatIsRead = 1

// forgetTyped drops what was typed at a terminal and not read yet.
func forgetTyped(terminal uintptr) error {
	return unix.IoctlSetPointerInt(int(terminal), unix.TIOCFLUSH, whatIsRead)
}
