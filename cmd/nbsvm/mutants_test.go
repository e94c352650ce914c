package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// laboratory is a folder with small files of every format, which are changed, and put through every command that reads
// them.
type laboratory struct {
	*workshop
	models    [][]byte
	corpora   [][]byte
	fastTexts [][]byte // models of the fastText program
	tagModels [][]byte
	sentences []input
	documents []input
	folders   []outputs // of --out-dir
	good      string    // a corpus
	faults    int       // found
}

// Bounds of what any command may take on files as small as these.
const (
	mostTime   = 20 * time.Second // as much as a machine may be busy otherwise
	mostMemory = 64 << 20         // and 8 times the file
)

func newLaboratory(t testing.TB) *laboratory {
	t.Helper()
	l := &laboratory{workshop: newWorkshop(t)}
	var text, several, features, inTree, many bytes.Buffer
	for i := range 24 {
		label, words := document(i, 3)
		words = strings.Join(strings.Fields(words)[:4], " ")
		fmt.Fprintf(&text, "%s\t%s\n", label, words)
		more, _ := document(i/2, 3)
		fmt.Fprintf(&several, "%s,%s\t%s\n", label, more, words)
		fmt.Fprintf(&inTree, "%s\t%s\n", []string{"a/x", "a/y/1", "a/y/2", "a/y", "b/only"}[i%5], words)
		fmt.Fprintf(&features, "%d 1:%d 2:0.5 %d:%g\n", i%2, i+1, 3+i%5, 0.25*float64(i+1))
	}
	l.write("text.tsv", text.Bytes())
	l.write("several.tsv", several.Bytes())
	l.write("tree.tsv", inTree.Bytes())
	for i := range 600 { // of more classes than a byte numbers
		fmt.Fprintf(&many, "c%d\tw%d w%d w%d\n", i%300, i%300, i%7, 300+i%31)
	}
	l.write("many.tsv", many.Bytes())
	l.write("features.svm", features.Bytes())
	l.write("extreme.svm", []byte("0 1:-1 2:0\n1 1:3.4e38 3:-3.4e38\n0 2:1e-45 5:1e-45\n1 4:3.4e38 5:3.4e38 6:1e-45\n0\n"))
	l.write("weighted.jsonl", []byte(strings.Repeat(`{"l":"a","t":"one two","w":2}`+"\n"+`{"l":"b","t":"two three","w":0.5}`+"\n", 5)))

	for k, args := range [][]string{
		{"--ngrams", "1-2", "text.tsv"},
		{"--model", "svm", "--calibrate", "--values", "log-tfidf", "--prenormalize", "text.tsv"},
		{"--model", "mnb", "--values", "count", "--min-df", "2", "text.tsv"},
		{"--model", "svm", "many.tsv"},
		{"--label-sep", ",", "several.tsv"},
		{"--hierarchy=/", "--calibrate", "tree.tsv"},
		{"--hierarchy=/", "--model", "mnb", "tree.tsv"},
		{"--tree=always", "tree.tsv"},
		{"--tree=always", "--calibrate", "--model", "svm", "--label-sep", ",", "several.tsv"},
		{"--calibrate", "features.svm"},
		{"--model", "svm", "features.svm"},
		{"--model", "knn", "several.tsv"},
		{"--model", "knn", "--values", "count", "--text-field", "t", "--label-field", "l", "--weight-field", "w", "weighted.jsonl"},
		{"--text-field", "t", "--label-field", "l", "--weight-field", "w", "weighted.jsonl"},
		{"--model", "perceptron", "features.svm"},
		{"--model", "pa", "--label-sep", ",", "--values", "tfidf", "several.tsv"},
		{"--model", "cnb", "text.tsv"},
		{"--model", "rocchio", "--label-sep", ",", "several.tsv"},
		{"--model", "gbdt", "--rounds", "3", "text.tsv"},
		{"--model", "gbdt", "--rounds", "3", "features.svm"},
	} {
		name := fmt.Sprint("m", k, ".nbm")
		l.must(append([]string{"train", "-q", "--bits", "10", "-o", name}, args...)...)
		names := []string{name}
		// Trees and neighbours have no weights to round, and those of many classes are rounded.
		if !slices.Contains(args, "gbdt") && !slices.Contains(args, "knn") && !slices.Contains(args, "many.tsv") {
			names = append(names, "small.nbm")
			l.must("quantize", "-q", "-o", "small.nbm", name)
		}
		for _, name := range names {
			l.models = append(l.models, l.read(name))
		}
	}
	l.good = "c0.nbc"
	for k, args := range [][]string{
		{"text.tsv"},
		{"--values", "count", "--names", "--ngrams", "1-2", "text.tsv"},
		{"--label-sep", ",", "several.tsv"},
		{"features.svm"},
		{"--text-field", "t", "--label-field", "l", "--weight-field", "w", "weighted.jsonl"},
	} {
		name := fmt.Sprint("c", k, ".nbc")
		l.must(append([]string{"pack", "-q", "--min-df", "1", "-o", name}, args...)...)
		l.corpora = append(l.corpora, l.read(name))
	}
	l.prepareInputs()
	return l
}

