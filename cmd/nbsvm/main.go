// Command nbsvm trains and runs text classifiers; see nbsvm --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A reader that has gone away (nbsvm score ... | head) is then an error of
	// writing, after which temporary files are removed, not a sudden end.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}
