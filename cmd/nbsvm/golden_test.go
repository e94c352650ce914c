package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

var update = flag.Bool("update", false, "write testdata/golden*.txt again")

// goldenCase runs commands, and hashes the models, scores and corpora that they make.
type goldenCase struct {
	name  string
	short bool // run with -short
	run   func(g *golden)
}

// goldenCases cover every kind of model, input and value, each from text, from the packed
// corpus and from rows on disk.
func goldenCases() []goldenCase {
	var cases []goldenCase
	add := func(name string, short bool, run func(g *golden)) {
		cases = append(cases, goldenCase{name, short, run})
	}
	// Of every kind of input: the corpus, the model of the text and of the corpus, scores,
	// an evaluation.
	for _, in := range []struct {
		name, pack, train string
		short             bool
	}{
		{name: "two.tsv", short: true},
		{name: "six.tsv", short: true},
		{name: "many.tsv", pack: "--preset language --ngrams 1-3"},
		{name: "unbalanced.tsv"},
		{name: "chinese.tsv", pack: "--ngrams char", short: true},
		{name: "odd.tsv"},
		{name: "weights.csv"},
		{name: "labels.jsonl", short: true},
		{name: "features.svm", short: true},
		{name: "features.svm", train: "--min-df 5 --model svm"},
		{name: "two.tsv", pack: "--values count", train: "--values count"},
		{name: "six.tsv", pack: "--values count", train: "--values log-tfidf --prenormalize"},
		{name: "html.tsv", pack: "--strip-html --no-lowercase --no-punctuation"},
		{name: "six.tsv", pack: "--ngrams space --min-df 1 --seed 7"},
		{name: "six.tsv", pack: "--ngrams word:1-2,char-wb:2-4"},
		{name: "two.tsv", pack: "--min-df 1 --names", train: "--names 500"},
		{name: "six.tsv", train: "--min-df 3 --max-df 0.2"},
		{name: "two.tsv", pack: "--bits 8", short: true},
		{name: "six.tsv", pack: "--bits 12", train: "--model mnb"},
	} {
		add(strings.Join(strings.Fields(in.name+" "+in.pack+" "+in.train), " "), in.short, func(g *golden) {
			g.packed(in.name, in.pack, in.train)
		})
	}
	// Of every model, loss and preset: the model and its scores. What does not depend on the number of classes is tried
	// with several.
	ofBoth := []string{
		"--model svm", "--model logistic", "--model mnb", "--model bnb", "--model knn",
		"--model knn --values count --neighbours 5 --class-weight balanced",
		"--loss hinge", "--loss squared-hinge", "--loss logistic", "--model svm --loss hinge",
		"--calibrate", "--model svm --calibrate", "--beta 0.25 --no-normalize", "--model mnb --values count",
		"--model perceptron", "--model perceptron --hold-out 0.2 --class-weight balanced", "--model pa --values tfidf --C 0.3",
		"--model cnb", "--model cnb --values count", "--model mnb --prenormalize --values tfidf",
		"--model rocchio", "--model rocchio --no-normalize --values log-count",
		"--model gbdt --rounds 20 --depth 4", "--model gbdt --rounds 5 --values tfidf --prenormalize",
	}
	ofSix := []string{
		"--preset sentiment", "--preset language --ngrams 1-3", "--preset paper", "--preset tfidf",
		"--class-weight balanced", "--bias 0", "--C 0.1 --alpha 0.5 --tol 0.1", "--max-epochs 3", "--names 0",
	}
	for in, all := range map[string][]string{"two.tsv": ofBoth, "six.tsv": slices.Concat(ofBoth, ofSix)} {
		for _, flags := range all {
			add(in+" "+flags, in == "six.tsv" && strings.HasPrefix(flags, "--model"), func(g *golden) {
				g.trained(in, ofWords(flags))
			})
		}
	}
	for _, flags := range []string{
		"--calibrate", "--model mnb", "--model logistic --class-weight balanced", "--values tfidf",
		"--model perceptron", "--model pa", "--model cnb", "--model rocchio", "--model gbdt --rounds 5",
	} {
		add("labels.jsonl "+flags, false, func(g *golden) { g.trained("labels.jsonl", ofWords(flags)) })
	}
	for _, flags := range []string{
		"", "--calibrate", "--model logistic",
		"--model mnb", "--model pa", "--model svm --values tfidf --calibrate",
	} {
		add(strings.TrimSpace("tree.tsv "+flags), flags == "", func(g *golden) { g.trained("tree.tsv", ofWords("--hierarchy / "+flags)) })
	}
	add("labels.jsonl --model knn", false, func(g *golden) { g.trained("labels.jsonl", "--model knn --class-weight balanced") })
	add("features.svm --model knn", true, func(g *golden) { g.trained("features.svm", "--model knn") })
	add("many.tsv --model mnb", false, func(g *golden) { g.trained("many.tsv", "--model mnb --ngrams char:1-2") })
	add("unbalanced.tsv --calibrate", false, func(g *golden) { g.trained("unbalanced.tsv", "--calibrate --class-weight balanced") })

	add("merge", true, func(g *golden) {
		g.run("pack --min-df 1 --ngrams 1-2 -o whole two.tsv six.tsv two.tsv")
		g.file("corpus", "whole")
		g.run("pack --min-df 1 --ngrams 1-2 -o part two.tsv")
		g.run("pack --min-df 1 --ngrams 1-2 -o other six.tsv")
		g.run("merge -o merged part other part")
		g.same("merged", "whole")
		g.run("merge --min-df 3 -o few whole other")
		g.file("merged corpus, min-df 3", "few")
		g.output("eval on a corpus", "eval --json "+g.train("--min-df 2 whole")+" other")
	})
	// Packed parts give the model of the corpus that they are merged to.
	add("parts", false, func(g *golden) {
		made := map[string]string{} // parts by how and of what they are packed
		for _, c := range []struct{ pack, train string }{
			{"--names", "--names 200 --min-df 1"},
			{"", "--calibrate"},
			{"--bits 8", "--model logistic --bits 8 --max-df 0.5"},
			{"--values count", "--values tfidf --prenormalize"},
			{"", "--model perceptron --hold-out 0.2"},
			{"--values count", "--model knn"},
			{"--bits 10", "--bits 10 --tol 0.1 --memory 33MiB --min-df 4 --max-df 0.9"},
		} {
			var parts []string
			inputs := []string{"six.tsv", "odd.tsv", "six.tsv"}
			if strings.Contains(c.train, "--memory") {
				inputs = []string{"disk.tsv", "odd.tsv"} // rows stay on disk
			}
			for _, input := range inputs {
				part := made[c.pack+input]
				if part == "" {
					part = fmt.Sprintf("made%d", len(made))
					g.run("pack --min-df 1 --ngrams 1-2 " + c.pack + " -o " + part + " " + input)
					made[c.pack+input] = part
				}
				parts = append(parts, part)
			}
			g.run("merge -o merged " + strings.Join(parts, " "))
			valid := g.run("train --json -o model --valid merged " + c.train + " merged")
			several := strings.Join(parts, " ")
			some := g.run("train --json -o other --valid " + strings.Join(parts, " --valid ") + " " + c.train + " " + several)
			g.same("other", "model")
			if !bytes.Equal(metricsOf(g, valid), metricsOf(g, some)) {
				g.Errorf("%s: metrics on several files of --valid are others", c.train)
			}
			if whole := g.run("eval --json model merged"); !bytes.Equal(whole, g.run("eval --json model "+several)) {
				g.Errorf("%s: the evaluation on parts is another", c.train)
			}
		}
		for _, input := range []string{"labels.jsonl", "features.svm", "weights.csv"} {
			g.run("pack --min-df 1 --ngrams 1-2 -o part0 " + reading(input))
			g.run("merge -o merged part0 part0 part0")
			g.same(g.train("part0 part0 part0"), g.train("merged"))
		}
		if whole := g.run("cv --json --folds 3 merged"); !bytes.Equal(whole, g.run("cv --json --folds 3 part0 part0 part0")) {
			g.Errorf("folds of parts are others")
		}
	})
	add("quantize", true, func(g *golden) {
		for _, input := range []string{"two.tsv", "six.tsv"} {
			model := g.train("--model perceptron " + input) // weights of 32 bits
			g.run("quantize -o quantized " + model)
			g.file(input+" model", "quantized")
			g.output(input+" scores", "score --all-scores quantized "+input)
		}
	})
	add("cv", true, func(g *golden) {
		g.output("folds", "cv --json --folds 3 six.tsv")
		g.output("folds of features", "cv --json --folds 3 features.svm")
		g.output("folds of labels", "cv --json --folds 3 --label-sep , labels.jsonl")
		g.output("grid", "cv --json --folds 3 --grid C=0.1,1 --grid model=svm,mnb two.tsv")
		g.run("pack --min-df 1 -o whole two.tsv")
		g.output("folds of a corpus", "cv --json --folds 3 whole")
	})
	add("explain", true, func(g *golden) {
		for _, input := range []string{"two.tsv", "six.tsv", "labels.jsonl"} {
			model := g.train(reading(input))
			g.output(input, "explain --json --top 20 "+model)
			g.output(input+" texts", "explain --json "+model+" "+reading(input))
		}
	})
	add("export", false, func(g *golden) {
		model := g.train("two.tsv")
		g.output("matrix", "export "+model+" two.tsv")
	})
	add("score forms", true, func(g *golden) {
		model := g.train("--model logistic six.tsv")
		g.output("jsonl", "score --json "+model+" six.tsv")
		g.output("fasttext", "score --output-format fasttext --top 2 "+model+" six.tsv")
		g.output("where", "score --where 'p<0.5' "+model+" six.tsv")
		g.output("label", "score --label c1 "+model+" odd.tsv")
		g.run("score -o all " + model + " six.tsv two.tsv")
		g.file("merged", "all")
	})
	add("tags", true, func(g *golden) {
		g.write("chunks.conll", []byte(testkit.Chunked(150, 3)))
		for _, flags := range []string{"perceptron", "crf", "window"} {
			model := "tags.nbt"
			g.run("tag train --model " + flags + " -o " + model + " chunks.conll")
			g.file(flags, model)
			g.output(flags+" tags", "tag score --json "+model+" chunks.conll")
		}
	})
	// Enough text for counts that don't fit into memory.
	add("large.tsv", false, func(g *golden) {
		g.trained("large.tsv", "--ngrams 1-3 --tol 0.1")
		g.run("pack --preset language --min-df 1 -o whole large.tsv")
		g.file("corpus", "whole")
		g.run("pack --preset language --min-df 1 --memory 8MiB -o little large.tsv")
		g.same("little", "whole")
	})
	add("rows on disk", true, func(g *golden) {
		for _, input := range []string{"disk.tsv", "disk6.tsv"} {
			g.run("pack --bits 10 --min-df 1 --ngrams 1-2 --values count -o whole " + input)
			all := []string{"--tol 0.1", "--model mnb", "--tol 0.1 --model logistic", "--tol 0.1 --values count", "--tol 0.1 --values tfidf --prenormalize"}
			if input == "disk6.tsv" {
				all = all[:2]
			}
			for _, flags := range all {
				g.file(strings.TrimSpace(input+" "+flags), g.train("--bits 10 --memory 33MiB "+flags+" whole"))
			}
		}
	})
	return cases
}

