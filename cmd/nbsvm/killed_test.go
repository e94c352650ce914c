package main

import (
	"bytes"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

// killed is a command that is killed at random moments.
type killed struct {
	name string
	args []string
	in   string // the file that is its standard input
	// What it writes. Each is whole or not there, and there only if those before it are.
	outputs []string
	// What was there before under the name of the only output; "" for nothing.
	old string
	// The exit code, and what can be done with the outputs then.
	code int
	then []string
	// What it shows has times.
	timed bool
}

// newKillshop is a folder with everything that the commands need.
func newKillshop(t *testing.T) *workshop {
	t.Helper()
	s := newPackshop(t)
	rows := newWorkshop(t)
	for _, name := range []string{"m.nbm", "rows.jsonl"} {
		if err := os.WriteFile(filepath.Join(s.folder, name), rows.read(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.run(0, s.pack("text.nbc", "text.tsv")...)
	s.run(0, s.pack("more.nbc", "more.tsv")...)
	s.run(3, "score", "-q", "--on-bad", "skip", "--shard", "1/2", "-o", "part1", "m.nbm", "rows.jsonl")
	s.run(3, "score", "-q", "--on-bad", "skip", "--shard", "2/2", "-o", "part2", "m.nbm", "rows.jsonl")
	return s
}

func killedCommands(s *workshop) []killed {
	return []killed{
		{name: "train", args: []string{"train", "-q", "--bits", "18", "--tokenizer", "char", "--ngrams", "1-4", "-o", "out.nbm", "more.tsv"}, outputs: []string{"out.nbm"}},
		{
			name: "train within memory", outputs: []string{"out.nbm"},
			args: []string{"train", "-q", "--bits", "18", "--memory", "34MiB", "--tokenizer", "char", "--ngrams", "1-4", "-o", "out.nbm", "text.tsv"},
		},
		{
			name: "train on standard input", in: "text.tsv", outputs: []string{"out.nbm"},
			args: []string{"train", "-q", "--bits", "18", "-o", "out.nbm", "-"},
		},
		{
			name: "score of a shard", outputs: []string{"out", "out" + provenance.ShardSuffix}, code: exitBad, then: []string{"merge", "-q", "-o", "merged", "out"},
			args: []string{"score", "-q", "--on-bad", "skip", "--shard", "1/1", "-o", "out", "m.nbm", "rows.jsonl"},
		},
		{
			name: "score, compressed, with rejects", outputs: []string{"others.gz", "out.zst"}, code: exitBad,
			args: []string{"score", "-q", "--on-bad", "skip", "--where", "margin > 0", "--rejects", "others.gz", "-o", "out.zst", "m.nbm", "rows.jsonl"},
		},
		{
			name: "score with a quarantine", outputs: []string{"out", "bad"}, code: exitBad,
			args: []string{"score", "-q", "--on-bad", "quarantine=bad", "-o", "out", "m.nbm", "rows.jsonl"},
		},
		{
			name: "score to a folder", outputs: []string{"dir/.nbsvm-score.json", "dir/.nbsvm-made", "dir/rows.tsv"}, code: exitBad,
			args: []string{"score", "-q", "--on-bad", "skip", "--out-dir", "dir", "m.nbm", "rows.jsonl"},
		},
		{name: "pack", args: s.pack("out.nbc", "text.tsv"), outputs: []string{"out.nbc"}},
		{name: "pack over a corpus", args: s.pack("out.nbc", "text.tsv", "more.tsv"), outputs: []string{"out.nbc"}, old: "text.nbc"},
		{name: "append", args: []string{"pack", "-q", "--memory", "8MiB", "--append", "-o", "out.nbc", "more.tsv"}, outputs: []string{"out.nbc"}, old: "text.nbc"},
		{name: "merge of corpora", args: []string{"merge", "-q", "-o", "out.nbc", "text.nbc", "more.nbc"}, outputs: []string{"out.nbc"}},
		{name: "merge of shards", args: []string{"merge", "-q", "-o", "out", "part1", "part2"}, outputs: []string{"out"}, old: "part1"},
		{name: "quantize", args: []string{"quantize", "-q", "--bits", "8", "-o", "out.nbm", "m.nbm"}, outputs: []string{"out.nbm"}},
		{name: "export", args: []string{"export", "-q", "--format", "svmlight", "-o", "out.svm", "more.nbc"}, outputs: []string{"out.svm", "out.svm.labels"}},
	}
}

// TestCommandsKilled kills commands at random moments: inputs stay as they are, outputs are whole or
// as they were before, and the next run leaves nothing but them. NBSVM_KILLS says how often.
func TestCommandsKilled(t *testing.T) {
	t.Parallel()
	s := newKillshop(t)
	commands := killedCommands(s)
	inputs := s.tree(t)
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 1))
	times := amount("NBSVM_KILLS", len(commands), len(commands))
	for i, k := range commands {
		n := times / len(commands)
		if i < times%len(commands) {
			n++
		}
		t.Run(strings.ReplaceAll(k.name, " ", "_"), func(t *testing.T) {
			s := *s
			s.t = t
			s.kill(k, n, inputs, r)
		})
	}
}

// kill kills a command n times. After each time it runs to its end, or is killed again.
func (s *workshop) kill(k killed, n int, inputs map[string]string, r *rand.Rand) {
	t := s.t
	start := time.Now()
	s.prepare(k)
	s.finish(k)
	took := time.Since(start)
	want := s.tree(t)
	old := s.reset(inputs)
	if k.old != "" {
		old[k.outputs[0]] = inputs[k.old]
	}
	whole, left, more := 0, 0, false
	for i := range n {
		if !more {
			s.prepare(k)
		}
		cmd := s.start(k)
		after := time.Duration(r.Int64N(int64(took) * 5 / 4))
		if r.IntN(2) == 0 { // when files take their names
			after = took*9/10 + time.Duration(r.Int64N(int64(took)/5+1))
		}
		time.Sleep(after)
		cmd.Process.Kill()
		cmd.Wait()

		got, done := s.tree(t), true
		for _, name := range k.outputs {
			content, there := got[name]
			switch before, was := old[name]; {
			case there && content == want[name]:
				if !done {
					t.Errorf("%s, killed after %v: %s is there, what must be there before is not", k.name, after, name)
				}
			case there == was && content == before:
				done = false
			default:
				t.Errorf("%s, killed after %v: %s has %d bytes, neither the %d before nor the %d wanted", k.name, after, name, len(content), len(before), len(want[name]))
			}
			delete(got, name)
		}
		if done {
			whole++
			if k.then != nil {
				s.run(0, k.then...)
				os.Remove(filepath.Join(s.folder, "merged"))
			}
		}
		for name, content := range inputs {
			if got[name] != content {
				t.Errorf("%s, killed after %v: %s has changed", k.name, after, name)
			}
			delete(got, name)
		}
		for name := range got {
			if !strings.Contains(name, ".nbsvm-") {
				t.Errorf("%s, killed after %v: left %s", k.name, after, name)
			}
		}
		left += len(got)
		if more = r.IntN(3) == 0 && i < n-1 && !done; more {
			continue
		}
		if done { // it would find nothing to do, or do it twice
			os.RemoveAll(filepath.Join(s.folder, "dir"))
			s.prepare(k)
		}
		again := time.Now()
		s.finish(k)
		took = min(took, time.Since(again)) // other work on the machine must not make all kills late
		s.same(k, after, want)
		s.reset(inputs)
	}
	t.Logf("%s: killed %d times in %v, %d times it was done; %d temporary files were left before the next run", k.name, n, took, whole, left)
}

// feed gives a command its standard input, which is to be closed.
func (s *workshop) feed(cmd *exec.Cmd, k killed) (closeIt func()) {
	if k.in == "" {
		return func() {}
	}
	in, err := os.Open(filepath.Join(s.folder, k.in))
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Stdin = in
	return func() { in.Close() }
}

// start starts the command.
func (s *workshop) start(k killed) *exec.Cmd {
	cmd := s.command(k.args...)
	cmd.Stderr = new(bytes.Buffer)
	defer s.feed(cmd, k)()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return cmd
}

// finish runs the command to its end.
func (s *workshop) finish(k killed) {
	cmd := s.start(k)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != k.code {
		s.t.Fatalf("%s: exit code %d, want %d: %s", k.name, code, k.code, cmd.Stderr)
	}
}

// prepare puts in place what is there before.
func (s *workshop) prepare(k killed) {
	if k.old == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(s.folder, k.outputs[0]), s.read(k.old), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// same wants the files that a run leaves to be those, with their contents. On Windows others
// stay for a minute.
func (s *workshop) same(k killed, after time.Duration, want map[string]string) {
	got := s.tree(s.t)
	for name, content := range got {
		_, ours := want[name]
		switch {
		case !ours && runtime.GOOS == "windows" && strings.Contains(name, ".nbsvm-"):
		case !ours:
			s.t.Errorf("%s, killed after %v: the next run leaves %s", k.name, after, name)
		case content != want[name]:
			s.t.Errorf("%s, killed after %v: the next run makes another %s", k.name, after, name)
		}
	}
	for name := range want {
		if _, there := got[name]; !there {
			s.t.Errorf("%s, killed after %v: the next run has no %s", k.name, after, name)
		}
	}
}

// tree is what the files in the folder hold, by their paths; empty folders count as well.
func (s *workshop) tree(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(s.folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == s.folder {
			return err
		}
		name, err := filepath.Rel(s.folder, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if e.IsDir() {
			if strings.Contains(name, ".nbsvm-") {
				all[name] = ""
				return fs.SkipDir
			}
			return nil
		}
		content, err := os.ReadFile(path)
		all[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// reset removes all but these files, and returns them.
func (s *workshop) reset(files map[string]string) map[string]string {
	all := map[string]string{}
	for name := range s.tree(s.t) {
		if content, keep := files[name]; keep {
			all[name] = content
		} else if err := os.RemoveAll(filepath.Join(s.folder, filepath.FromSlash(name))); err != nil {
			s.t.Fatal(err)
		}
	}
	if missing := len(files) - len(all); missing > 0 {
		s.t.Fatalf("%d files are gone of %v", missing, slices.Sorted(maps.Keys(files)))
	}
	return all
}
