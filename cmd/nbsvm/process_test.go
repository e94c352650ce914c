package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/base/process"
)

// command is nbsvm as a process in a folder of its own, for tests that need more
// than a script gives. Before, a model is trained there, m.nbm.
func command(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	path, folder := executable(t), t.TempDir()
	nbsvm := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		var stderr bytes.Buffer
		cmd := exec.CommandContext(t.Context(), path, args...)
		cmd.Args[0] = "nbsvm" // testscript.Main goes by it
		cmd.Dir, cmd.Stderr = folder, &stderr
		return cmd, &stderr
	}
	var corpus bytes.Buffer
	if err := writeDocuments(&corpus, "tsv", 60, 2); err != nil {
		t.Fatal(err)
	}
	cmd, stderr := nbsvm("train", "-q", "--bits", "12", "--min-weight", "0", "-o", "m.nbm")
	cmd.Stdin = &corpus
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return nbsvm(args...)
}

// started starts a command with pipes to it and from it.
func started(t *testing.T, cmd *exec.Cmd) (io.WriteCloser, *bufio.Reader) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return in, bufio.NewReader(out)
}

// files lists a folder.
func files(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
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

// TestInterrupt ends commands that wait for input: each dies of the signal, after a word about it, with no file,
// whole or temporary, and a second model as it was.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes can't be sent an interrupt on Windows")
	}
	for k, args := range [][]string{
		{"train", "-o", "new.nbm"},
		{"train", "-o", "m.nbm"},
		{"train", "--on-bad", "quarantine=bad", "-o", "new.nbm"},
		{"cv"},
		{"eval", "m.nbm"},
		{"explain", "m.nbm", "-"},
		{"score", "-o", "rows", "--on-bad", "quarantine=bad", "m.nbm"},
		{"export", "--output-format", "svmlight", "-o", "matrix", "m.nbm"},
		{"pack", "--ngrams", "1-2", "-o", "new.nbc"},
		{"pack", "--ngrams", "1-2", "-o", "m.nbm", "--on-bad", "quarantine=bad"},
		{"quantize", "--bits", "8", "--valid", "-", "-o", "small.nbm", "m.nbm"},
	} {
		sent := process.Stopping[k%len(process.Stopping)]
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(sent) { // as nohup makes it, which commands respect
				t.Skipf("%v is ignored here", sent)
			}
			cmd, stderr := command(t, args...)
			before, err := os.ReadFile(filepath.Join(cmd.Dir, "m.nbm"))
			if err != nil {
				t.Fatal(err)
			}
			in, out := started(t, cmd)
			go io.Copy(io.Discard, out)
			// More than a pipe holds: when it is written, some has been read.
			for range 4000 {
				if _, err := io.WriteString(in, "cooking\toven broth ladle and more of it\n"); err != nil {
					t.Fatal(err)
				}
			}
			if err := cmd.Process.Signal(sent); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			wantDeath(t, cmd, sent)
			if !strings.Contains(stderr.String(), "nbsvm: interrupted; no output file was written") {
				t.Errorf("it says %q", stderr)
			}
			if got := files(t, cmd.Dir); got != "m.nbm" {
				t.Errorf("files left: %s", got)
			}
			if after, err := os.ReadFile(filepath.Join(cmd.Dir, "m.nbm")); err != nil || !bytes.Equal(after, before) {
				t.Errorf("the model that was there has changed: %v", err)
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

// TestScoresAsTheyCome asks for the answer to each line before the next is sent.
func TestScoresAsTheyCome(t *testing.T) {
	cmd, stderr := command(t, "score", "m.nbm")
	in, out := started(t, cmd)
	converse(t, in, out, stderr)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// TestBadRecordOnPipe: a bad record ends a command at once, though nobody ends its input.
func TestBadRecordOnPipe(t *testing.T) {
	for _, args := range [][]string{
		{"score", "--format", "jsonl", "m.nbm"},
		{"score", "--format", "jsonl", "--line-buffered", "m.nbm"},
		{"eval", "--format", "jsonl", "m.nbm"},
		{"explain", "--format", "jsonl", "m.nbm", "-"},
		{"train", "--format", "jsonl", "-o", "new.nbm"},
		{"pack", "--format", "jsonl", "-o", "new.nbc"},
		{"score", "--format", "svmlight", "m.nbm"}, // which is for other models
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			cmd, stderr := command(t, args...)
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
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = to
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
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

// TestPprof asks a running command for its profiles.
func TestPprof(t *testing.T) {
	cmd, _ := command(t, "train", "--pprof", "localhost:0", "-o", "new.nbm")
	cmd.Stderr = nil
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, _ := started(t, cmd)
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, url, found := strings.Cut(strings.TrimSpace(line), "profiles at ")
	if !found {
		t.Fatalf("no address in %q", line)
	}
	client := http.Client{Timeout: 20 * time.Second}
	for _, path := range []string{"", "goroutine?debug=1", "heap", "cmdline"} {
		answer, err := client.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || len(body) == 0 {
			t.Errorf("%s: %s, %d bytes, %v", url+path, answer.Status, len(body), err)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"heap", nil)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{
		"localhost": http.StatusOK, "LOCALHOST:80": http.StatusOK, "127.0.0.1:9": http.StatusOK, "[::1]:9": http.StatusOK,
		"rebound.example": http.StatusForbidden, "rebound.example:80": http.StatusForbidden, "127.0.0.1.example": http.StatusForbidden,
	} {
		request.Host = host
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("host %s gets %s, want %d", host, answer.Status, want)
		}
	}
	in.Close()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 1 { // no documents came
		t.Errorf("exit code %d, want 1", code)
	}
}

// executable is the program of this test, which is the command as well.
func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// folderOf is a new folder with so many documents, train.tsv.
func folderOf(t *testing.T, n, classes int) string {
	t.Helper()
	var corpus bytes.Buffer
	if err := writeDocuments(&corpus, "tsv", n, classes); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "train.tsv"), corpus.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}
