// Package process is about what the system and the shell do to a process: signals that end it, readers that go away,
// and the memory that it has taken.
package process

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
)

// codeStopped and the number of a signal are the exit code of a command that the signal has stopped, as shells tell it.
const codeStopped = 128

// Stopping are the signals that ask a command to end: Ctrl-C, a terminal that is gone, and what kill sends.
var Stopping = []os.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM}

// stopped is why a context was cancelled: a signal came.
type stopped struct{ signal syscall.Signal }

func (s stopped) Error() string { return s.signal.String() }

// Prepare sets what holds for the whole process.
func Prepare() {
	// A reader that has gone away (nbsvm score ... | head) is then an error of
	// writing, after which temporary files are removed, not a sudden end.
	signal.Ignore(syscall.SIGPIPE)
	// A panic that nobody catches, of another goroutine, or an error of Go's runtime ends in SIGABRT where there are
	// signals. Otherwise it would exit with code 2, which means wrong usage.
	debug.SetTraceback("crash")
}

// UntilStopped returns a context that ends when a signal asks the process to end, so that it can clean up. A second
// signal ends the process at once. Signals that whoever started the process has it ignore stay ignored, as those of
// jobs in the background of a script or after nohup.
func UntilStopped(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	came := make(chan os.Signal, 1)
	for _, s := range Stopping {
		if !signal.Ignored(s) {
			signal.Notify(came, s)
		}
	}
	go func() {
		select {
		case s := <-came:
			signal.Stop(came)
			cancel(stopped{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(came)
		cancel(nil)
	}
}

// ExitCode returns the exit code of a command that would end with this one, had no signal stopped it.
func ExitCode(ctx context.Context, code int) int {
	if s, ok := errors.AsType[stopped](context.Cause(ctx)); ok {
		return codeStopped + int(s.signal)
	}
	return code
}

// Exit ends the process. If a signal has stopped it, it dies of that: only so does a shell end the loop or the script
// that the command is part of. The first process of a container can't die of its own signals, and Windows has none.
func Exit(code int) {
	if s := syscall.Signal(code - codeStopped); s > 0 && os.Getpid() != 1 && raise(s) == nil {
		time.Sleep(time.Second) // it may take another thread a moment
	}
	os.Exit(code)
}
