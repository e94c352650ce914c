package process

import (
	"os"
	"os/signal"
	"syscall"
)

// Hangups delivers SIGHUP until stop is called. The signal then tells a server to read its files anew, and no longer
// ends the process as UntilStopped has it.
func Hangups() (came <-chan os.Signal, stop func()) {
	signal.Ignore(syscall.SIGHUP) // whoever heard of it before does so no longer
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	return hangups, func() { signal.Stop(hangups) }
}