// TestGolden compares the bytes of models, scores and packed corpora, made by one thread or by two, with those that were
// recorded. A change that is meant to change
// bytes records them again, by -update, and says why.
func TestGolden(t *testing.T) {
	must.SkipUnderRace(t)
	path := testdata(t, "golden.txt")
	t.Chdir(goldenInputs(t))
	checkGolden(t, path, goldenCases())
}

// TestGoldenData is TestGolden on real corpora.
func TestGoldenData(t *testing.T) {
	data := os.Getenv("NBSVM_DATA")
	if data == "" {
		t.Skip("NBSVM_DATA is not set: it names the folder of corpora that this test reads")
	}
	if testing.Short() {
		t.Skip("takes a minute")
	}
	data, err := filepath.Abs(data)
	must.OK(t, err)
	var cases []goldenCase
	for _, c := range []struct{ name, flags, folder string }{
		{"imdb", "--ngrams 1-2", "imdb"},
		{"trec", "", "trec"},
		{"banking77", "", "banking77"},
		{"thucnews titles", "--ngrams char", "zh-thucnews-titles"},
		{"reuters", "--label-sep , --ngrams 1-1 --min-df 5", "reuters21578-modapte"},
	} {
		part := func(part string) string { return filepath.Join(data, c.folder, part+".tsv.zst") }
		if _, err := os.Stat(part("train")); err != nil {
			t.Logf("NBSVM_DATA lacks a corpus: %v", err)
			continue
		}
		cases = append(cases, goldenCase{strings.TrimSpace(c.name + " " + c.flags), false, func(g *golden) {
			model := g.train(c.flags + " " + part("train"))
			g.file("model", model)
			g.output("scores", "score --all-scores "+model+" "+part("test"))
		}})
	}
	path := testdata(t, "golden_data.txt")
	t.Chdir(t.TempDir())
	checkGolden(t, path, cases)
}

