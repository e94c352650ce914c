package main

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

// stopping are the signals that ask a command to end: Ctrl-C, a terminal that is gone, and what kill sends.
var stopping = []os.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM}

// stopped is why a context was cancelled: a signal came.
type stopped struct{ signal syscall.Signal }

func (s stopped) Error() string { return s.signal.String() }

// prepareProcess sets what holds for the whole process.
func prepareProcess() {
	// A reader that has gone away (nbsvm score ... | head) is then an error of
	// writing, after which temporary files are removed, not a sudden end.
	signal.Ignore(syscall.SIGPIPE)
	// A panic that nobody catches, of another goroutine, or an error of Go's runtime ends in SIGABRT where there are
	// signals. Otherwise it would exit with code 2, which means wrong usage.
	debug.SetTraceback("crash")
}

// untilStopped returns a context that ends when a signal asks the process to end, so that it can clean up. A second
// signal ends the process at once. Signals that whoever started the process has it ignore stay ignored, as those of
// jobs in the background of a script or after nohup.
func untilStopped(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	came := make(chan os.Signal, 1)
	for _, s := range stopping {
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

// exitCode returns the exit code of a command that would end with this one, had no signal stopped it.
func exitCode(ctx context.Context, code int) int {
	if s, ok := errors.AsType[stopped](context.Cause(ctx)); ok {
		return codeStopped + int(s.signal)
	}
	return code
}

// exit ends the process. If a signal has stopped it, it dies of that: only so does a shell end the loop or the script
// that the command is part of. The first process of a container can't die of its own signals, and Windows has none.
func exit(code int) {
	if s := syscall.Signal(code - codeStopped); s > 0 && os.Getpid() != 1 && raise(s) == nil {
		time.Sleep(time.Second) // it may take another thread a moment
	}
	os.Exit(code)
}

// hangups delivers SIGHUP until stop is called. The signal then tells a server to read its files anew, and no longer
// ends the process as untilStopped has it.
func hangups() (came <-chan os.Signal, stop func()) {
	signal.Ignore(syscall.SIGHUP) // whoever heard of it before does so no longer
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	return hangups, func() { signal.Stop(hangups) }
}

// leastHeap is what the collector is not asked to keep below: it would do nothing else.
const leastHeap = 128 << 20

// keepHeap lets the collector work harder rather than the heap grow beyond so many bytes, if
// that is not 0, until what it returns is called.
func keepHeap(memory int64) (restore func()) {
	if memory == 0 {
		return func() {}
	}
	before := debug.SetMemoryLimit(max(memory, leastHeap))
	return func() { debug.SetMemoryLimit(before) }
}
