package main

import (
	"errors"
	"slices"

	"github.com/alecthomas/kong"
)

// learners are the commands for which documents may have weights.
var learners = []string{"train", "cv", "pack", "solve"}

// refuseNoEffect refuses flags that have no effect for the command, although it shares them with others.
func refuseNoEffect(parsed *kong.Context) error {
	command := parsed.Selected()
	for _, part := range parsed.Path {
		if part.Flag == nil || part.Flag.Name != "weight-field" || slices.Contains(learners, command.Name) {
			continue
		}
		return usageError{errors.New("--weight-field is for training: " + command.Name + " takes every document alike; leave it out")}
	}
	return nil
}
