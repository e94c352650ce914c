//go:build !js

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
)

func main() {
	if err := stream(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// stream answers for each line of a reader.
func stream(args []string, r io.Reader, w io.Writer) error {
	if len(args) < 1 || len(args) > 3 {
		return fmt.Errorf("nbsvm: give a model and, if you like, numbers of classes and of contributions; got %q", args)
	}
	counts := [2]int{1, 0} // classes, contributions
	for k, arg := range args[1:] {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 0 {
			return fmt.Errorf("nbsvm: numbers of classes and of contributions must be 0 or more, got %q", arg)
		}
		counts[k] = n
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	a, err := open(data)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	lines, out := bufio.NewReaderSize(r, 1<<16), bufio.NewWriter(w)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if len(line) > 0 {
			found, err := a.answer(bytes.TrimSuffix(line, []byte("\n")), counts[0], counts[1])
			if err != nil {
				return err
			}
			out.Write(append(found, '\n')) // Flush tells of errors
		}
		if err == io.EOF {
			return out.Flush()
		}
	}
}