func testdata(t *testing.T, name string) string {
	path, err := filepath.Abs(filepath.Join("testdata", name))
	must.OK(t, err)
	return path
}

// checkGolden runs cases and compares what they hash with a file of lines hash, name.
func checkGolden(t *testing.T, path string, cases []goldenCase) {
	want := make(map[string]string)
	data, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		of := func(c goldenCase) bool { return strings.HasPrefix(name, c.name+": ") }
		switch {
		case slices.ContainsFunc(cases, of):
			want[name] = hash
		case !*update:
			t.Errorf("%s: %s is of no case; -update removes it", filepath.Base(path), name)
		}
	}
	for _, c := range cases {
		if testing.Short() && !c.short {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			g := &golden{T: t}
			c.run(g)
			if *update {
				maps.DeleteFunc(want, func(name, _ string) bool { return strings.HasPrefix(name, c.name+": ") })
			}
			for name, hash := range g.hashes {
				full := c.name + ": " + name
				switch {
				case *update:
					want[full] = hash
				case want[full] == "":
					t.Errorf("%s has no line in %s", full, filepath.Base(path))
				case want[full] != hash:
					t.Errorf("%s: other bytes", full)
				}
			}
		})
	}
	if !*update {
		return
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(want)) {
		fmt.Fprintf(&b, "%s  %s\n", want[name], name)
	}
	must.OK(t, os.WriteFile(path, []byte(b.String()), 0o666))
}

