//go:build amd64 || arm64

package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/test/tagtest"
)

// newFaultshop is a folder with small files of all kinds.
func newFaultshop(t *testing.T) *workshop {
	t.Helper()
	s := &workshop{t: t, path: executable(t), folder: t.TempDir()}
	for name, n := range map[string]int{"text.tsv": 60, "more.tsv": 40, "text.jsonl": 30} {
		var b bytes.Buffer
		if err := writeDocuments(&b, filepath.Ext(name)[1:], n, 2); err != nil {
			t.Fatal(err)
		}
		s.write(name, b.Bytes())
	}
	s.write("good.conll", []byte(tagtest.Chunked(12, 3)))
	for _, name := range []string{"bigrams.bin", "pruned.ftz"} {
		data, err := os.ReadFile(filepath.Join(tinyModels, name))
		if err != nil {
			t.Fatal(err)
		}
		s.write(name, data)
	}
	for _, args := range [][]string{
		{"train", "-q", "--bits", "10", "-o", "m.nbm", "text.tsv"},
		{"pack", "-q", "--min-df", "1", "--ngrams", "1-2", "-o", "text.nbc", "text.tsv"},
		{"pack", "-q", "--min-df", "1", "--ngrams", "1-2", "-o", "more.nbc", "more.tsv"},
		{"score", "-q", "--shard", "1/2", "-o", "part1", "m.nbm", "text.tsv"},
		{"score", "-q", "--shard", "2/2", "-o", "part2", "m.nbm", "text.tsv"},
		{"tag", "train", "-q", "-o", "good.nbt", "good.conll"},
		{"score", "-q", "--out-dir", "full", "m.nbm", "text.tsv", "more.tsv"},
	} {
		s.run(0, args...)
	}
	return s
}

