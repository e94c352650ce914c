package nbsvm_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/packed"
)

// reviews are a label and a text a line, with a tab between.
const reviews = `good	a lovely warm film, funny and kind
good	wonderful acting and a lovely story
good	what a wonderful, funny evening
good	kind, warm and beautifully played
good	a beautifully told story, I loved it
good	I loved the music and the lovely pictures
bad	a dull and tiresome film
bad	tiresome jokes, dreadful acting
bad	what a dreadful, boring evening
bad	boring from start to end, and badly played
bad	a badly told story, I hated it
bad	I hated the music and the dull pictures
`

// trained is a classifier of reviews.
func trained() *nbsvm.Classifier {
	o := nbsvm.DefaultOptions()
	o.MinDF = 1 // of twelve short texts, every word counts
	c, _, err := nbsvm.Train(context.Background(), corpus.Input{Stdin: strings.NewReader(reviews)}, o)
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// Train reads labelled documents; Predict predicts a text.
func ExampleTrain() {
	in := corpus.Input{Stdin: strings.NewReader(reviews)} // or Paths
	o := nbsvm.DefaultOptions()
	o.MinDF = 1
	c, report, err := nbsvm.Train(context.Background(), in, o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Documents, "documents, classes", c.Labels())

	for _, text := range []string{"A wonderful film!", "Dull and boring."} {
		p, err := c.Predict([]byte(text))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s\n", text, c.Labels()[p.Labels[0]])
	}
	// Output:
	// 12 documents, classes [bad good]
	// A wonderful film!: good
	// Dull and boring.: bad
}

// With the logistic loss, scores are probabilities.
func ExampleTrain_probabilities() {
	o := nbsvm.DefaultOptions()
	o.MinDF, o.Loss = 1, "logistic"
	c, _, err := nbsvm.Train(context.Background(), corpus.Input{Stdin: strings.NewReader(reviews)}, o)
	if err != nil {
		log.Fatal(err)
	}
	scorer, err := c.NewScorer()
	if err != nil {
		log.Fatal(err)
	}
	p, err := scorer.Predict([]byte("a lovely and funny story"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("probabilities:", c.Probabilities())
	fmt.Println("good is more likely:", p.Scores[1] > 0.5)
	fmt.Printf("they sum to %.0f\n", p.Scores[0]+p.Scores[1])
	// Output:
	// probabilities: true
	// good is more likely: true
	// they sum to 1
}

// Documents that are in memory are ranged over; any iterator will do.
func ExampleTrain_memory() {
	documents := []struct{ text, label string }{
		{"sail, anchor\tand mast", "sailing"},
		{"the mast of a sail\nboat", "sailing"},
		{"anchor and sail", "sailing"},
		{"flour, butter and oven", "cooking"},
		{"butter in the oven", "cooking"},
		{"flour and butter", "cooking"},
	}
	var in corpus.Input
	in.Documents = func(yield func(corpus.Document) bool) {
		for _, d := range documents {
			if !yield(corpus.Document{Text: []byte(d.text), Labels: [][]byte{[]byte(d.label)}}) {
				return
			}
		}
	}
	c, _, err := nbsvm.Train(context.Background(), in, nbsvm.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	p, err := c.Predict([]byte("an oven and some butter"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Labels()[p.Labels[0]])
	// Output: cooking
}

// A handler of net/http may use the classifier in any number of requests at once.
func ExampleClassifier_Predict() {
	c := trained()
	label := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		p, err := c.Predict(text)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(w, c.Labels()[p.Labels[0]])
	})

	server := httptest.NewServer(label) // or http.ListenAndServe
	defer server.Close()
	answer, err := http.Post(server.URL, "text/plain", strings.NewReader("a lovely and funny story"))
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(os.Stdout, answer.Body); err != nil {
		log.Fatal(err)
	}
	// Output: good
}

// Texts in memory are predicted on all processors.
func ExampleClassifier_PredictAll() {
	c := trained()
	texts := [][]byte{[]byte("a lovely story"), []byte("boring"), []byte("wonderful music")}
	labels := make([]string, len(texts))
	err := c.PredictAll(context.Background(), texts, nbsvm.ScoreOptions{}, func(k int, p *nbsvm.Prediction) {
		labels[k] = c.Labels()[p.Labels[0]] // calls come from several goroutines, in any order
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(labels)
	// Output: [good bad good]
}

// A model is read from any file system, such as an embed.FS:
//
//	//go:embed models/reviews.nbm
//	var models embed.FS
func ExampleOpenFS() {
	var file bytes.Buffer
	if _, err := trained().WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	models := fstest.MapFS{"models/reviews.nbm": {Data: file.Bytes()}}

	c, err := nbsvm.OpenFS(models, "models/reviews.nbm")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Labels())
	// Output: [bad good]
}

// A model may come from memory: of a file that go:embed has put into the program, or of
// an object store.
func ExampleOpenBytes() {
	var file bytes.Buffer
	if _, err := trained().WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	c, err := nbsvm.OpenBytes(file.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Labels())
	// Output: [bad good]
}

// A model is one file, mapped by Open rather than read.
func ExampleOpen() {
	folder, err := os.MkdirTemp("", "nbsvm")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "reviews.nbm")
	if err := trained().Save(path); err != nil {
		log.Fatal(err)
	}

	c, err := nbsvm.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	scorer, err := c.NewScorer()
	if err != nil {
		log.Fatal(err)
	}
	p, err := scorer.Predict([]byte("dreadful music"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Labels()[p.Labels[0]])
	// Output: bad
}

// Cross-validation tells how well a model will do on documents it has not seen.
func ExampleCrossValidate() {
	in := corpus.Input{Stdin: strings.NewReader(reviews)}
	o := nbsvm.DefaultOptions()
	o.MinDF = 1
	cv, err := nbsvm.CrossValidate(context.Background(), in, o, 3)
	if err != nil {
		log.Fatal(err)
	}
	for k, fold := range cv.Folds {
		fmt.Printf("fold %d: %d documents\n", k+1, fold.N)
	}
	// Output:
	// fold 1: 4 documents
	// fold 2: 4 documents
	// fold 3: 4 documents
}

// Explain lists what speaks for each class.
func ExampleClassifier_Explain() {
	explanations, err := trained().Explain(3)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range explanations {
		fmt.Print(e.Label, ":")
		for _, feature := range e.Features {
			fmt.Printf(" %q", feature.Name)
		}
		fmt.Println()
	}
	// Output:
	// bad: "tiresome" "dreadful" "dull"
	// good: "lovely" "beautifully" "wonderful"
}

// ExplainText takes a prediction apart: its margin is the bias and what each
// feature of the text adds.
func ExampleScorer_ExplainText() {
	scorer, err := trained().NewScorer()
	if err != nil {
		log.Fatal(err)
	}
	e, err := scorer.ExplainText([]byte("a lovely evening"))
	if err != nil {
		log.Fatal(err)
	}
	sum := e.Bias
	for _, part := range e.Contributions {
		sum += part.Margin
	}
	fmt.Println(e.Label)
	fmt.Println("strongest:", e.Contributions[0].Name)
	fmt.Println("sums up:", sum-e.Margin < 1e-9 && e.Margin-sum < 1e-9)
	// Output:
	// good
	// strongest: lovely
	// sums up: true
}

// Score reads any number of documents, here one a line, and writes one row for
// each, in order.
func ExampleClassifier_Score() {
	c := trained()
	in := corpus.Input{
		Stdin:  strings.NewReader("I loved the story\n\nwhat a boring film\n"),
		Format: corpus.Lines, Unlabelled: true,
	}
	var out bytes.Buffer
	render := func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
		return fmt.Appendf(dst, "%s\t%s\n", c.Labels()[p.Labels[0]], d.Text)
	}
	stats, err := c.Score(context.Background(), in, nbsvm.ScoreOptions{}, render, &out)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.Documents, "documents")
	for line := range strings.Lines(out.String()) {
		if label, text, _ := strings.Cut(strings.TrimSpace(line), "\t"); text != "" {
			fmt.Printf("%s: %s\n", label, text)
		}
	}
	// Output:
	// 3 documents
	// good: I loved the story
	// bad: what a boring film
}

// Evaluate compares predictions with labels.
func ExampleClassifier_Evaluate() {
	in := corpus.Input{Stdin: strings.NewReader("good\ta funny story\nbad\tdreadful pictures\n")}
	report, err := trained().Evaluate(context.Background(), in, nbsvm.ScoreOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("accuracy %.0f of %d\n", report.Accuracy*float64(report.N), report.N)
	// Output: accuracy 2 of 2
}

// A packed corpus is read and hashed once, and then stands for its documents. Corpora that
// were packed with all their n-grams can be merged.
func ExamplePack() {
	folder, err := os.MkdirTemp("", "nbsvm")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	write := func(name string, pack func(io.Writer) (*packed.Report, error)) (string, *packed.Report) {
		var packed bytes.Buffer
		report, err := pack(&packed)
		if err != nil {
			log.Fatal(err)
		}
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, packed.Bytes(), 0o666); err != nil {
			log.Fatal(err)
		}
		return path, report
	}

	ctx := context.Background()
	o := nbsvm.DefaultOptions()
	o.MinDF = 1
	var parts []string
	bad := strings.Index(reviews, "bad\t")
	for i, part := range []string{reviews[:bad], reviews[bad:]} {
		path, report := write(fmt.Sprint(i), func(w io.Writer) (*packed.Report, error) {
			return packed.Pack(ctx, corpus.Input{Stdin: strings.NewReader(part)}, o.Pack(), w)
		})
		fmt.Println(report.Documents, "documents")
		parts = append(parts, path)
	}
	path, report := write("all.nbc", func(w io.Writer) (*packed.Report, error) {
		return packed.Merge(ctx, parts, packed.MergeOptions{MinDF: 1}, w)
	})
	fmt.Println(report.Documents, "documents together")

	c, _, err := nbsvm.Train(ctx, corpus.Input{Paths: []string{path}}, o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("classes", c.Labels())
	// Output:
	// 6 documents
	// 6 documents
	// 12 documents together
	// classes [bad good]
}

// A preset is a named set of options.
func ExamplePresetNamed() {
	preset, err := nbsvm.PresetNamed("paper")
	if err != nil {
		log.Fatal(err)
	}
	o := preset.Options()
	fmt.Println(preset.About)
	fmt.Println("beta", o.Beta)
	// Output:
	// NBSVM as published (Wang and Manning 2012): binary uni- and bigrams, C 1, beta 0.25, no bias
	// beta 0.25
}
