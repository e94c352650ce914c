// Command nbsvm trains and runs text classifiers; see nbsvm --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	prepare()
	exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// prepare sets what holds for the whole process.
func prepare() {
	// A reader that has gone away (nbsvm score ... | head) is then an error of
	// writing, after which temporary files are removed, not a sudden end.
	signal.Ignore(syscall.SIGPIPE)
	// A panic that run does not catch, of another goroutine, or an error of Go's runtime ends in SIGABRT where there
	// are signals. Otherwise it would exit with code 2, which means wrong usage.
	debug.SetTraceback("crash")
}
