package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// packNoise packs with so little memory that parts go to temporary files.
const packNoise = "pack -q --ngrams char:1-6 --min-df 1 --memory 8MiB "

// job is a command in a jobshop. What it writes is whole or as it was before, whatever ends it, and its inputs are
// never touched.
type job struct {
	line    string
	outputs string // of several, the last is there only if the others are
	// What was there before under the name of the only output; "" for nothing.
	old   string
	code  int
	timed bool // what it shows has times
}

var jobs = []job{
	{line: "train -q --bits 10 -o out.nbm text.tsv more.tsv", outputs: "out.nbm"},
	{line: "train -q --bits 10 -o out.nbm more.tsv", outputs: "out.nbm", old: "m.nbm"},
	{line: "train -q --valid more.tsv -o out.nbm text.nbc", outputs: "out.nbm"},
	{line: "train -q --bits 18 --memory 34MiB --ngrams char:1-4 -o out.nbm noise2.tsv", outputs: "out.nbm"},
	{line: "train -q --bits 10 -o out.nbm - <text.tsv", outputs: "out.nbm"},
	{line: "train -q --bits 10 --report report.json -o out.nbm text.tsv", outputs: "report.json out.nbm"},
	{line: "tune -q --trials 2 --folds 2 -o out.nbm text.tsv", outputs: "out.nbm"},
	{line: "tune -q --trials 2 --valid more.tsv -o out.nbm text.tsv", outputs: "out.nbm"},
	{line: "score -q -o out m.nbm text.tsv text.jsonl", outputs: "out"},
	{line: "score -q -o out pruned.ftz text.jsonl", outputs: "out"},
	{line: "score -q -o out m.nbm more.tsv", outputs: "out", old: "part1"},
	{line: "score -q --where margin>0 --rejects others.gz -o out.zst m.nbm good.jsonl", outputs: "others.gz out.zst"},
	{line: "score -q --on-bad quarantine=bad -o out m.nbm rows.jsonl", outputs: "out bad", code: exitBad},
	{
		line: "score -q --model a=m.nbm --model b=pruned.ftz --where a.margin>0 --rejects no.parquet " +
			"--attributes rows.parquet -o out.parquet good.parquet",
		outputs: "no.parquet rows.parquet out.parquet",
	},
	{line: "score -q --out-dir dir m.nbm text.tsv more.tsv", outputs: "dir"},
	{line: "score -q --out-dir full m.nbm text.tsv more.tsv"},
	{line: "score -q --where margin>0 --rejects no --out-dir dir m.nbm text.tsv more.tsv", outputs: "dir no"},
	{line: "merge -q -o out.nbc text.nbc more.nbc", outputs: "out.nbc"},
	{line: "merge -q -o out.nbc noise.nbc noise2.nbc", outputs: "out.nbc", old: "text.nbc"},
	{line: "pack -q --min-df 1 -o out.nbc text.tsv more.tsv", outputs: "out.nbc"},
	{line: packNoise + "-o out.nbc noise.tsv noise2.tsv", outputs: "out.nbc", old: "noise.nbc"},
	{line: "pack -q --min-df 1 --ngrams 1-2 --out-dir dir text.tsv more.tsv", outputs: "dir"},
	{line: "quantize -q -o out.nbm m.nbm", outputs: "out.nbm"},
	{line: "export -q -o out.txt m.nbm", outputs: "out.txt"},
	{line: "report -q -o out.html m.nbm more.tsv", outputs: "out.html"},
	{line: "audit -q -o out.html --score-field id --by label text.jsonl", outputs: "out.html"},
	{line: "eval --wrong out.jsonl m.nbm text.tsv", outputs: "out.jsonl"},
	{line: "cv -q --bits 10 --folds 2 text.tsv", timed: true},
	{line: "explain m.nbm text.tsv"},
	{line: "inspect m.nbm"},
	{line: "inspect more.nbc"},
	{line: "verify m.nbm"},
	{line: "verify text.nbc"},
	{line: "bench gen -q --documents 50 -o out.tsv", outputs: "out.tsv"},
	{line: "tag train -q -o out.nbt good.conll", outputs: "out.nbt"},
	{line: "tag score -q -o out.conll good.nbt good.conll", outputs: "out.conll"},
	{line: "tag eval good.nbt good.conll"},
}

