// Command nbsvm trains and runs text classifiers; see nbsvm --help.
package main

import (
	"context"
	"os"
)

func main() {
	prepareProcess()
	exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}
