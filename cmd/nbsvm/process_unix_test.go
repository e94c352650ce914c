//go:build !windows

package main

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
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
	for range 3 {
		for text, label := range map[string]string{"oven broth\n": "cooking\t", "anchor keel\n": "sailing\t"} {
			if _, err := io.WriteString(in, text); err != nil {
				t.Fatal(err)
			}
			row, err := out.ReadString('\n')
			if err != nil || !strings.HasPrefix(row, label) {
				t.Fatalf("%q gives %q, %v; %s", text, row, err, stderr)
			}
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
}
