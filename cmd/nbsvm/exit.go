package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/facts"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitBad    = 3 // finished, but bad records were left out
	exitFiles  = 4 // finished, but whole files were left out

	exitCrashed = 70 // a fault of the program; sysexits.h calls it EX_SOFTWARE
)

// crashed reports a bug of the program and returns the exit code for it.
func crashed(fault any, stderr io.Writer) int {
	fmt.Fprintf(stderr, "nbsvm: this is a bug in nbsvm: %v\n\n%s\n"+
		"Please report it with the lines above, the command, and the output of nbsvm version:\n"+
		"https://github.com/seed-167f963f/nbsvm/issues\n", fault, debug.Stack())
	return exitCrashed
}

// badRecords says that a command finished although some records were bad.
type badRecords struct{ n int64 }

func (b badRecords) Error() string { return display.Some(b.n, "bad record") }

// badFiles says that a command finished, but left bad files out. No flag for bad records hides it.
type badFiles struct{ n int }

func (b badFiles) Error() string { return display.Some(b.n, "bad file") }

// isBadRecords reports whether an error only says that there were bad records.
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
	_, files := errors.AsType[badFiles](err)
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
	case files:
		return exitFiles // they have been named
	}
	for _, err := range eachError(err) {
		fmt.Fprintln(stderr, message(err)+remedy(err))
	}
	return exitFailed
}

// eachError takes apart what errors.Join has joined.
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

// message returns an error as the command's own.
func message(err error) string { return "nbsvm: " + facts.Plain(pathFirst(err)) }

// messages passes lines for users on to standard error, as the command's own messages.
func messages(stderr io.Writer) io.Writer {
	return writerFunc(func(line []byte) (int, error) {
		_, err := io.WriteString(stderr, message(errors.New(string(line))))
		return len(line), err
	})
}

// remedy returns what to do about an error that does not say so itself: a bad record, or what the operating system
// refuses in words that end the message. It is empty for other errors.
func remedy(err error) string {
	if what := facts.Remedy(err); what != "" {
		return what
	}
	refused, is := errors.AsType[syscall.Errno](err)
	if !is || !strings.HasSuffix(err.Error(), refused.Error()) {
		return ""
	}
	path, _ := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(refused, fs.ErrNotExist) && path != nil && path.Path == "-":
		return "; this file can't come from standard input: name one"
	case errors.Is(refused, fs.ErrNotExist):
		return "; check its name and the current folder"
	case errors.Is(refused, fs.ErrPermission):
		return "; change its permissions, or name another file"
	case refused == syscall.ENOTDIR:
		return ": part of the path is a file, not a folder; use another path"
	case refused == syscall.ENAMETOOLONG:
		return "; use a shorter name"
	case refused == syscall.ENOSPC:
		return "; free some space, or write elsewhere"
	case refused == syscall.EROFS:
		return "; write elsewhere"
	}
	return ""
}

// pathFirst returns the text of an error, with the path of a file in front of what is wrong with it, and without the
// call of the operating system that said so.
func pathFirst(err error) string {
	text := err.Error()
	if refused, is := errors.AsType[*fs.PathError](err); is {
		text = strings.Replace(text, refused.Error(), refused.Path+": "+refused.Err.Error(), 1)
	}
	return text
}
