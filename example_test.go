package nbsvm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// reviews has one document per line: a label, a tab and a text.
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

// labelled is an input of the reviews. Each use reads it once, so each use needs a new one.
func labelled() corpus.Input {
	return corpus.Input{Stdin: strings.NewReader(reviews)}
}

// smallOptions are the default options, except that words count even if only one text has them.
func smallOptions() nbsvm.Options {
	o := nbsvm.DefaultOptions()
	o.MinDF = 1
	return o
}

// trained returns a classifier of reviews, with the labels bad and good.
func trained() *nbsvm.Classifier {
	c, _, err := nbsvm.Train(context.Background(), labelled(), smallOptions())
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// Train on files or, as here, on text from any reader. MinDF is 1 because the training set is tiny.
func ExampleTrain() {
	in := corpus.Input{Stdin: strings.NewReader(reviews)} // or Paths: []string{"reviews.tsv"}
	o := nbsvm.DefaultOptions()
	o.MinDF = 1
	c, report, err := nbsvm.Train(context.Background(), in, o)
	if err != nil {
		log.Fatal(err)
	}
	label, _, err := c.Classify("A wonderful film!")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Documents, "documents, labels", c.Labels())
	fmt.Println("prediction:", label)
	// Output:
	// 12 documents, labels [bad good]
	// prediction: good
}

// Train on documents in memory, from any iterator.
func ExampleTrain_memory() {
	messages := []struct{ label, text string }{
		{"sailing", "sail, anchor and mast"},
		{"sailing", "the mast of a sail boat"},
		{"sailing", "anchor and sail"},
		{"cooking", "flour, butter and oven"},
		{"cooking", "butter in the oven"},
		{"cooking", "flour and butter"},
	}
	in := corpus.Input{Documents: func(yield func(corpus.Document, error) bool) {
		for _, m := range messages {
			d := corpus.Document{Text: []byte(m.text), Labels: [][]byte{[]byte(m.label)}}
			if !yield(d, nil) { // an error, as of a database, ends the training
				return
			}
		}
	}}
	c, _, err := nbsvm.Train(context.Background(), in, nbsvm.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	label, _, err := c.Classify("an oven and some butter")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(label)
	// Output: cooking
}

// With logistic loss, or with Calibrate, scores are probabilities.
func ExampleTrain_probabilities() {
	o := smallOptions()
	o.Loss = "logistic"
	c, _, err := nbsvm.Train(context.Background(), labelled(), o)
	if err != nil {
		log.Fatal(err)
	}
	label, score, err := c.Classify("a lovely and funny story")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Probabilities(), label, score > 0.5)
	// Output: true good true
}

// A cancelled context stops the work. The error wraps the context's.
func ExampleTrain_cancel() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // in a program: signal.NotifyContext or context.WithTimeout
	_, _, err := nbsvm.Train(ctx, labelled(), smallOptions())
	fmt.Println(errors.Is(err, context.Canceled))
	// Output: true
}

// An unusable record stops the training. The error says where it is.
func ExampleTrain_badRecord() {
	in := corpus.Input{Stdin: strings.NewReader("good\ta lovely film\nno tab in this line\n")}
	_, _, err := nbsvm.Train(context.Background(), in, nbsvm.DefaultOptions())
	var bad *corpus.RecordError
	if errors.As(err, &bad) {
		fmt.Println("line", bad.Line)
	}
	// Output: line 2
}

// Input.Bad says what to do about unusable records. Without it, the first one stops the training.
func ExampleTrain_skipBadRecords() {
	bad, err := corpus.NewBadRecords("skip", os.Stderr) // or "quarantine=bad.tsv" to keep them
	if err != nil {
		log.Fatal(err)
	}
	in := corpus.Input{Stdin: strings.NewReader(reviews + "no tab in this line\n"), Bad: bad}
	_, report, err := nbsvm.Train(context.Background(), in, smallOptions())
	if err != nil {
		log.Fatal(err)
	}
	if err := bad.Close(true); err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Documents, "documents,", report.Bad, "bad record")
	// Output: 12 documents, 1 bad record
}

// A review lists what looks wrong in the training set.
func ExampleReview() {
	o := smallOptions()
	o.Review = new(nbsvm.Review)
	if _, _, err := nbsvm.Train(context.Background(), labelled(), o); err != nil {
		log.Fatal(err)
	}
	for _, w := range o.Review.Warnings {
		fmt.Println(w.Kind, w.Labels)
	}
	// Output: few-documents [bad good]
}

// Validate finds a mistake before documents are read. Train calls it, too.
func ExampleOptions_Validate() {
	o := nbsvm.DefaultOptions()
	o.C = -1
	fmt.Println(o.Validate())
	// Output: nbsvm: Options.C must be from 1e-12 to 1e12, got -1
}

// Presets are starting points. Change single options afterwards.
func ExamplePresets() {
	for _, p := range nbsvm.Presets() {
		o := p.Options()
		fmt.Println(p.Name, o.Text.Families[0].Tokenizer, o.Alpha)
	}
	// Output:
	// default word 1
	// sentiment word 0.1
	// language char 1
	// paper word 1
	// tfidf word 0.1
}

// Cross-validation estimates how good models with these options are on new documents.
func ExampleCrossValidate() {
	cv, err := nbsvm.CrossValidate(context.Background(), labelled(), smallOptions(), 3)
	if err != nil {
		log.Fatal(err)
	}
	for k, fold := range cv.Folds { // fold.Accuracy, fold.MacroF1, ...
		fmt.Printf("fold %d: %d documents held out\n", k+1, fold.N)
	}
	// Output:
	// fold 1: 4 documents held out
	// fold 2: 4 documents held out
	// fold 3: 4 documents held out
}

// Tune tries settings, by cross-validation, until a limit is reached or nothing better is found.
func ExampleTune() {
	documents := corpus.Input{Documents: func(yield func(corpus.Document, error) bool) { // or Paths: Tune reads them twice
		for line := range strings.Lines(reviews) {
			label, text, _ := strings.Cut(line, "\t")
			if !yield(corpus.Document{Text: []byte(text), Labels: [][]byte{[]byte(label)}}, nil) {
				return
			}
		}
	}}
	o := nbsvm.TuneOptions{Base: smallOptions(), Kinds: []nbsvm.Kind{nbsvm.NBSVM}, Folds: 3, Trials: 4}
	found, err := nbsvm.Tune(context.Background(), documents, o)
	if err != nil {
		log.Fatal(err)
	}
	c, _, err := nbsvm.Train(context.Background(), documents, found.Options)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(found.Trials), "settings compared by", found.Metric)
	fmt.Println("labels of the best model:", c.Labels())
	// Output:
	// 4 settings compared by accuracy
	// labels of the best model: [bad good]
}

// Save writes a model to a file, and Open opens it.
func ExampleOpen() {
	folder, err := os.MkdirTemp("", "")
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
	fmt.Println(c.Labels())
	// Output: [bad good]
}

// Open a model in a file system, such as an [embed.FS]:
//
//	//go:embed models
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

// Open a model that is in memory, such as an embedded file:
//
//	//go:embed reviews.nbm
//	var model []byte
func ExampleOpenBytes() {
	var file bytes.Buffer
	if _, err := trained().WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	model := file.Bytes()

	c, err := nbsvm.OpenBytes(model)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Labels())

	_, err = nbsvm.OpenBytes(model[:len(model)-1])
	fmt.Println("truncated:", errors.Is(err, nbsvm.ErrTruncated))
	// Output:
	// [bad good]
	// truncated: true
}
