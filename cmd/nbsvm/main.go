// Command nbsvm trains and runs text classifiers; see nbsvm --help.
package main

import (
	"context"
	"os"

	"github.com/seed-167f963f/nbsvm/internal/process"
)

func main() {
	process.Prepare()
	process.Exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}
