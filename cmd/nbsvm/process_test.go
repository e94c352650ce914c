package main

import (
	"bufio"
	"bytes"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// command is nbsvm as a process in a folder of its own, for tests that need more
// than a script gives. Before, a model is trained there, m.nbm.
func command(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := withModel(t).command(args...)
	stderr := new(bytes.Buffer)
	cmd.Stderr = stderr
	return cmd, stderr
}

// withModel is a folder with a model, m.nbm.
func withModel(t *testing.T) *workshop {
	t.Helper()
	return newShop(t, "model", func(s *workshop) {
		s.documents("train.tsv", 60)
		s.run(0, "train", "-q", "--bits", "12", "-o", "m.nbm", "train.tsv")
		os.Remove(s.in("train.tsv"))
	})
}

// started starts a command with pipes to it and from it.
func started(t *testing.T, cmd *exec.Cmd) (io.WriteCloser, *bufio.Reader) {
	t.Helper()
	in, err := cmd.StdinPipe()
	must.OK(t, err)
	out, err := cmd.StdoutPipe()
	must.OK(t, err)
	must.OK(t, cmd.Start())
	return in, bufio.NewReader(out)
}

// files lists a folder.
func files(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must.OK(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// wantDeath wants a process that has ended to have died of a signal, after which shells end their loops.
func wantDeath(t *testing.T, cmd *exec.Cmd, of os.Signal) {
	t.Helper()
	if got, want := cmd.ProcessState.String(), "signal: "+of.String(); got != want {
		t.Errorf("it ended with %q, want %q", got, want)
	}
}

// TestInterrupt ends commands that wait for standard input, or for a pipe that nobody writes to: each dies of the
// signal, after a word about it, with no file, whole or temporary, and what was there as it was.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes can't be sent an interrupt on Windows")
	}
	for k, line := range []string{
		"train -o new.nbm", "train -o m.nbm", "train --on-bad quarantine=bad -o new.nbm", "cv", "eval m.nbm", "explain m.nbm -",
		"score -o rows --on-bad quarantine=bad m.nbm", "export -o matrix m.nbm -",
		"pack --ngrams 1-2 -o new.nbc", "pack --ngrams 1-2 -o m.nbm --on-bad quarantine=bad",
		"train -o o pipe", "train -o o --valid pipe t.tsv", "cv pipe", "pack -o o pipe", "score -o o m.nbm pipe", "eval m.nbm pipe",
		"explain m.nbm pipe", "report -o o.html m.nbm pipe", "tag train -o o pipe",
	} {
		sent := stopping[k%len(stopping)]
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(sent) { // as nohup makes it, which commands respect
				t.Skipf("%v is ignored here", sent)
			}
			s := withModel(t)
			s.documents("t.tsv", 40)
			before := s.tree()
			cmd, stderr := s.command(strings.Fields(line)...), new(bytes.Buffer)
			cmd.Stderr = stderr
			fromPipe := strings.Contains(line, "pipe")
			if fromPipe && makePipe(s.in("pipe")) != nil {
				t.Skip("no named pipes here")
			}
			in, out := started(t, cmd)
			go io.Copy(io.Discard, out)
			if fromPipe { // nothing tells when the process waits for it
				time.Sleep(time.Second)
				if must.RaceEnabled { // and begins slowly
					time.Sleep(3 * time.Second)
				}
			}
			// More than a pipe holds: when it is written, some has been read.
			for k := 0; k < 4000 && !fromPipe; k++ {
				if _, err := io.WriteString(in, "cooking\toven broth ladle and more of it\n"); err != nil {
					t.Fatal(err)
				}
			}
			must.OK(t, cmd.Process.Signal(sent))
			hung := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
			cmd.Wait()
			hung.Stop()
			wantDeath(t, cmd, sent)
			if !strings.Contains(stderr.String(), "nbsvm: interrupted; no output file was written") {
				t.Errorf("it says %q", stderr)
			}
			os.Remove(s.in("pipe"))
			if after := s.tree(); !maps.Equal(before, after) {
				t.Errorf("files are %v", slices.Sorted(maps.Keys(after)))
			}
		})
	}
}

// converse sends lines, each once that before is answered, and ends the input.
func converse(t *testing.T, in io.WriteCloser, out *bufio.Reader, stderr *bytes.Buffer) {
	t.Helper()
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
}

// TestBadRecordOnPipe: a bad record ends a command at once, though nobody ends its input.
func TestBadRecordOnPipe(t *testing.T) {
	for _, line := range []string{
		"score --format jsonl m.nbm", "eval --format jsonl m.nbm",
		"explain --format jsonl m.nbm -", "train --format jsonl -o new.nbm", "pack --format jsonl -o new.nbc",
		"score --format svmlight m.nbm", // which is for other models
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			cmd, stderr := command(t, strings.Fields(line)...)
			in, out := started(t, cmd)
			go io.Copy(io.Discard, out)
			// Training reads as much as it holds at once.
			for range 1 << 20 / 20 {
				if _, err := io.WriteString(in, "{\"text\":\"1 1:2\",\n1 1:2\n"); err != nil {
					break
				}
			}
			cmd.Wait() // or for ever
			if code := cmd.ProcessState.ExitCode(); code != 1 || stderr.Len() == 0 {
				t.Errorf("exit code %d, want 1: %s", code, stderr)
			}
			in.Close()
		})
	}
}

// TestReaderGone closes standard output after one row: no message, no error, and
// the temporary file of the quarantine is gone.
func TestReaderGone(t *testing.T) {
	cmd, stderr := command(t, "score", "--format", "lines", "--on-bad", "quarantine=bad", "m.nbm")
	out, to, err := os.Pipe()
	must.OK(t, err)
	cmd.Stdout = to
	in, err := cmd.StdinPipe()
	must.OK(t, err)
	must.OK(t, cmd.Start())
	to.Close()
	io.WriteString(in, "oven broth\n")
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	out.Close()
	io.WriteString(in, "anchor keel\n") // its row can't be written
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v: %s", err, stderr)
	}
	in.Close()
	if got := files(t, cmd.Dir); got != "m.nbm" {
		t.Errorf("files left: %s", got)
	}
}
