package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitBad    = 3 // finished, but some records or files were bad

	exitCrashed = 70 // a fault of the program; sysexits.h calls it EX_SOFTWARE
)

// crashed tells that the program is at fault, and returns its exit code.
func crashed(fault any, stderr io.Writer) int {
	fmt.Fprintf(stderr, "nbsvm: a fault of nbsvm, not of how it was called: %v\n\n%s\n"+
		"Please report it with the lines above, the command, and what nbsvm version prints:\n"+
		"https://github.com/seed-167f963f/nbsvm/issues\n", fault, debug.Stack())
	return exitCrashed
}

// badRecords says that a command finished although some records were bad.
type badRecords struct{ n int64 }

func (b badRecords) Error() string { return wording.Some(b.n, "bad record") }

// isBadRecords tells whether that is all there is to an error.
func isBadRecords(err error) bool {
	_, ok := errors.AsType[badRecords](err)
	return ok
}

// usageError is a mistake in how the command was called.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// explainExit prints an error and chooses the exit code.
func explainExit(err error, stderr io.Writer) int {
	_, usage := errors.AsType[usageError](err)
	switch {
	case err == nil:
		return exitDone
	case usage:
		fmt.Fprintln(stderr, message(err))
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "nbsvm: interrupted; no output file was written")
		return exitFailed
	case isBadRecords(err):
		return exitBad // the summary of bad records has been printed
	}
	for _, err := range eachError(err) {
		fmt.Fprintln(stderr, message(err)+remedy(err))
	}
	return exitFailed
}

// eachError has the errors that errors.Join has made one of.
func eachError(err error) (all []error) {
	of, is := err.(interface{ Unwrap() []error })
	if !is {
		return []error{err}
	}
	var lines []string
	for _, err := range of.Unwrap() {
		all = append(all, eachError(err)...)
		lines = append(lines, err.Error())
	}
	if strings.Join(lines, "\n") != err.Error() {
		return []error{err}
	}
	return all
}

// message is an error as the command's own.
func message(err error) string { return "nbsvm: " + wording.Plain(pathFirst(err)) }

// messages passes lines for users on to standard error, as the command's own messages.
func messages(stderr io.Writer) io.Writer {
	return writerFunc(func(line []byte) (int, error) {
		_, err := io.WriteString(stderr, message(errors.New(string(line))))
		return len(line), err
	})
}
