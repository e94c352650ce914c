//go:build !windows

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestLoopStopped: Ctrl-C ends a shell's loop along with the command in it. The shell gets the signal too, and goes
// on unless the command dies of it.
func TestLoopStopped(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	first, _ := command(t, "score", "m.nbm")
	cmd := exec.CommandContext(t.Context(), bash, "-c", `for i in 1 2 3; do ./nbsvm score m.nbm; echo "went on after $?"; done`)
	cmd.Dir, cmd.SysProcAttr = first.Dir, &syscall.SysProcAttr{Setpgid: true}
	if err := os.Symlink(first.Path, filepath.Join(first.Dir, "nbsvm")); err != nil { // testscript.Main goes by the name
		t.Fatal(err)
	}
	in, out := started(t, cmd)
	converse(t, nopCloser{in}, out, nil)
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	in.Close() // which ends those that the loop might start
	rest, _ := io.ReadAll(out)
	cmd.Wait()
	wantDeath(t, cmd, os.Interrupt)
	if len(rest) > 0 {
		t.Errorf("the loop said %q", rest)
	}
}

// nopCloser is a writer that stays open.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// TestIgnoredSignals: signals that a command was started to ignore, as shells start jobs in the background, don't
// stop it.
func TestIgnoredSignals(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	first, stderr := command(t, "score", "m.nbm")
	first.Args = []string{"sh", "-c", `trap "" INT HUP; exec ./nbsvm score m.nbm`}
	if err := os.Symlink(first.Path, filepath.Join(first.Dir, "nbsvm")); err != nil {
		t.Fatal(err)
	}
	first.Path = shell
	in, out := started(t, first)
	converse(t, nopCloser{in}, out, stderr)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if err := first.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	converse(t, in, out, stderr)
	if err := first.Wait(); err != nil {
		t.Errorf("%v: %s", err, stderr)
	}
}

// TestSecondSignal: a command that can't clean up, as nobody reads what it has to write, is ended by a second signal.
func TestSecondSignal(t *testing.T) {
	cmd, _ := command(t, "score", "m.nbm")
	in, _ := started(t, cmd)
	go func() {
		for { // until it is gone
			if _, err := io.WriteString(in, "oven broth ladle\n"); err != nil {
				return
			}
		}
	}()
	time.Sleep(500 * time.Millisecond)
	ended := make(chan struct{})
	go func() {
		cmd.Process.Wait()
		close(ended)
	}()
	for range 2 {
		cmd.Process.Signal(syscall.SIGTERM)
		time.Sleep(200 * time.Millisecond)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("it lives on after two signals")
		cmd.Process.Kill()
	}
}

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