// someJobs are all jobs or, with -short, a third of them, drawn each time.
func someJobs(r *rand.Rand) []job {
	some := slices.Clone(jobs)
	if testing.Short() {
		r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
		some = some[:len(some)/3]
	}
	return some
}

// args takes the line apart; in is the file that is its standard input.
func (k job) args() (args []string, in string) {
	line, in, _ := strings.Cut(k.line, " <")
	return strings.Fields(line), in
}

// states are the files around a run of a job: those given, those of them and before it, and those that it leaves.
type states struct {
	inputs, old, want map[string]string
	took              time.Duration
}

// rehearsals are the states of jobs in any jobshop, by line.
var rehearsals sync.Map

// prepare puts in place what is there before a job, and returns the command.
func (s *workshop) prepare(k job, more ...string) *exec.Cmd {
	s.t.Helper()
	if k.old != "" {
		s.write(k.outputs, s.read(k.old))
	}
	args, in := k.args()
	cmd := s.command(append(args, more...)...)
	cmd.Stdout, cmd.Stderr = new(bytes.Buffer), new(bytes.Buffer)
	if in != "" {
		file, err := os.Open(s.in(in))
		must.OK(s.t, err)
		s.t.Cleanup(func() { file.Close() })
		cmd.Stdin = file
	}
	return cmd
}

// finish runs a job to its end. It returns the files in the folder then.
func (s *workshop) finish(k job) map[string]string {
	s.t.Helper()
	cmd := s.prepare(k)
	must.OK(s.t, cmd.Start())
	hung := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	cmd.Wait()
	hung.Stop()
	if code := cmd.ProcessState.ExitCode(); code != k.code {
		s.t.Fatalf("%s: exit code %d, want %d: %s", k.line, code, k.code, cmd.Stderr)
	}
	return s.tree()
}

// rehearse runs a job as it should go, unless another test has done so.
func (s *workshop) rehearse(k job, inputs map[string]string) states {
	s.t.Helper()
	st := states{inputs: inputs, old: map[string]string{}}
	if k.old != "" {
		st.old[k.outputs] = inputs[k.old]
	}
	if known, is := rehearsals.Load(k.line); is {
		st.want, st.took = known.(states).want, known.(states).took
		return st
	}
	start := time.Now()
	st.want = s.finish(k)
	st.took = time.Since(start)
	s.reset(inputs)
	rehearsals.Store(k.line, st)
	return st
}

// isRecord tells whether a file in a folder of outputs says how they were made.
func isRecord(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, ".nbsvm-")
}

// left lists what is wrong with the files that a job has left, with temporary files only where they may be. It tells
// whether all outputs are there.
func (st states) left(k job, got map[string]string, mayBe func(temporary string) bool) (wrong []string, done bool) {
	for name, content := range st.inputs {
		if got[name] != content {
			wrong = append(wrong, name+" has changed")
		}
	}
	for name, content := range got {
		_, given := st.inputs[name]
		before, was := st.old[name]
		want, wanted := st.want[name]
		switch isTemporary := strings.Contains(name, ".nbsvm-") || strings.Contains(name, ".claim-"); {
		case given, was && content == before, wanted && content == want, isRecord(name):
		case isTemporary && !mayBe(name):
			wrong = append(wrong, name+" is left")
		case !isTemporary:
			wrong = append(wrong, name+" is neither whole nor as it was")
		}
	}
	done = true
	for name, want := range st.want {
		done = done && (got[name] == want || isRecord(name))
	}
	all := strings.Fields(k.outputs)
	for i, name := range all {
		if last := all[len(all)-1]; i < len(all)-1 && got[last] != "" && got[name] == "" {
			wrong = append(wrong, last+" is there, "+name+" is not")
		}
	}
	return wrong, done
}
