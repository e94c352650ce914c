//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestLoopStopped: Ctrl-C ends a shell's loop along with the command in it. The shell gets the signal too, and goes
// on unless the command dies of it.
func TestLoopStopped(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	s := withModel(t)
	cmd := exec.CommandContext(t.Context(), bash, "-c", `for i in 1 2 3; do ./nbsvm score m.nbm; echo "went on after $?"; done`)
	cmd.Dir, cmd.SysProcAttr = s.folder, &syscall.SysProcAttr{Setpgid: true}
	if err := os.Symlink(s.path, s.in("nbsvm")); err != nil { // testscript.Main goes by the name
		t.Fatal(err)
	}
	in, out := started(t, cmd)
	converse(t, nopCloser{in}, out, nil)
	must.OK(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGINT))
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
	must.OK(t, os.Symlink(first.Path, filepath.Join(first.Dir, "nbsvm")))
	first.Path = shell
	in, out := started(t, first)
	converse(t, nopCloser{in}, out, stderr)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		must.OK(t, first.Process.Signal(s))
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

// TestNamedPipe asks for the answer to each line before the next is sent, by way of a named pipe.
func TestNamedPipe(t *testing.T) {
	cmd, stderr := command(t, "score", "-o", "pipe", "m.nbm")
	path := filepath.Join(cmd.Dir, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	in, _ := started(t, cmd)
	pipe, err := os.Open(path)
	must.OK(t, err)
	defer pipe.Close()
	out := bufio.NewReader(pipe)
	converse(t, in, out, stderr)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
}

func makePipe(path string) error { return syscall.Mkfifo(path, 0o600) }

// TestWaitsForNothing: what must be a regular file is refused by name if it is a pipe that nobody writes to, or a
// device that never ends.
func TestWaitsForNothing(t *testing.T) {
	t.Parallel()
	s := withModel(t)
	s.documents("t.tsv", 40)
	if err := makePipe(s.in("pipe")); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	for name, to := range map[string]string{"zero": "/dev/zero", "pipe.nbc": "pipe"} {
		must.OK(t, os.Symlink(to, s.in(name)))
	}
	for _, line := range []string{
		"score FILE t.tsv", "eval FILE t.tsv", "explain FILE", "inspect FILE", "verify FILE", "serve FILE",
		"report -o page.html FILE", "export FILE", "quantize -o o.nbm FILE",
		"train --from FILE -o o.nbm t.tsv", "bench score --quick --model-file FILE",
		"score --out-dir dir FILE t.tsv",
		"tag score FILE t.tsv", "tag eval FILE t.tsv",
		"tune -o o.nbm --trials 1 FILE",
		"merge -o o FILE FILE", "score --out-dir dir m.nbm FILE",
	} {
		for _, file := range []string{"pipe", "zero"} {
			args := strings.Fields(strings.ReplaceAll(line, "FILE", file))
			cmd, said := s.command(args...), new(bytes.Buffer)
			cmd.Stderr = said
			must.OK(t, cmd.Start())
			hung := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
			cmd.Wait()
			hung.Stop()
			code, named := cmd.ProcessState.ExitCode(), strings.Contains(said.String(), file)
			if code != exitFailed && code != exitUsage || !named {
				t.Errorf("%s: exit code %d, it says %q", args, code, said)
			}
		}
	}
	if got := files(t, s.folder); got != "m.nbm pipe pipe.nbc t.tsv zero" {
		t.Errorf("files left: %s", got)
	}
}