// golden is a case while it runs.
type golden struct {
	*testing.T
	hashes map[string]string
	n      int // of models
	runs   int // of commands
}

// run runs a command, and returns what it prints. One command has one thread, the next two: recorded bytes tell whether
// they differ. What is recorded is made with both.
func (g *golden) run(line string) []byte {
	g.Helper()
	args := append(fields(line), "-q", "--threads", []string{"1", "2"}[g.runs%2])
	g.runs++
	output := ""
	if k := slices.Index(args, "-o"); k >= 0 {
		output = args[k+1]
	}
	made := func() (file, printed []byte) {
		var out, stderr bytes.Buffer
		if code := run(g.Context(), args, streams{strings.NewReader(""), &out, &stderr}); code != exitDone {
			g.Fatalf("nbsvm %s: exit code %d: %s", line, code, stderr.String())
		}
		if printed = untimed(out.Bytes()); output == "" {
			return printed, printed
		}
		return g.read(output), out.Bytes()
	}
	if *update {
		first, _ := made()
		args[len(args)-1] = []string{"2", "1"}[(g.runs-1)%2]
		second, printed := made()
		if !bytes.Equal(first, second) {
			g.Errorf("nbsvm %s: two threads make other bytes than one", line)
		}
		return printed
	}
	_, printed := made()
	return printed
}

