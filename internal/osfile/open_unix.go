//go:build unix

package osfile

import "syscall"

// dontWait has pipes be opened without a writer.
const dontWait = syscall.O_NONBLOCK
