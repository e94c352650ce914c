//go:build unix

package regular

import "syscall"

// dontWait has pipes be opened without a writer.
const dontWait = syscall.O_NONBLOCK
