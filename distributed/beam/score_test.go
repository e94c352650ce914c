package nbsvmbeam

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

func TestMain(m *testing.M) { ptest.MainWithDefault(m, "prism") }

// command is the path of nbsvm, whose outputs are the reference: one process, without Beam.
var command = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "nbsvm-beam-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "nbsvm")
	if out, err := exec.Command("go", "build", "-C", filepath.Join("..", ".."), "-o", path, "./cmd/nbsvm").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// nbsvmRun runs nbsvm in a folder and returns its exit code.
func nbsvmRun(t *testing.T, folder string, args ...string) int {
	t.Helper()
	path, err := command()
	must.OK(t, err)
	run := exec.Command(path, args...)
	run.Dir = folder
	out, err := run.CombinedOutput()
	if err != nil && run.ProcessState == nil {
		t.Fatal(err)
	}
	if code := run.ProcessState.ExitCode(); code == 2 {
		t.Fatalf("nbsvm %s: %s", strings.Join(args, " "), out)
	}
	return run.ProcessState.ExitCode()
}

// texts are documents of two classes, by a generator of this number.
func texts(seed uint64, n int) (labels, all []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	words := strings.Fields("the a film plot was is great bad dull fine wonderful awful scene actor of and in it with")
	for range n {
		k := r.IntN(2)
		var text []string
		for range 5 + r.IntN(60) {
			w := words[r.IntN(len(words))]
			if r.IntN(4) == 0 {
				w = [][]string{{"awful", "dull", "boring"}, {"great", "fine", "wonderful"}}[k][r.IntN(3)]
			}
			text = append(text, w)
		}
		labels, all = append(labels, []string{"bad", "good"}[k]), append(all, strings.Join(text, " "))
	}
	return labels, all
}

// newShop is a folder with a model, and shards of several formats in its folder in.
func newShop(t *testing.T, shards int) string {
	t.Helper()
	if _, err := command(); err != nil { // before the test goes elsewhere
		t.Fatal(err)
	}
	folder := t.TempDir()
	labels, all := texts(99, 2000)
	o := nbsvm.DefaultOptions()
	o.Calibrate = true
	in := corpus.Input{Documents: func(yield func(corpus.Document, error) bool) {
		for i := range all {
			if !yield(corpus.Document{Labels: [][]byte{[]byte(labels[i])}, Text: []byte(all[i])}, nil) {
				return
			}
		}
	}}
	c, _, err := nbsvm.Train(t.Context(), in, o)
	must.OK(t, err)
	defer c.Close()
	must.OK(t, c.Save(filepath.Join(folder, "m.nbm")))
	must.OK(t, os.Mkdir(filepath.Join(folder, "in"), 0o777))
	for k := range shards {
		name, content := jsonShard(uint64(k), 50+400*(k%4))
		if k%3 == 1 {
			z, _ := zstd.NewWriter(nil)
			name, content = name+".zst", string(z.EncodeAll([]byte(content), nil))
		}
		writeFile(t, filepath.Join(folder, "in", name), content)
	}
	return folder
}

// jsonShard is a shard of JSON lines.
func jsonShard(k uint64, n int) (name, content string) {
	labels, all := texts(k, n)
	var b strings.Builder
	for i := range all {
		fmt.Fprintf(&b, `{"id":%d,"label":%q,"text":%q}`+"\n", i, labels[i], all[i])
	}
	return fmt.Sprintf("shard-%02d.jsonl", k), b.String()
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	must.OK(t, os.WriteFile(path, []byte(content), 0o666))
}

// runScore scores by a pipeline and returns its counters.
func runScore(t *testing.T, o ScoreOptions, patterns ...string) (map[string]int64, error) {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	must.OK(t, Score(s, Match(s, patterns...), o))
	return counters(ptest.RunWithMetrics(p))
}

// counters are those of a pipeline that has run.
func counters(r beam.PipelineResult, err error) (map[string]int64, error) {
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for _, c := range r.Metrics().AllMetrics().Counters() {
		counts[c.Key.Name] += c.Committed
	}
	return counts, nil
}

// twiceFn doubles strings.
type twiceFn struct{}

// ProcessElement doubles one.
func (*twiceFn) ProcessElement(s string, emit func(string)) {
	emit(s)
	emit(s)
}

func init() { register.DoFn2x0[string, func(string)](&twiceFn{}) }

// contents are the files in a folder by name, but for hidden ones.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	found, err := list(t.Context(), join(folder, "*"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, file := range found {
		text, err := readFile(t.Context(), file)
		must.OK(t, err)
		files[path.Base(filepath.ToSlash(file))] = string(text)
	}
	return files
}

