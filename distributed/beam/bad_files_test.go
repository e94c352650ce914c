package nbsvmbeam

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

// TestBadFiles: files that are damaged, empty, or not what they should be fail alone, or are passed over where that is
// asked for: the same ones as with one process, and with the same outputs.
func TestBadFiles(t *testing.T) {
	folder := newShop(t, 6)
	t.Chdir(folder)
	compressed, err := os.ReadFile("in/shard-01.jsonl.zst")
	must.OK(t, err)
	writeFile(t, "in/cut.jsonl.zst", string(compressed[:len(compressed)/2]))
	compressed[len(compressed)/2] ^= 0x55
	writeFile(t, "in/damaged.jsonl.zst", string(compressed))
	writeFile(t, "in/not.jsonl", "label\ttext\n")
	writeFile(t, "in/shard.jsonl.xz", "\xfd7zXZ\x00\x00\x04")
	for on, counter := range map[string]string{"fail": Failed, "skip": Skipped} {
		o := ScoreOptions{Model: "m.nbm", OutDir: "beam-" + on, Options: scoring.Options{Where: "p > 0.5"}, BadFile: scoring.BadFile{OnBadFile: on}}
		got, err := runScore(t, o, "in/*")
		if err != nil || got[Written] != 6 || got[counter] != 4 {
			t.Errorf("%s: %v, %v", on, got, err)
		}
		code := nbsvmRun(t, folder, "score", "--where", "p > 0.5", "--on-bad-file", on, "--out-dir", "one-"+on, "m.nbm", "in/*")
		if want := map[string]int{"fail": 1, "skip": 4}[on]; code != want {
			t.Errorf("nbsvm has exit code %d, want %d", code, want)
		}
		wantSame(t, contents(t, o.OutDir), contents(t, "one-"+on))
	}
}

// TestRefused: a job is refused, before anything is made, where one process refuses.
func TestRefused(t *testing.T) {
	t.Chdir(newShop(t, 3))
	must.OK(t, os.Mkdir("twice", 0o777))
	writeFile(t, "twice/shard-00.jsonl", "{}")
	where := scoring.Options{Where: "p > 0.5"}
	for _, c := range []struct {
		o        ScoreOptions
		patterns string
		want     string
	}{
		{ScoreOptions{OutDir: "o", Options: where}, "*/shard-00*", "the outputs of in/shard-00.jsonl and twice/shard-00.jsonl would both be o/shard-00.jsonl"},
		{ScoreOptions{OutDir: "in", Options: where}, "in/shard*", "in/shard-00.jsonl is in the folder in, where outputs go"},
		{ScoreOptions{OutDir: "o", Rejects: "in", Options: where}, "in/shard*", "in/shard-00.jsonl is in the folder in, where outputs go"},
		{ScoreOptions{OutDir: "o", Attributes: "in", Options: where}, "in/shard*", "in/shard-00.jsonl is in the folder in, where outputs go"},
		{ScoreOptions{OutDir: "o", Options: scoring.Options{Label: pointer("nix")}}, "in/shard*", "the model has no label nix"},
		{ScoreOptions{OutDir: "o"}, "in/none*", "in/none*: no file matches this pattern"},
		{ScoreOptions{OutDir: "o"}, "none.jsonl", "none.jsonl: no such file"},
		{ScoreOptions{OutDir: "o"}, "memfs://in/**/*", "memfs://in/**/*: ** would match no more than * there"},
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
	if _, err := runScore(t, ScoreOptions{Model: "m.nbm", OutDir: "rows"}, "in/shard*"); err != nil {
		t.Fatal(err)
	}
	if _, err := runScore(t, ScoreOptions{Model: "m.nbm", OutDir: "rows", Options: scoring.Options{Top: pointer(2)}}, "in/shard*"); err == nil || !strings.Contains(err.Error(), `--out-dir rows has files of another run: without --top, not with --top "2"`) {
		t.Errorf("another run: %v", err)
	}
	// An output is not taken for that of an input of the same name in another folder, nor for one of this run.
	if _, err := runScore(t, ScoreOptions{Model: "m.nbm", OutDir: "rows"}, "twice/shard*"); err == nil || !strings.Contains(err.Error(), "--out-dir rows has the outputs of inputs in other folders than twice: ") {
		t.Errorf("another folder: %v", err)
	}
	must.OK(t, os.Remove("rows/"+RunName))
	if _, err := runScore(t, ScoreOptions{Model: "m.nbm", OutDir: "rows"}, "in/shard*"); err == nil || !strings.Contains(err.Error(), "rows/shard-00.tsv exists, but not rows/"+RunName) {
		t.Errorf("without a record: %v", err)
	}
}
