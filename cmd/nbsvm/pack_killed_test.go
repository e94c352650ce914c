package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// newPackshop is a folder with texts that don't fit into the least memory there is to pack
// with, text.tsv, and half as many more, more.tsv.
func newPackshop(t *testing.T) *workshop {
	t.Helper()
	s := &workshop{t: t, path: executable(t), folder: t.TempDir()}
	r := rand.New(rand.NewPCG(1, 1))
	for name, n := range map[string]int{"text.tsv": 350, "more.tsv": 100} {
		var b bytes.Buffer
		for i := range n {
			b.WriteString([]string{"even\t", "odd\t"}[i%2])
			for range 2000 { // nearly all n-grams of a text are different
				b.WriteByte("abcdefghi "[r.IntN(10)])
			}
			b.WriteByte('\n')
		}
		if err := os.WriteFile(filepath.Join(s.folder, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// pack is a command that packs with little memory.
func (s *workshop) pack(output string, args ...string) []string {
	return append([]string{"pack", "-q", "--tokenizer", "char", "--ngrams", "1-6", "--min-df", "1", "--memory", "8MiB", "-o", output}, args...)
}

// folders are those for temporary files that hold something.
func (s *workshop) folders() (found []string) {
	all, _ := filepath.Glob(filepath.Join(s.folder, ".nbsvm-pack-*"))
	for _, folder := range all {
		// A process that is killed just as it makes a folder leaves it empty.
		if parts, err := os.ReadDir(folder); err == nil && len(parts) > 0 {
			found = append(found, folder)
		}
	}
	return found
}

// TestPackInterrupted: Ctrl-C leaves nothing behind, of parts neither.
func TestPackInterrupted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("processes can't be sent an interrupt on Windows")
	}
	s := newPackshop(t)
	s.run(0, s.pack("more.nbc", "more.tsv")...)
	more := s.read("more.nbc")
	for _, args := range [][]string{
		s.pack("out.nbc", "text.tsv", "more.tsv"),
		{"pack", "-q", "--memory", "8MiB", "--append", "-o", "more.nbc", "text.tsv"},
	} {
		for interrupted := false; !interrupted; {
			cmd := s.command(args...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- cmd.Wait() }()
			for waiting := true; waiting; { // until there is a part
				select {
				case err := <-done:
					t.Fatalf("%v: it ended before it was interrupted: %v: %s", args, err, &stderr)
				case <-time.After(time.Millisecond):
					waiting = len(s.folders()) == 0
				}
			}
			cmd.Process.Signal(os.Interrupt)
			interrupted = <-done != nil
			wantDeath(t, cmd, os.Interrupt)
			if !strings.Contains(stderr.String(), "nbsvm: interrupted; no output file was written") {
				t.Errorf("it says %q", &stderr)
			}
		}
		if got := files(t, s.folder); got != "more.nbc more.tsv text.tsv" {
			t.Errorf("%v: files left: %s", args, got)
		}
		if !bytes.Equal(s.read("more.nbc"), more) {
			t.Errorf("%v: the corpus that was there has changed", args)
		}
	}
}

// TestPackAtOnce: of processes that write one corpus at once, the last wins, whole, and
// none takes another's temporary files for those of the dead.
func TestPackAtOnce(t *testing.T) {
	t.Parallel()
	s := newPackshop(t)
	s.run(0, s.pack("text.nbc", "text.tsv")...)
	s.run(0, s.pack("more.nbc", "more.tsv")...)
	var running []*exec.Cmd
	for k := range 4 {
		cmd := s.command(s.pack("out.nbc", []string{"text.tsv", "more.tsv"}[k%2])...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, cmd.Stderr)
		}
	}
	if got := s.read("out.nbc"); !bytes.Equal(got, s.read("text.nbc")) && !bytes.Equal(got, s.read("more.nbc")) {
		t.Errorf("the corpus of %d bytes is nobody's", len(got))
	}
	if got := files(t, s.folder); got != "more.nbc more.tsv out.nbc text.nbc text.tsv" {
		t.Errorf("files left: %s", got)
	}
}

// TestPackNoRoom limits the size of files, from little to enough: whichever file is the
// first that can't be written, a part, a dictionary or the corpus, the error says so, and
// nothing is left behind.
func TestPackNoRoom(t *testing.T) {
	t.Parallel()
	if quick() {
		t.Skip("it packs again and again; without -short and the race detector it runs")
	}
	shell, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no shell that could limit the size of files")
	}
	s := newPackshop(t)
	s.run(0, s.pack("text.nbc", "text.tsv")...)
	program := filepath.Join(t.TempDir(), "nbsvm") // testscript.Main goes by the name
	if err := os.Symlink(s.path, program); err != nil {
		t.Skip(err)
	}
	before := s.read("text.nbc")
	for name, args := range map[string][]string{
		"pack":   s.pack("out.nbc", "text.tsv"),
		"merge":  {"merge", "-q", "-o", "out.nbc", "text.nbc", "text.nbc"},
		"append": {"pack", "-q", "--memory", "8MiB", "--append", "-o", "text.nbc", "more.tsv"},
	} {
		refused := 0
		for blocks := 1 << 8; ; blocks *= 4 { // of 512 bytes, or of 1024
			cmd := exec.CommandContext(t.Context(), shell, append([]string{"-c", fmt.Sprintf(`ulimit -f %d && exec "$0" "$@"`, blocks), program}, args...)...)
			cmd.Dir = s.folder
			said, err := cmd.CombinedOutput()
			if err == nil {
				break
			}
			refused++
			if code := cmd.ProcessState.ExitCode(); code != 1 || !bytes.Contains(said, []byte("file too large")) {
				t.Errorf("%s, %d blocks: exit code %d: %s", name, blocks, code, said)
				break
			}
			if got := files(t, s.folder); got != "more.tsv text.nbc text.tsv" {
				t.Errorf("%s, %d blocks: files left: %s", name, blocks, got)
			}
			if !bytes.Equal(s.read("text.nbc"), before) {
				t.Errorf("%s, %d blocks: the corpus that was there has changed", name, blocks)
			}
		}
		if refused < 3 {
			t.Errorf("%s: only %d limits were too little", name, refused)
		}
		os.Remove(filepath.Join(s.folder, "out.nbc"))
		if err := os.WriteFile(filepath.Join(s.folder, "text.nbc"), before, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