// fault tells of what should not be.
func (l *laboratory) fault(format string, args ...any) {
	l.t.Helper()
	l.faults++
	l.t.Errorf(format, args...)
}

// invoke runs a command in this process. What names a file of the folder is made its path.
func (l *laboratory) invoke(args ...string) (code int, out, said string) {
	l.t.Helper()
	full := make([]string, len(args))
	for i, arg := range args {
		full[i] = arg
		if isFile := filepath.Ext(arg) != "" || arg == "out" || strings.HasPrefix(arg, "part"); isFile {
			full[i] = l.in(arg)
		}
	}
	ctx, cancel := context.WithTimeout(l.t.Context(), mostTime)
	defer cancel()
	// What heeds no cancellation ends the test.
	watchdog := time.AfterFunc(2*mostTime, func() { panic(fmt.Sprintf("nbsvm %s hangs", full)) })
	defer watchdog.Stop()
	var stdout, stderr bytes.Buffer
	code = run(ctx, full, streams{strings.NewReader(""), &stdout, &stderr})
	if ctx.Err() != nil {
		l.fault("%v takes too long", full)
	}
	if code == exitCrashed {
		l.fault("%v: %s", full, &stderr)
	}
	return code, stdout.String(), stderr.String()
}

func (l *laboratory) must(args ...string) {
	l.t.Helper()
	if code, _, said := l.invoke(args...); code != exitDone {
		l.t.Fatalf("%v: exit code %d: %s", args, code, said)
	}
}

// bounded runs what reads a file of so many bytes, and wants it to take no more memory than it may.
func (l *laboratory) bounded(size int, commands func()) {
	l.t.Helper()
	before, ok := testkit.ResetPeak()
	commands()
	if after, _ := testkit.PeakMemory(); ok && !must.RaceEnabled && after-before > mostMemory+8*int64(size) {
		l.fault("a file of %d bytes takes %s", size, display.Bytes(after-before))
	}
}

// outputs wants of a command that a file which it has written is one that verify takes.
func (l *laboratory) outputs(args ...string) {
	l.t.Helper()
	out := l.in("out")
	defer os.Remove(out)
	if code, _, said := l.invoke(args...); code == exitDone {
		if code, _, refused := l.invoke("verify", "out"); code != exitDone {
			l.fault("%v: %s: its output is refused: %s", args, said, refused)
		}
	}
}

// jsonRows wants rows that are JSON.
func (l *laboratory) jsonRows(args ...string) {
	l.t.Helper()
	code, out, said := l.invoke(args...)
	if code != exitDone && code != exitBad {
		return
	}
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var v any
		if err := d.Decode(&v); err == io.EOF {
			return
		} else if err != nil {
			l.fault("%v: %s: output is no JSON: %v: %.300s", args, said, err, out)
			return
		}
	}
}

// model takes a model through every command that reads one. It says whether the model is one.
func (l *laboratory) model(data []byte) (accepted bool) {
	l.t.Helper()
	const bad = "bad.nbm"
	l.write(bad, data)
	l.bounded(len(data), func() {
		code, _, _ := l.invoke("verify", bad)
		opened, _, said := l.invoke("inspect", bad)
		if accepted = code == exitDone; !accepted {
			if opened == exitDone {
				l.fault("verify refuses a model that inspect takes")
			}
			return
		}
		if opened != exitDone && !strings.Contains(said, bad) {
			l.fault("inspect says %s", said)
		}
		l.jsonRows("inspect", "--json", bad)
		for _, input := range []string{"text.tsv", "features.svm", "extreme.svm", "c0.nbc", "c1.nbc", "c3.nbc"} {
			l.jsonRows("eval", "--json", bad, input)
			if !strings.HasSuffix(input, ".nbc") {
				l.jsonRows("score", "-q", "--output-format", "jsonl", "--all-scores", bad, input)
				l.invoke("score", "-q", "--output-format", "tsv", bad, input)
				l.invoke("export", "-o", "out", bad, input)
			}
		}
		l.jsonRows("explain", "--json", bad)
		l.invoke("explain", bad)
		l.invoke("report", "-o", "out", bad, "text.tsv")
		l.jsonRows("explain", "--json", bad, "text.tsv")
		l.invoke("export", "-o", "out", bad)
		for _, input := range []string{"text.tsv", "several.tsv", "features.svm", "extreme.svm"} {
			l.outputs("train", "-q", "--from", bad, "-o", "out", input)
		}
		l.outputs("quantize", "-q", "-o", "out", bad)
	})
	return accepted
}