func (s *workshop) write(name string, data []byte) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.folder, name), data, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// faultyCommands are commands in a faultshop.
var faultyCommands = []killed{
	{name: "train", args: []string{"train", "-q", "--bits", "10", "-o", "out.nbm", "text.tsv", "more.tsv"}, outputs: []string{"out.nbm"}},
	{name: "train over a model", args: []string{"train", "-q", "--bits", "10", "-o", "out.nbm", "more.tsv"}, outputs: []string{"out.nbm"}, old: "m.nbm"},
	{name: "train on a corpus", args: []string{"train", "-q", "--bits", "10", "--valid", "more.tsv", "-o", "out.nbm", "text.nbc"}, outputs: []string{"out.nbm"}},
	{name: "train within memory", args: []string{"train", "-q", "--bits", "10", "--memory", "34MiB", "-o", "out.nbm", "text.tsv"}, outputs: []string{"out.nbm"}},
	{name: "train on standard input", in: "text.tsv", args: []string{"train", "-q", "--bits", "10", "-o", "out.nbm", "-"}, outputs: []string{"out.nbm"}},
	{name: "train with a report", args: []string{"train", "-q", "--bits", "10", "--report", "report.json", "-o", "out.nbm", "text.tsv"}, outputs: []string{"report.json", "out.nbm"}},
	{name: "tune", args: []string{"tune", "-q", "--trials", "2", "--folds", "2", "-o", "out.nbm", "text.tsv"}, outputs: []string{"out.nbm"}},
	{name: "tune on other documents", args: []string{"tune", "-q", "--trials", "2", "--valid", "more.tsv", "-o", "out.nbm", "text.tsv"}, outputs: []string{"out.nbm"}},
	{name: "score", args: []string{"score", "-q", "-o", "out", "m.nbm", "text.tsv", "text.jsonl"}, outputs: []string{"out"}},
	{name: "score with fastText", args: []string{"score", "-q", "-o", "out", "pruned.ftz", "text.jsonl"}, outputs: []string{"out"}},
	{name: "score over a file", args: []string{"score", "-q", "-o", "out", "m.nbm", "more.tsv"}, outputs: []string{"out"}, old: "part1"},
	{name: "score, compressed, with rejects", args: []string{"score", "-q", "--where", "margin > 0", "--rejects", "others.gz", "-o", "out.zst", "m.nbm", "text.jsonl"}, outputs: []string{"others.gz", "out.zst"}},
	{name: "score with a quarantine", args: []string{"score", "-q", "--on-bad", "quarantine=bad", "-o", "out", "m.nbm", "text.jsonl"}, outputs: []string{"out", "bad"}},
	{name: "score of a shard", args: []string{"score", "-q", "--shard", "1/1", "-o", "out", "m.nbm", "text.tsv"}, outputs: []string{"out", "out.shard.json"}},
	{name: "score to a folder", args: []string{"score", "-q", "--out-dir", "dir", "m.nbm", "text.tsv", "more.tsv"}, outputs: []string{"dir"}},
	{name: "score to a folder that is full", args: []string{"score", "-q", "--out-dir", "full", "m.nbm", "text.tsv", "more.tsv"}},
	{name: "score to folders", args: []string{"score", "-q", "--where", "margin > 0", "--rejects", "no", "--out-dir", "dir", "m.nbm", "text.tsv", "more.tsv"}, outputs: []string{"dir", "no"}},
	{name: "merge of shards", args: []string{"merge", "-q", "-o", "out", "part1", "part2"}, outputs: []string{"out"}},
	{name: "merge of corpora", args: []string{"merge", "-q", "-o", "out.nbc", "text.nbc", "more.nbc"}, outputs: []string{"out.nbc"}},
	{name: "pack", args: []string{"pack", "-q", "--min-df", "1", "-o", "out.nbc", "text.tsv", "more.tsv"}, outputs: []string{"out.nbc"}},
	{name: "pack to a folder", args: []string{"pack", "-q", "--min-df", "1", "--ngrams", "1-2", "--out-dir", "dir", "text.tsv", "more.tsv"}, outputs: []string{"dir"}},
	{name: "append", args: []string{"pack", "-q", "--append", "-o", "out.nbc", "more.tsv"}, outputs: []string{"out.nbc"}, old: "text.nbc"},
	{name: "quantize", args: []string{"quantize", "-q", "--bits", "8", "--valid", "more.tsv", "-o", "out.nbm", "m.nbm"}, outputs: []string{"out.nbm"}},
	{name: "import", args: []string{"import", "-q", "fasttext", "--max-error", "1", "--valid", "text.tsv", "-o", "out.nbm", "bigrams.bin"}, outputs: []string{"out.nbm"}},
	{name: "export of weights", args: []string{"export", "-q", "--output-format", "liblinear", "-o", "out.txt", "m.nbm"}, outputs: []string{"out.txt"}},
	{name: "export of features", args: []string{"export", "-q", "--output-format", "svmlight", "-o", "out.svm", "more.nbc"}, outputs: []string{"out.svm", "out.svm.labels"}},
	{name: "report", args: []string{"report", "-q", "--learn", "text.tsv", "-o", "out.html", "m.nbm", "more.tsv"}, outputs: []string{"out.html"}},
	{name: "eval", args: []string{"eval", "--wrong", "out.jsonl", "m.nbm", "text.tsv"}, outputs: []string{"out.jsonl"}},
	{name: "cv", timed: true, args: []string{"cv", "-q", "--bits", "10", "--folds", "2", "text.tsv"}},
	{name: "explain", args: []string{"explain", "m.nbm", "text.tsv"}},
	{name: "inspect", args: []string{"inspect", "m.nbm"}},
	{name: "inspect corpora", args: []string{"inspect", "text.nbc", "more.nbc"}},
	{name: "verify a model", args: []string{"verify", "m.nbm"}},
	{name: "verify a corpus", args: []string{"verify", "text.nbc"}},
	{name: "verify a folder", args: []string{"verify", "full", "text.tsv", "more.tsv"}},
	{name: "generate", args: []string{"bench", "gen", "-q", "--documents", "50", "-o", "out.tsv"}, outputs: []string{"out.tsv"}},
	{name: "train tags", args: []string{"tag", "train", "-q", "-o", "out.nbt", "good.conll"}, outputs: []string{"out.nbt"}},
	{name: "score tags", args: []string{"tag", "score", "-q", "-o", "out.conll", "good.nbt", "good.conll"}, outputs: []string{"out.conll"}},
	{name: "report tags", args: []string{"tag", "report", "-q", "-o", "out.html", "good.nbt", "good.conll"}, outputs: []string{"out.html"}},
	{name: "eval tags", args: []string{"tag", "eval", "good.nbt", "good.conll"}},
}

// TestFaults lets operations on files fail, one in each run of a command. The command ends with an error that names the
// file, or does without. Outputs are whole or as they were before, and the next run makes them. NBSVM_FAULTS says how
// many operations of each command fail, at most.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := newFaultshop(t)
	inputs := s.tree(t)
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	all, refused := 0, 0
	for _, k := range faultyCommands {
		t.Run(strings.ReplaceAll(k.name, " ", "_"), func(t *testing.T) {
			s := *s
			s.t = t
			failed, ended := s.fail(k, inputs, r)
			all, refused = all+failed, refused+ended
		})
	}
	t.Logf("%d operations failed, and %d commands with them", all, refused)
}

// TestFaultsMended lets operations fail that once left temporary files, were taken for wrong usage, or were not said of
// which file.
func TestFaultsMended(t *testing.T) {
	t.Parallel()
	s := newFaultshop(t)
	inputs := s.tree(t)
	for _, test := range []struct {
		command, operation string
		times              int // that it is done until it fails
	}{
		{"score", "fstat .out.nbsvm-*-0.tmp", 1}, // its own, just made
		{"score", "stat .out.nbsvm-*-0.tmp", 2},
		{"inspect corpora", "open more.nbc", 1},
		{"verify a folder", "stat full", 2},
		{"append", "stat out.nbc", 4},
	} {
		k := faultyCommands[slices.IndexFunc(faultyCommands, func(k killed) bool { return k.name == test.command })]
		_, want := s.under(k, func([]operation) bool { return false })
		old := s.reset(inputs)
		times := 0
		s.try(k, want, inputs, old, func(done []operation) bool {
			if matches, _ := path.Match(test.operation, done[len(done)-1].String()); matches {
				times++
				return times == test.times
			}
			return false
		})
		if times < test.times {
			t.Errorf("%s: %s is done only %d times", test.command, test.operation, times)
		}
	}
}

