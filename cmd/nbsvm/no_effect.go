package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/alecthomas/kong"
)

// learners are the commands for which documents may have weights.
var learners = []string{"train", "cv", "pack", "solve"}

// tellNoEffect tells of flags that have no effect for the command, although it shares them with others: the same
// flags may be given to all.
func tellNoEffect(parsed *kong.Context, stderr io.Writer) {
	command := parsed.Selected()
	for _, part := range parsed.Path {
		if part.Flag != nil && part.Flag.Name == "weight-field" && !slices.Contains(learners, command.Name) {
			fmt.Fprintf(stderr, "nbsvm: --weight-field is for training: %s takes every document alike\n", command.Name)
		}
	}
}
