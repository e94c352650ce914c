package nbsvmbeam

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/flags"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
	"github.com/seed-167f963f/nbsvm/internal/job/scoring"
	"github.com/seed-167f963f/nbsvm/internal/must"
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

// nbsvmRecords runs nbsvm with --json and returns the counts of the object that it prints.
func nbsvmRecords(t *testing.T, folder string, args ...string) string {
	t.Helper()
	path, err := command()
	must.OK(t, err)
	run := exec.Command(path, args...)
	run.Dir = folder
	out, err := run.Output()
	var of struct{ Records outdir.Counts }
	if wrong := json.Unmarshal(out, &of); wrong != nil {
		t.Fatalf("nbsvm %s: %v: %s: %v", strings.Join(args, " "), err, out, wrong)
	}
	return fmt.Sprint(of.Records)
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

// runScore scores by a pipeline and returns the summary.
func runScore(t *testing.T, o ScoreOptions, patterns ...string) (Summary, error) {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	made, err := Score(s, Match(s, patterns...), o)
	must.OK(t, err)
	path := join(o.OutDir, SummaryName)
	WriteSummary(s, Summarise(s, made), path)
	if _, err := ptest.RunWithMetrics(p); err != nil {
		return Summary{}, err
	}
	return readSummary(t, path), nil
}

// readSummary reads what a pipeline has written.
func readSummary(t *testing.T, path string) (sum Summary) {
	t.Helper()
	text, err := ReadFile(t.Context(), path)
	must.OK(t, err)
	must.OK(t, json.Unmarshal(text, &sum))
	return sum
}

// twiceFn doubles strings.
type twiceFn struct{}

// ProcessElement doubles one.
func (*twiceFn) ProcessElement(s string, emit func(string)) {
	emit(s)
	emit(s)
}

func init() { register.DoFn2x0[string, func(string)](&twiceFn{}) }

// contents are the files in a folder by name, those of hidden folders too; what pipelines alone have is left out.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	if !isLocal(folder) {
		of, err := system(folder)
		must.OK(t, err)
		for _, pattern := range []string{"/*", "/" + outdir.RecordName + "/*", "/" + temporaryFolder + "/*"} {
			found, err := of.List(t.Context(), folder+pattern)
			must.OK(t, err)
			for _, path := range found {
				text, err := filesystem.Read(t.Context(), of, path)
				must.OK(t, err)
				files[strings.TrimPrefix(path, folder+"/")] = string(text)
			}
		}
	} else if err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // nothing was made yet
		}
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	delete(files, SummaryName)
	if isLocal(folder) {
		for name, text := range files {
			if path.Base(name) == outdir.RecordName {
				files[name] = sortedRecord(strings.SplitAfter(text, "\n"))
			}
		}
		return files
	}
	lines := []string{files[outdir.RecordName+".head"]}
	delete(files, outdir.RecordName+".head")
	for name, text := range files {
		if strings.HasPrefix(name, outdir.RecordName+"/") {
			lines = append(lines, text)
			delete(files, name)
		}
	}
	if lines[0] != "" {
		files[outdir.RecordName] = sortedRecord(lines)
	}
	return files
}

// sortedRecord is a record with the last entry of each output, in order: whoever was killed may have added one, too.
func sortedRecord(lines []string) string {
	last := map[string]string{}
	for _, line := range lines[1:] {
		input, _, _ := strings.Cut(line, ",")
		last[input] = line
	}
	return lines[0] + strings.Join(slices.Sorted(maps.Values(last)), "")
}

// modified is when an input was last written.
var modified = regexp.MustCompile(`"modified":"[^"]*"`)

