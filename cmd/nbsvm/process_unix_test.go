//go:build !windows

package main

import (
	"bufio"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestLineBuffered asks for the answer to each line before the next is sent, by way
// of a named pipe, behind which there is a buffer.
func TestLineBuffered(t *testing.T) {
	cmd, stderr := command(t, "score", "--line-buffered", "-o", "pipe", "m.nbm")
	path := filepath.Join(cmd.Dir, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	in, _ := started(t, cmd)
	pipe, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	out := bufio.NewReader(pipe)
	converse(t, in, out, stderr)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
}
