package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// training is a corpus in a folder of its own, and a command that trains on it for about
// a second.
type training struct {
	t      *testing.T
	folder string
	args   []string
}

func newTraining(t *testing.T, classes int) training {
	t.Helper()
	epochs := strconv.Itoa(1200 / (classes * classes / 2))
	return training{t, folderOf(t, 3000, classes), []string{"--tol", "0", "--max-epochs", epochs, "train.tsv"}}
}

// newFarTraining is on a packed corpus, whose rows don't fit into memory.
func newFarTraining(t *testing.T) training {
	t.Helper()
	r := training{t, folderOf(t, 60_000, 2), []string{"--tol", "1e-5", "--C", "100", "--max-epochs", "150", "--memory", "34MiB", "train.nbc"}}
	s := &workshop{t: t, path: executable(t), folder: r.folder}
	s.run(0, "pack", "-q", "train.tsv", "-o", "train.nbc")
	return r
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

// executable is the program of this test, which is the command as well.
func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (r training) command(stderr *bytes.Buffer, args ...string) *exec.Cmd {
	args = slices.Concat([]string{"train", "--bits", "16", "--loss", "logistic"}, r.args, args)
	cmd := exec.CommandContext(r.t.Context(), executable(r.t), args...)
	cmd.Args[0] = "nbsvm" // testscript.Main goes by it
	cmd.Dir, cmd.Stderr = r.folder, stderr
	return cmd
}

// whole trains to the end.
func (r training) whole(args ...string) (says string) {
	r.t.Helper()
	var stderr bytes.Buffer
	if err := r.command(&stderr, args...).Run(); err != nil {
		r.t.Fatalf("%v\n%s", err, &stderr)
	}
	return stderr.String()
}

func (r training) read(name string) []byte {
	r.t.Helper()
	b, err := os.ReadFile(filepath.Join(r.folder, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return b
}

// TestKilled kills a training at random moments until one comes to its end: the model is
// that of a training that nobody disturbed.
func TestKilled(t *testing.T) {
	plan := regexp.MustCompile("(?m)^nbsvm: .*; rows stay on disk, .*\n")
	for name, r := range map[string]training{"2 classes": newTraining(t, 2), "4 classes": newTraining(t, 4), "packed": newFarTraining(t)} {
		start := time.Now()
		r.whole("-q", "-o", "want.nbm")
		took := time.Since(start)
		rng := rand.New(rand.NewPCG(uint64(len(name)), 1))
		resumed, kills, far := 0, 0, false
		for over := false; !over; {
			var stderr bytes.Buffer
			threads := []string{"1", "2", "3"}[kills%3]
			cmd := r.command(&stderr, "--checkpoint", "check", "--every", "0", "--threads", threads, "-o", "got.nbm")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if kills < 30 {
				moment := time.Duration((0.05 + 0.2*rng.Float64()) * float64(took))
				if kills%2 == 1 {
					moment = r.saved("check", took)
				}
				timer := time.AfterFunc(moment, func() { cmd.Process.Kill() })
				defer timer.Stop()
			}
			over = cmd.Wait() == nil
			if !over {
				kills++
			}
			says := stderr.String()
			far = far || plan.MatchString(says)
			says = plan.ReplaceAllString(says, "")
			if strings.Contains(says, "nbsvm: resumes from check: ") {
				resumed++
				says = ""
			}
			if !over && says != "" {
				t.Fatalf("it says %q", says)
			}
		}
		if !bytes.Equal(r.read("got.nbm"), r.read("want.nbm")) {
			t.Errorf("%s: another model after %d kills", name, kills)
		}
		if far != (name == "packed") {
			t.Errorf("%s: rows stay on disk: %t", name, far)
		}
		if resumed == 0 {
			t.Errorf("%s: none of %d killed trainings was resumed", name, kills)
		}
		left := strings.Fields(files(t, r.folder))
		for _, file := range left { // on Windows, what was being written when its process was killed stays for a minute
			if file != "got.nbm" && file != "want.nbm" && !strings.HasPrefix(file, "train.") && runtime.GOOS != "windows" {
				t.Errorf("%s is left", file)
			}
		}
		t.Logf("%s: %d kills, resumed %d times; undisturbed it takes %v", name, kills, resumed, took)
	}
}

// saved waits for a file to be there, but not for ever, and says how long it still may be
// until a moment of no choice.
func (r training) saved(name string, most time.Duration) time.Duration {
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(r.folder, name)); err == nil {
			break
		}
	}
	return time.Duration(rand.IntN(int(5 * time.Millisecond)))
}

// TestSameCheckpoint: of two trainings with one file, the last to write it wins, and both
// make their model; so does one that is started then.
func TestSameCheckpoint(t *testing.T) {
	r := newTraining(t, 3)
	r.whole("-q", "-o", "want.nbm")
	var outputs [2]bytes.Buffer
	var running []*exec.Cmd
	for k, name := range []string{"a.nbm", "b.nbm"} {
		cmd := r.command(&outputs[k], "-q", "--checkpoint", "check", "--every", "0", "-o", name)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for k, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, &outputs[k])
		}
	}
	r.whole("-q", "--checkpoint", "check", "-o", "c.nbm")
	for _, name := range []string{"a.nbm", "b.nbm", "c.nbm"} {
		if !bytes.Equal(r.read(name), r.read("want.nbm")) {
			t.Errorf("%s is another model", name)
		}
	}
	if got := files(t, r.folder); got != "a.nbm b.nbm c.nbm train.tsv want.nbm" {
		t.Errorf("files left: %s", got)
	}
}

// TestInterruptedCheckpoint: what is done when Ctrl-C comes is saved, and the command
// says so.
func TestInterruptedCheckpoint(t *testing.T) {
	if os.PathSeparator == '\\' {
		t.Skip("processes can't be sent an interrupt on Windows")
	}
	r := newTraining(t, 2)
	r.whole("-q", "-o", "want.nbm")
	interrupted := false
	for wait := 50 * time.Millisecond; !interrupted && wait < 2*time.Second; wait += wait / 4 {
		var stderr bytes.Buffer
		cmd := r.command(&stderr, "--checkpoint", "check", "-o", "got.nbm")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(wait)
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		interrupted = strings.Contains(stderr.String(), "nbsvm: run the same command again to resume from check\n")
	}
	if !interrupted {
		t.Fatal("no interrupt came while it was solved")
	}
	// Another training does not take it.
	var stderr bytes.Buffer
	other := r.command(&stderr, "--checkpoint", "check", "--C", "2", "-o", "got.nbm")
	if err := other.Run(); err == nil || !strings.Contains(stderr.String(), "nbsvm: the checkpoint check is of another training, with other options; delete it, or name another file\n") {
		t.Errorf("another training: %v: %s", err, &stderr)
	}
	if says := r.whole("--checkpoint", "check", "-o", "got.nbm"); !strings.HasPrefix(says, "nbsvm: resumes from check: epoch ") {
		t.Errorf("it says %q", says)
	}
	if !bytes.Equal(r.read("got.nbm"), r.read("want.nbm")) {
		t.Error("another model")
	}
	if got := files(t, r.folder); got != "got.nbm train.tsv want.nbm" {
		t.Errorf("files left: %s", got)
	}
}