// wantSame compares folders, of which a record may name the model, and bad notes the inputs, otherwise.
func wantSame(t *testing.T, got, want map[string]string, replace ...string) {
	t.Helper()
	other := strings.NewReplacer(replace...)
	for name := range want {
		text := got[name]
		wanted := want[name]
		if strings.HasPrefix(name, ".") && len(replace) > 0 { // and copies are younger
			text, wanted = modified.ReplaceAllString(other.Replace(text), ""), modified.ReplaceAllString(wanted, "")
		}
		if text != wanted {
			t.Errorf("%s differs: %d bytes, want %d: %.300q, want %.300q", name, len(text), len(want[name]), text, want[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			t.Errorf("%s should not be there", name)
		}
	}
}

func pointer[T any](v T) *T { return &v }

// scoreCases are options with the flags that mean the same to nbsvm score.
var scoreCases = map[string]struct {
	o     ScoreOptions
	flags []string
}{
	"rows":       {},
	"jsonl":      {ScoreOptions{Options: scoring.Options{OutputFormat: "jsonl", IDField: "id", KeepFields: []string{"label"}, AllScores: true}}, []string{"--output-format", "jsonl", "--id-field", "id", "--keep-fields", "label", "--all-scores"}},
	"top":        {ScoreOptions{Options: scoring.Options{OutputFormat: "fasttext", Top: pointer(2)}}, []string{"--output-format", "fasttext", "--top", "2"}},
	"label":      {ScoreOptions{Options: scoring.Options{Label: pointer("good"), Threshold: pointer(0.25)}, Compress: flags.Compress{How: "zstd"}}, []string{"--label", "good", "--threshold", "0.25", "--compress", "zstd"}},
	"where":      {ScoreOptions{Options: scoring.Options{Where: `p("good") >= 0.5`}}, []string{"--where", `p("good") >= 0.5`}},
	"rejects":    {ScoreOptions{Rejects: "rejects", Options: scoring.Options{Where: "p < 0.5"}, Input: flags.Input{Format: "jsonl", TextField: "text"}}, []string{"--where", "p < 0.5", "--rejects", "rejects", "--format", "jsonl", "--text-field", "text"}},
	"add":        {ScoreOptions{Options: scoring.Options{AddField: "q", Label: pointer("good")}, Input: flags.Input{OnBad: "skip"}}, []string{"--add-field", "q", "--label", "good", "--on-bad", "skip"}},
	"quarantine": {ScoreOptions{Options: scoring.Options{Where: "p < 0.5"}, Input: flags.Input{OnBad: "quarantine=broken"}}, []string{"--where", "p < 0.5", "--on-bad", "quarantine=broken"}},
}

// TestScore: a pipeline makes what nbsvm score --out-dir does, byte for byte, whatever the options; also of files in
// another file system, with a model that is there.
func TestScore(t *testing.T) {
	folder := newShop(t, 9)
	writeFile(t, filepath.Join(folder, "in", "shard-90.jsonl"), "{\"id\":1,\"text\":\"good film\"}\nno object\n{\"id\":2,\"text\":\"bad film\"}\n")
	t.Chdir(folder)
	shards, err := filepath.Glob("in/*")
	must.OK(t, err)
	for name, c := range scoreCases {
		t.Run(name, func(t *testing.T) {
			inputs := shards
			if c.o.OnBad == "" {
				inputs = shards[:len(shards)-1]
			}
			work := t.TempDir()
			t.Chdir(work)
			args := append([]string{"score", "--out-dir", "one"}, c.flags...)
			args = append(args, filepath.Join(folder, "m.nbm"))
			for i := range inputs {
				inputs[i] = filepath.Join(folder, "in", filepath.Base(inputs[i]))
			}
			code := nbsvmRun(t, work, append(args, inputs...)...)
			c.o.OutDir = "beam"
			beside := ""
			for _, f := range c.o.job().Folders[1:] {
				beside = f.Path
			}
			wantBeside := map[string]string{}
			if beside != "" {
				wantBeside = contents(t, beside)
				os.RemoveAll(beside)
			}
			o := c.o
			o.Model, o.OutDir = filepath.Join(folder, "m.nbm"), "beam"
			sum, err := runScore(t, o, inputs...)
			must.OK(t, err)
			if int(sum.Files) != len(inputs) || sum.Failed > 0 || (sum.Records.Bad > 0) != (code == 3) {
				t.Errorf("%+v, and nbsvm has exit code %d", sum, code)
			}
			wantSame(t, contents(t, "beam"), contents(t, "one"))
			if beside != "" {
				wantSame(t, contents(t, beside), wantBeside, "../beam", "../one")
			}
			again, err := runScore(t, o, inputs...)
			if again.There, again.Written = 0, again.There; err != nil || fmt.Sprint(again) != fmt.Sprint(sum) {
				t.Errorf("passed over, the summary is %+v (%v), not %+v", again, err, sum)
			}
			// Elsewhere.
			at := "memfs://" + name
			copyTo(t, o.Model, at+"/m.nbm")
			var remote []string
			for _, input := range inputs {
				remote = append(remote, at+"/in/"+filepath.Base(input))
				copyTo(t, input, remote[len(remote)-1])
			}
			o.Model, o.OutDir = at+"/m.nbm", at+"/out"
			if o.Rejects != "" {
				o.Rejects = at + "/" + o.Rejects
			}
			if q := o.OnBad.Quarantine(); q != "" {
				o.OnBad = corpus.OnBad("quarantine=" + at + "/" + q)
			}
			if _, err := runScore(t, o, remote...); err != nil {
				t.Fatal(err)
			}
			wantSame(t, contents(t, at+"/out"), contents(t, "one"), at+"/rejects", "../rejects", at+"/broken", "../broken", at, folder)
			if beside != "" {
				wantSame(t, contents(t, at+"/"+beside), wantBeside, at+"/out", "../one", at, folder)
			}
		})
	}
}

// TestScoreEqualNames: shards of one name keep their folders, on this machine and elsewhere, as with nbsvm.
func TestScoreEqualNames(t *testing.T) {
	folder := newShop(t, 2)
	t.Chdir(folder)
	shards, err := filepath.Glob("in/*")
	must.OK(t, err)
	var local, remote []string
	for k, shard := range shards {
		text, err := os.ReadFile(shard)
		must.OK(t, err)
		name := fmt.Sprintf("days/%02d/a%s", k, filepath.Base(shard)[len("shard-00"):])
		must.OK(t, os.MkdirAll(filepath.Dir(name), 0o777))
		writeFile(t, name, string(text))
		local, remote = append(local, name), append(remote, "memfs://equal/"+name)
		copyTo(t, shard, remote[k])
	}
	nbsvmRun(t, folder, append([]string{"score", "--out-dir", "one", "m.nbm"}, local...)...)
	copyTo(t, "m.nbm", "memfs://equal/m.nbm")
	for out, inputs := range map[string][]string{"beam": local, "memfs://equal/out": remote} {
		for range 2 { // the second time, all is there
			o := ScoreOptions{Model: "m.nbm", OutDir: out}
			if sum, err := runScore(t, o, inputs...); err != nil || sum.Files != 2 || sum.Failed > 0 {
				t.Fatalf("%s: %+v, %v", out, sum, err)
			}
		}
		for k := range shards {
			sub := fmt.Sprintf("/%02d", k)
			wantSame(t, contents(t, out+sub), contents(t, "one"+sub), "memfs://equal/", "")
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