// wantSame compares folders.
func wantSame(t *testing.T, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if text := got[name]; text != want[name] {
			t.Errorf("%s differs: %d bytes, want %d: %.300q, want %.300q", name, len(text), len(want[name]), text, want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
}

func pointer[T any](v T) *T { return &v }

// scoreCases are options with the flags that mean the same to nbsvm score.
var scoreCases = map[string]struct {
	o     ScoreOptions
	flags []string
}{
	"rows":    {},
	"jsonl":   {ScoreOptions{Options: scoring.Options{OutputFormat: "jsonl", IDField: "id", KeepFields: []string{"label"}, AllScores: true}}, []string{"--output-format", "jsonl", "--id-field", "id", "--keep-fields", "label", "--all-scores"}},
	"top":     {ScoreOptions{Options: scoring.Options{OutputFormat: "fasttext", Top: pointer(2)}}, []string{"--output-format", "fasttext", "--top", "2"}},
	"label":   {ScoreOptions{Options: scoring.Options{Label: pointer("good"), Threshold: pointer(0.25)}, Compress: scoring.Compress{How: "zstd"}}, []string{"--label", "good", "--threshold", "0.25", "--compress", "zstd"}},
	"parts":   {ScoreOptions{Options: scoring.Options{OutputFormat: "jsonl", Per: "sentence", Over: "max"}}, []string{"--output-format", "jsonl", "--per", "sentence", "--over", "max"}},
	"where":   {ScoreOptions{Options: scoring.Options{Where: `p("good") >= 0.5`}}, []string{"--where", `p("good") >= 0.5`}},
	"rejects": {ScoreOptions{Rejects: "rejects", Options: scoring.Options{Where: "p < 0.5"}, Input: scoring.Input{Files: scoring.Files{Format: "jsonl"}, TextField: "text"}}, []string{"--where", "p < 0.5", "--rejects", "rejects", "--format", "jsonl", "--text-field", "text"}},
	"several": {
		ScoreOptions{Attributes: "attributes", Options: scoring.Options{Where: `a.p("good") >= 0.5 and b.label == "good"`, IDField: "id"}},
		[]string{"--where", `a.p("good") >= 0.5 and b.label == "good"`, "--id-field", "id", "--attributes", "attributes"},
	},
	"add": {ScoreOptions{Options: scoring.Options{AddField: "q", Label: pointer("good")}, Input: scoring.Input{Files: scoring.Files{OnBad: "skip"}}}, []string{"--add-field", "q", "--label", "good", "--on-bad", "skip"}},
}

// TestScore: a pipeline makes what nbsvm score --out-dir does, byte for byte, whatever the options; also of files in
// another file system, with a model that is there. Run again, it makes nothing.
func TestScore(t *testing.T) {
	folder := newShop(t, 9)
	writeFile(t, filepath.Join(folder, "in", "shard-90.jsonl"), "{\"id\":1,\"text\":\"good film\"}\nno object\n{\"id\":2,\"text\":\"bad film\"}\n")
	t.Chdir(folder)
	all, err := filepath.Glob("in/*")
	must.OK(t, err)
	for name, c := range scoreCases {
		inputs := all
		if c.o.OnBad == "" {
			inputs = all[:len(all)-1]
		}
		one, models := "one-"+name, []string{"m.nbm"}
		if name == "several" {
			models = []string{"--model", "a=m.nbm", "--model", "b=m.nbm"}
		}
		nbsvmRun(t, folder, slices.Concat([]string{"score", "--out-dir", one}, c.flags, models, inputs)...)
		for _, at := range []string{"beam-" + name, "memfs://" + name} {
			o, given := c.o, inputs
			o.Model, o.OutDir = "m.nbm", join(at, "out")
			if o.Rejects != "" {
				o.Rejects = join(at, "no")
			}
			if o.Attributes != "" {
				o.Attributes = join(at, "rows")
			}
			if !isLocal(at) {
				o.Model, given = join(at, "m.nbm"), nil
				copyTo(t, "m.nbm", o.Model)
				for _, input := range inputs {
					given = append(given, join(at, filepath.ToSlash(input)))
					copyTo(t, input, given[len(given)-1])
				}
			}
			if name == "several" {
				o.Models, o.Model = []string{"a=" + o.Model, "b=" + o.Model}, ""
			}
			for again := range 2 {
				got, err := runScore(t, o, given...)
				must.OK(t, err)
				if got[[]string{Written, There}[again]] != int64(len(inputs)) || got[Failed] > 0 || got[Bad] != int64(len(inputs)/10*(1-again)) {
					t.Errorf("%s, %d times before: %v", at, again, got)
				}
				wantSame(t, contents(t, o.OutDir), contents(t, one))
				if o.Rejects != "" {
					wantSame(t, contents(t, o.Rejects), contents(t, "rejects"))
				}
				if o.Attributes != "" {
					wantSame(t, contents(t, o.Attributes), contents(t, "attributes"))
				}
			}
		}
	}
}

// copyTo copies a file of this machine into memory.
func copyTo(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	must.OK(t, err)
	memfs.Write(to, text)
}