// corpus takes a packed corpus through every command that reads one.
func (l *laboratory) corpus(data []byte) (accepted bool) {
	l.t.Helper()
	const bad = "bad.nbc"
	l.write(bad, data)
	l.bounded(len(data), func() {
		code, _, _ := l.invoke("verify", bad)
		opened, _, said := l.invoke("inspect", bad)
		if accepted = code == exitDone; accepted && opened != exitDone {
			l.fault("inspect says %s", said)
		}
		if opened != exitDone {
			return
		}
		// What can be opened, others may look at before they find that the rows are wrong.
		l.jsonRows("inspect", "--json", bad)
		l.outputs("train", "-q", "--bits", "10", "-o", "out", bad)
		l.outputs("train", "-q", "--bits", "10", "--model", "mnb", "-o", "out", bad)
		for _, kind := range []string{"perceptron", "pa", "cnb", "rocchio"} {
			l.outputs("train", "-q", "--bits", "10", "--model", kind, "--values", "binary", "-o", "out", bad)
		}
		l.outputs("train", "-q", "--bits", "10", "--model", "svm", "--memory", "34MiB", "--calibrate", "-o", "out", bad)
		l.outputs("train", "-q", "--bits", "10", "--valid", bad, "-o", "out", "text.tsv")
		l.jsonRows("cv", "--json", "-q", "--bits", "10", "--folds", "2", bad)
		for _, model := range []string{"m0.nbm", "m2.nbm", "m3.nbm", "m4.nbm"} {
			l.jsonRows("eval", "--json", model, bad)
		}
		l.outputs("merge", "-q", "-o", "out", bad, bad)
		l.outputs("merge", "-q", "--min-df", "2", "-o", "out", l.good, bad)
	})
	return accepted
}

// formats are what is changed, and how many mutants are tried without NBSVM_MUTANTS; try makes one, and takes it
// through the commands.
var formats = []struct {
	name  string
	usual int
	try   func(l *laboratory, m mutator) (data []byte, accepted bool)
}{
	{"model", 40, func(l *laboratory, m mutator) ([]byte, bool) {
		data := m.container(choice(m, l.models), m.times())
		return data, l.model(data)
	}},
	{"corpus", 40, func(l *laboratory, m mutator) ([]byte, bool) {
		data := m.container(choice(m, l.corpora), m.times())
		return data, l.corpus(data)
	}},
	{"fasttext", 20, (*laboratory).fastText},
	{"tag", 40, (*laboratory).tag},
	{"sentences", 20, (*laboratory).tagged},
	{"documents", 20, (*laboratory).text},
	{"folder", 20, (*laboratory).outputFolder},
}

// mutant makes a mutant of a format, the same for the same seed, and takes it through the commands.
func (l *laboratory) mutant(format int, seed uint64) (accepted bool) {
	l.t.Helper()
	before := l.faults
	data, accepted := formats[format].try(l, mutator{rand.New(rand.NewPCG(seed, 7))})
	if l.faults > before {
		l.t.Errorf("this was %s %d, of %d bytes", formats[format].name, seed, len(data))
	}
	return accepted
}

// TestMutants: whatever is in a file whose checksums are right, no command crashes, hangs, takes much memory, or makes
// of it what verify refuses.
func TestMutants(t *testing.T) {
	must.SkipUnderRace(t)
	l := newLaboratory(t)
	for _, file := range slices.Concat(l.models, l.corpora, l.tagModels) {
		if !bytes.Equal((mutator{}).container(file, 0), file) {
			t.Errorf("a file that begins with %q has other bytes without changes", file[:8])
		}
	}
	first := uint64(amount("NBSVM_MUTANT", 1))
	limit := time.Duration(math.MaxInt64) // for each format
	if text := os.Getenv("NBSVM_MUTANT_TIME"); text != "" {
		var err error
		if limit, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	for k, format := range formats {
		if only := os.Getenv("NBSVM_MUTANT_FORMAT"); only != "" && only != format.name {
			continue
		}
		usual := format.usual
		if testing.Short() {
			usual /= 4
		}
		n := amount("NBSVM_MUTANTS", usual)
		accepted, seed, start := 0, first, time.Now()
		for ; seed < first+uint64(n) && time.Since(start) < limit; seed++ {
			if os.Getenv("NBSVM_MUTANT_TRACE") != "" {
				fmt.Fprintln(os.Stderr, format.name, seed)
			}
			if l.mutant(k, seed) {
				accepted++
			}
			if l.faults >= 10 {
				t.FailNow()
			}
		}
		t.Logf("%s: %d mutants, %d of them accepted, in %v", format.name, seed-first, accepted, time.Since(start).Round(time.Second))
	}
}
