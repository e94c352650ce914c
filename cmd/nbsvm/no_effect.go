package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/alecthomas/kong"
	"github.com/seed-167f963f/nbsvm/packed"
)

// learners are the commands for which documents may have weights.
var learners = []string{"train", "cv", "pack", "solve"}

// tellNoEffect tells of flags that have no effect for the command, although it shares them with others: the same
// flags may be given to all.
func tellNoEffect(parsed *kong.Context, stderr io.Writer) {
	command := parsed.Selected()
	packed := onlyPacked(parsed)
	for _, part := range parsed.Path {
		switch {
		case part.Flag == nil:
		case part.Flag.Name == "weight-field" && !slices.Contains(learners, command.Name):
			fmt.Fprintf(stderr, "nbsvm: --weight-field is for training: %s takes every document alike\n", command.Name)
		case packed != "" && slices.Contains(readingFlags, part.Flag.Name):
			fmt.Fprintf(stderr, "nbsvm: --%s has no effect on %s, which is a packed corpus: it is for files that are read, give it to nbsvm pack\n", part.Flag.Name, packed)
		}
	}
}

// readingFlags say how files of records are read.
var readingFlags = []string{"format", "text-field", "label-field", "weight-field", "header", "delimiter", "label-sep", "on-bad", "max-record"}

// onlyPacked is a packed corpus if the command reads nothing but such; else it is empty.
func onlyPacked(parsed *kong.Context) (path string) {
	notPacked := func(path string) bool { return !packed.Is(path) }
	for _, argument := range parsed.Selected().Positional {
		if inputs, are := argument.Target.Interface().([]string); are && argument.Name == "input" && len(inputs) > 0 && !slices.ContainsFunc(inputs, notPacked) {
			path = inputs[0]
		}
	}
	for _, part := range parsed.Path {
		if part.Flag != nil && part.Flag.Name == "valid" && slices.ContainsFunc(validPaths(part.Flag), notPacked) {
			return ""
		}
	}
	return path
}
