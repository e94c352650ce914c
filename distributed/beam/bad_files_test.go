package nbsvmbeam

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/job/flags"
	"github.com/seed-167f963f/nbsvm/internal/job/scoring"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// newBadShop is a shop with a file that is cut off, one that is damaged, an empty one, one of another format than its
// name says, and one that is compressed as none can be read.
func newBadShop(t *testing.T) {
	t.Helper()
	t.Chdir(newShop(t, 6))
	compressed, err := os.ReadFile("in/shard-01.jsonl.zst")
	must.OK(t, err)
	writeFile(t, "in/cut.jsonl.zst", string(compressed[:len(compressed)/2]))
	compressed[len(compressed)/2] ^= 0x55
	writeFile(t, "in/damaged.jsonl.zst", string(compressed))
	writeFile(t, "in/empty.jsonl", "")
	writeFile(t, "in/not.jsonl", "label\ttext\n")
	writeFile(t, "in/shard.jsonl.xz", "\xfd7zXZ\x00\x00\x04")
}

// outcome is what --json tells of one process, in the words of a summary.
func outcome(t *testing.T, args ...string) (sum Summary, code int) {
	t.Helper()
	path, err := command()
	must.OK(t, err)
	run := exec.Command(path, args...)
	out, _ := run.Output()
	if err := json.Unmarshal(out, &sum); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return sum, run.ProcessState.ExitCode()
}

// TestBadFiles: files that are damaged, empty, or not what they should be fail alone, or are passed over where that is
// asked for: the same ones as with one process, and with the same outputs and counts.
func TestBadFiles(t *testing.T) {
	newBadShop(t)
	inputs, _ := filepath.Glob("in/*")
	check := func(name string, sum Summary, args ...string) {
		t.Helper()
		want, code := outcome(t, slices.Concat(args, inputs, []string{"--json", "--out-dir", name + "-one"})...)
		if sum.Files != want.Files || sum.Written != want.Written ||
			sum.Skipped != want.Skipped || sum.Failed != want.Failed ||
			fmt.Sprint(sum.Records) != fmt.Sprint(want.Records) || len(sum.Reasons) != int(sum.Skipped+sum.Failed) {
			t.Errorf("%s: the sum is %+v, want %+v", name, sum, want)
		}
		if wantCode := map[bool]int{true: 1, false: 4}[sum.Failed > 0]; code != wantCode || sum.Failed+sum.Skipped < 3 {
			t.Errorf("%s: %+v, and nbsvm has exit code %d, want %d", name, sum, code, wantCode)
		}
		wantSame(t, contents(t, name), contents(t, name+"-one"))
	}
	for _, on := range []string{"fail", "skip"} {
		o := ScoreOptions{Model: "m.nbm", OutDir: "score-" + on, Options: scoring.Options{Where: "p > 0.5"}, BadFile: flags.BadFile{OnBadFile: on}}
		sum, err := runScore(t, o, "in/*")
		must.OK(t, err)
		check(o.OutDir, sum, "score", "--where", "p > 0.5", "--on-bad-file", on, "m.nbm")
		p := PackOptions{OutDir: "pack-" + on, Text: hashing.DefaultOptions(), BadFile: flags.BadFile{OnBadFile: on}}
		p.Text.Families[0].NgramHi = 2
		sum = runPack(t, p, "in/*")
		check(p.OutDir, sum, "pack", "--ngrams", "1-2", "--min-df", "1", "--on-bad-file", on)
	}
}