// ending is how a command has ended.
type ending struct {
	code        int
	shown, said string
	done        []operation
	failed      *operation
}

// under runs a command of which operations may fail. It returns what is in the folder then, too.
func (s *workshop) under(k killed, fails func(done []operation) bool) (e ending, files map[string]string) {
	s.t.Helper()
	s.prepare(k)
	cmd := s.command(append(slices.Clone(k.args), "--threads", "1")...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	defer s.feed(cmd, k)()
	hung := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer hung.Stop()
	e.done = watch(s.t, cmd, func(done []operation) bool {
		if !fails(done) {
			return false
		}
		e.failed = &done[len(done)-1]
		return true
	})
	e.code, e.said, e.shown = cmd.ProcessState.ExitCode(), stderr.String(), stdout.String()
	files = s.tree(s.t)
	return e, files
}

// fail lets operations of a command fail.
func (s *workshop) fail(k killed, inputs map[string]string, r *rand.Rand) (failed, refused int) {
	defer s.reset(inputs)
	well, want := s.under(k, func([]operation) bool { return false })
	if well.code != k.code {
		s.t.Fatalf("exit code %d: %s", well.code, well.said)
	}
	old := s.reset(inputs)
	chosen := r.Perm(len(well.done))
	for _, i := range chosen[:min(len(chosen), amount("NBSVM_FAULTS", 2, 2))] {
		got := s.try(k, want, inputs, old, func(done []operation) bool { return len(done) == i+1 })
		if got.failed == nil {
			continue // in this order of things it has fewer
		}
		if failed++; got.code != k.code {
			refused++
		} else if got.shown != well.shown && !k.timed {
			s.t.Errorf("%s, %v fails: it shows\n%sinstead of\n%s", k.name, got.failed, got.shown, well.shown)
		}
	}
	s.t.Logf("%d operations of %d failed, and %d commands with them", failed, len(well.done), refused)
	return failed, refused
}

// try runs a command of which operations fail, and judges it. Then it runs again, and does all.
func (s *workshop) try(k killed, want, inputs, old map[string]string, fails func(done []operation) bool) ending {
	s.t.Helper()
	if k.old != "" {
		old[k.outputs[0]] = inputs[k.old]
	}
	e, got := s.under(k, fails)
	if e.failed != nil {
		for _, wrong := range faults(k, e, got, want, inputs, old) {
			s.t.Errorf("%s, %v fails: %s; exit code %d, it says %q", k.name, e.failed, wrong, e.code, e.said)
		}
	}
	s.prepare(k)
	s.finish(k)
	s.same(k, 0, want)
	s.reset(inputs)
	return e
}

// faults lists what is wrong with how a command has ended of which an operation failed, and with the files there are.
func faults(k killed, e ending, got, want, inputs, old map[string]string) (wrong []string) {
	fault := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	switch {
	case e.code != k.code && e.code != exitFailed:
		fault("another exit code")
	case e.code == exitFailed && !e.failed.named(k, e.said):
		fault("the file is not named")
	}
	got = maps.Clone(got)
	for name, content := range inputs {
		if got[name] != content {
			fault("%s has changed", name)
		}
		delete(got, name)
	}
	for name, content := range got {
		switch before, was := old[name]; {
		case was && content == before:
		case strings.Contains(name, ".nbsvm-made") || strings.HasPrefix(filepath.Base(name), ".nbsvm-"):
		case strings.Contains(name, ".nbsvm-") || strings.Contains(name, ".claim-"):
			// A claim of which it is not known whether it is still this process's may be another's.
			unknown := strings.Contains(name, ".claim-") && strings.HasSuffix(e.failed.call, "stat")
			if e.failed.call != "unlink" && !unknown {
				fault("%s is left", name)
			}
		case content != want[name]:
			fault("%s has %d bytes, want %d", name, len(content), len(want[name]))
		}
	}
	for name := range want {
		_, given := inputs[name]
		if _, there := got[name]; !there && !given && e.code == k.code {
			fault("%s is missing", name)
		}
	}
	return wrong
}

// madeFrom is what the name of a temporary file is made from.
var madeFrom = regexp.MustCompile(`^\.(?:claim-)?(.+)\.nbsvm-`)

// named tells whether a message of a command names the file of the operation, or that which its name is made from, or
// its folder if that is temporary, or an output in place of its folder.
func (o operation) named(k killed, said string) bool {
	return slices.ContainsFunc(o.paths, func(path string) bool {
		folder, name := filepath.Split(path)
		if of := madeFrom.FindStringSubmatch(name); of != nil {
			name = of[1]
		}
		return strings.Contains(said, name) || strings.Contains(folder, ".nbsvm-pack-") && strings.Contains(said, folder) ||
			path == k.in && strings.Contains(said, "standard input") ||
			slices.ContainsFunc(k.outputs, func(output string) bool {
				return filepath.Dir(output) == path && strings.Contains(said, output)
			})
	})
}