// fields are those of a command line, of which single quotes keep one together.
func fields(line string) []string {
	var args []string
	for k, part := range strings.Split(line, "'") {
		if k%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	return args
}

func (g *golden) read(path string) []byte {
	g.Helper()
	data, err := os.ReadFile(path)
	must.OK(g, err)
	return data
}

func (g *golden) write(path string, data []byte) {
	g.Helper()
	must.OK(g, os.WriteFile(path, data, 0o666))
}

// hash records bytes under a name.
func (g *golden) hash(name string, data []byte) {
	g.Helper()
	if g.hashes == nil {
		g.hashes = make(map[string]string)
	}
	if g.hashes[name] != "" {
		g.Fatalf("two outputs are called %s", name)
	}
	g.hashes[name] = fmt.Sprintf("%x", sha256.Sum256(data))
}

func (g *golden) file(name, path string)   { g.Helper(); g.hash(name, g.read(path)) }
func (g *golden) output(name, line string) { g.Helper(); g.hash(name, g.run(line)) }

// same demands that two files are.
func (g *golden) same(a, b string) {
	g.Helper()
	if !bytes.Equal(g.read(a), g.read(b)) {
		g.Errorf("%s and %s differ", a, b)
	}
}

// ofWords are flags with n-grams of words alone, which take less time than those that so little text has by default.
func ofWords(flags string) string {
	for _, other := range []string{"--preset", "--ngrams", "knn"} {
		if strings.Contains(flags, other) {
			return flags
		}
	}
	return "--ngrams 1-2 " + flags
}

// train makes a model, and returns its name.
func (g *golden) train(flags string) string {
	g.Helper()
	g.n++
	model := fmt.Sprintf("model%d", g.n)
	g.run("train -o " + model + " " + flags)
	return model
}

// trained records a model and its scores.
func (g *golden) trained(input, flags string) {
	g.Helper()
	model := g.train(flags + " " + reading(input))
	g.file("model", model)
	g.output("scores", "score --all-scores "+model+" "+reading(input))
	g.output("evaluation", "eval --json "+model+" "+reading(input))
}

// packed is trained, and records the corpus, which must give the same model.
func (g *golden) packed(input, text, train string) {
	g.Helper()
	g.run("pack -o corpus " + text + " " + reading(input))
	g.file("corpus", "corpus")
	if packed := strings.TrimSuffix(text, " --names"); packed != text { // models have them if the corpus has
		text = packed
	} else {
		train += " --names 0"
	}
	g.trained(input, text+" "+train)
	g.same(g.train(text+" "+train+" corpus"), "model1")
}

// metricsOf are those on --valid in a summary of a training.
func metricsOf(g *golden, summary []byte) []byte {
	g.Helper()
	var s struct{ Valid json.RawMessage }
	if err := json.Unmarshal(summary, &s); err != nil || len(s.Valid) == 0 {
		g.Fatalf("%v: %s", err, summary)
	}
	return s.Valid
}

// reading is an input with the flags that it takes to read it.
func reading(input string) string {
	switch input {
	case "weights.csv":
		return "--text-field text --label-field label --weight-field weight " + input
	case "labels.jsonl":
		return "--label-sep , " + input
	}
	return input
}

// goldenInputs makes the inputs, from integers alone, and returns their folder.
func goldenInputs(t *testing.T) string {
	folder := t.TempDir()
	save := func(name string, document func(b *bytes.Buffer, r *rand.Rand, i int), n int) {
		var b bytes.Buffer
		r := rand.New(rand.NewPCG(uint64(len(name)), uint64(name[0])))
		for i := range n {
			document(&b, r, i)
		}
		must.OK(t, os.WriteFile(filepath.Join(folder, name), b.Bytes(), 0o666))
	}
	classes := func(k, length int) func(b *bytes.Buffer, r *rand.Rand, i int) {
		return func(b *bytes.Buffer, r *rand.Rand, i int) {
			fmt.Fprintf(b, "c%d\t%s\n", i%k, words(r, i%k, 1+r.IntN(length)))
		}
	}
	save("two.tsv", classes(2, 40), 1500)
	save("six.tsv", classes(6, 20), 1200)
	save("tree.tsv", func(b *bytes.Buffer, r *rand.Rand, i int) {
		fmt.Fprintf(b, "%s\t%s\n", []string{"a", "a/x", "a/y", "b/x/1", "b/x/2", "c"}[i%6], words(r, i%6, 1+r.IntN(20)))
	}, 1200)
	save("many.tsv", classes(80, 12), 1600)
	save("disk.tsv", classes(2, 200), 3000)
	save("disk6.tsv", classes(6, 200), 3000)
	if !testing.Short() {
		save("large.tsv", classes(2, 80), 8_000)
	}
	save("unbalanced.tsv", func(b *bytes.Buffer, r *rand.Rand, i int) {
		class := 0
		if i%23 == 7 {
			class = 1
		}
		fmt.Fprintf(b, "%s\t%s\n", []string{"common", "rare"}[class], words(r, class, 1+r.IntN(20)))
	}, 1500)
	save("chinese.tsv", func(b *bytes.Buffer, r *rand.Rand, i int) {
		fmt.Fprintf(b, "类%d\t", i%3)
		for range 5 + r.IntN(20) {
			b.WriteRune(rune(0x4e00 + rank(r, 600) + 40*(i%3)))
		}
		b.WriteString("，Ünïcödé ŠŁŻ 🙂\n")
	}, 900)
	// Empty and blank texts, bytes that are not UTF-8, long words, repeated documents.
	save("odd.tsv", func(b *bytes.Buffer, r *rand.Rand, i int) {
		text := []string{"", "   ", "\xff\xfe\x80 a \xc3", strings.Repeat("long", 300), "the same the same", "!?", "\x00 a b", words(r, i%3, 5)}
		fmt.Fprintf(b, "c%d\t%s\n", i%3, text[r.IntN(len(text))])
	}, 600)
	save("weights.csv", func(b *bytes.Buffer, r *rand.Rand, i int) {
		if i == 0 {
			b.WriteString("id,text,label,weight\n")
		}
		fmt.Fprintf(b, "%d,\"%s,\n\"\"%s\"\"\",c%d,%d.%d\n", i, words(r, i%2, 10), words(r, i%2, 3), i%2, r.IntN(3), r.IntN(1000))
	}, 800)
	save("labels.jsonl", func(b *bytes.Buffer, r *rand.Rand, i int) {
		var labels, text []string
		for class := range 5 {
			if r.IntN(4) == 0 {
				labels = append(labels, fmt.Sprintf("c%d", class))
				text = append(text, words(r, class, 5))
			}
		}
		fmt.Fprintf(b, `{"label":%q,"text":%q}`+"\n", strings.Join(labels, ","), strings.Join(text, " ")+" "+words(r, 9, 4))
	}, 1000)
	save("features.svm", func(b *bytes.Buffer, r *rand.Rand, i int) {
		fmt.Fprintf(b, "%d", i%3)
		for column := 1 + r.IntN(4); column < 300; column += 1 + rank(r, 40)*(1+column%(2+i%3)) {
			fmt.Fprintf(b, " %d:%d.%d", column, r.IntN(4), 1+r.IntN(99))
		}
		b.WriteByte('\n')
	}, 1000)
	save("html.tsv", func(b *bytes.Buffer, r *rand.Rand, i int) {
		fmt.Fprintf(b, "c%d\t<p class=\"x\">%s<br />%s &amp; %s</p>\n", i%2, words(r, i%2, 6), strings.ToUpper(words(r, i%2, 3)), words(r, 9, 3))
	}, 800)
	return folder
}

// words are n of a vocabulary, small ranks being likelier; every third is one that the class
// prefers.
func words(r *rand.Rand, class, n int) string {
	var b strings.Builder
	for k := range n {
		if k > 0 {
			b.WriteByte(' ')
		}
		word := rank(r, 5000)
		if r.IntN(3) == 0 {
			word = 17*class + rank(r, 120)
		}
		for more := true; more; more = word > 0 {
			b.WriteByte("bcdfghjklmnprstvz"[word%17])
			b.WriteString([]string{"a", "e", "i", "o", "u", "é"}[word/17%6])
			word /= 102
		}
		if r.IntN(12) == 0 {
			b.WriteString([]string{",", ".", "!", "'s"}[r.IntN(4)])
		}
	}
	return b.String()
}

// rank is a number below n, small ones being likelier.
func rank(r *rand.Rand, n int) int { return r.IntN(1 + r.IntN(1+r.IntN(n))) }