// TestRefused: a job is refused, before anything is made, where one process refuses.
func TestRefused(t *testing.T) {
	t.Chdir(newShop(t, 3))
	must.OK(t, os.MkdirAll("in/sub", 0o777))
	os.MkdirAll("stray", 0o777)
	writeFile(t, "stray/shard-00.jsonl", "mine")
	where := scoring.Options{Where: "p > 0.5"}
	for _, c := range []struct {
		o        ScoreOptions
		patterns string
		want     string
	}{
		{ScoreOptions{OutDir: "o"}, "in/*", "in/sub is a folder: name its files, as in 'in/sub/*'"},
		{ScoreOptions{OutDir: "in", Options: where}, "in/shard*", "--out-dir in/shard-00.jsonl and input in/shard-00.jsonl are the same file"},
		{ScoreOptions{OutDir: "o", Rejects: "in", Options: where}, "in/shard*", "--rejects in/shard-00.jsonl and input in/shard-00.jsonl are the same file"},
		{ScoreOptions{OutDir: "stray", Options: where}, "in/shard*", "stray/shard-00.jsonl exists, but not stray/.nbsvm-outputs.jsonl"},
		{ScoreOptions{OutDir: "o", Rejects: "stray", Options: where}, "in/shard*", "stray/shard-00.jsonl exists, but not stray/.nbsvm-outputs.jsonl"},
		{ScoreOptions{OutDir: "o", Options: scoring.Options{Label: pointer("nix")}}, "in/shard*", "the model has no label nix"},
		{ScoreOptions{OutDir: "o"}, "in/none*", "in/none*: no file matches this pattern"},
		{ScoreOptions{OutDir: "o"}, "none.jsonl", "none.jsonl: no such file"},
		{ScoreOptions{OutDir: "in", Options: where}, "in/**/shard-00*", "--out-dir in/shard-00.jsonl and input in/shard-00.jsonl are the same file"},
		{ScoreOptions{OutDir: "o"}, "memfs://in/**/*", "memfs://in/**/*: on memfs://, ** would match no more than *"},
		{ScoreOptions{OutDir: "o", Model: "none.nbm"}, "in/shard*", "none.nbm"},
	} {
		if c.o.Model == "" {
			c.o.Model = "m.nbm"
		}
		if _, err := runScore(t, c.o, c.patterns); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.o, err, c.want)
		}
		if made, _ := filepath.Glob("o/*"); len(made) > 0 {
			t.Errorf("%s: there are %v", c.want, made)
		}
	}
	if text, err := os.ReadFile("stray/shard-00.jsonl"); err != nil || string(text) != "mine" {
		t.Errorf("a file that was there is %q, %v", text, err)
	}
	if _, err := runScore(t, ScoreOptions{Model: "m.nbm", OutDir: "rows"}, "in/shard*"); err != nil {
		t.Fatal(err)
	}
	if _, err := runScore(t, ScoreOptions{Model: "m.nbm", OutDir: "rows", Options: scoring.Options{Top: pointer(2)}}, "in/shard*"); err == nil || !strings.Contains(err.Error(), `--out-dir rows has files of another run: without --top, not with --top "2"`) {
		t.Errorf("another run: %v", err)
	}
}

// TestAgain: an output of an input that has changed fails until it is removed; what a job has made is no input, where
// its folders are among them; and what is in the way of an output fails alone.
func TestAgain(t *testing.T) {
	t.Chdir(newShop(t, 3))
	for _, at := range []string{"in", "memfs://again"} {
		o := ScoreOptions{Model: "m.nbm", OutDir: at, Options: scoring.Options{OutputFormat: "jsonl"}}
		if isLocal(at) {
			os.Rename("in/shard-02.jsonl", "in/shard-02.tsv.jsonl")
		}
		for _, name := range []string{"a.tsv", "b.tsv", "c.tsv"} {
			if writeFile(t, "one.tsv", "good\ta great film\nbad\tawful\n"); isLocal(at) {
				copyFile(t, "one.tsv", join(at, name))
			} else {
				copyTo(t, "one.tsv", join(at, name))
			}
		}
		pattern := join(at, "?.*")
		want := func(written, there, failed int64) {
			t.Helper()
			sum, err := runScore(t, o, pattern)
			if err != nil || sum.Written != written || sum.There != there || sum.Failed != failed {
				t.Errorf("%s: %+v, %v; want %d written, %d there, %d failed", at, sum, err, written, there, failed)
			}
		}
		want(3, 0, 0)
		want(0, 3, 0) // outputs stand among the inputs: they are neither
		if writeFile(t, "one.tsv", "good\tanother great film\nbad\tawful\n"); isLocal(at) {
			copyFile(t, "one.tsv", join(at, "b.tsv"))
		} else {
			copyTo(t, "one.tsv", join(at, "b.tsv"))
		}
		want(0, 2, 1)
		must.OK(t, removeFile(join(at, "b.jsonl")))
		want(1, 2, 0)
		if writeFile(t, "half", "half"); isLocal(at) {
			copyFile(t, "half", join(at, "c.jsonl"))
		} else {
			copyTo(t, "half", join(at, "c.jsonl"))
		}
		want(0, 2, 1)
		must.OK(t, removeFile(join(at, "c.jsonl")))
		want(1, 2, 0)
		want(0, 3, 0)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	must.OK(t, err)
	writeFile(t, to, string(text))
}

func removeFile(file string) error {
	if isLocal(file) {
		return os.Remove(file)
	}
	of, err := system(file)
	if err != nil {
		return err
	}
	return of.(filesystem.Remover).Remove(context.Background(), file)
}
