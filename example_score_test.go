package nbsvm_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// A prediction has the number of the best label, and a score for each label.
func ExampleClassifier_Predict() {
	c := trained()
	p, err := c.Predict([]byte("a dull evening"))
	if err != nil {
		log.Fatal(err)
	}
	best := p.Labels[0]
	fmt.Println(c.Labels()[best], p.Scores[best] > 0)
	// Output: bad true
}

// PredictAll classifies texts in memory on all processors.
func ExampleClassifier_PredictAll() {
	c := trained()
	texts := [][]byte{[]byte("a lovely story"), []byte("boring"), []byte("wonderful music")}
	labels := make([]string, len(texts))
	err := c.PredictAll(context.Background(), texts, nbsvm.ScoreOptions{}, func(k int, p *nbsvm.Prediction) {
		labels[k] = c.Labels()[p.Labels[0]] // several goroutines, each with other values of k
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(labels)
	// Output: [good bad good]
}

// Score reads any number of documents, here one per line, and writes a line for each, in the same order.
func ExampleClassifier_Score() {
	c := trained()
	in := corpus.Input{
		Stdin:  strings.NewReader("I loved the story\nwhat a boring film\n"), // or Paths
		Format: corpus.Lines, Unlabelled: true,
	}
	render := func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
		return fmt.Appendf(dst, "%s: %s\n", c.Labels()[p.Labels[0]], d.Text)
	}
	stats, err := c.Score(context.Background(), in, nbsvm.ScoreOptions{}, render, os.Stdout)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.Documents, "documents")
	// Output:
	// good: I loved the story
	// bad: what a boring film
	// 2 documents
}

// Evaluate compares predictions with labels.
func ExampleClassifier_Evaluate() {
	in := corpus.Input{Stdin: strings.NewReader("good\ta funny story\nbad\tdreadful pictures\nbad\tlovely\n")}
	report, err := trained().Evaluate(context.Background(), in, nbsvm.ScoreOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d documents, accuracy %.2f\n", report.N, report.Accuracy)
	// Output: 3 documents, accuracy 0.67
}

// Explain lists the features that speak most strongly for each class.
func ExampleClassifier_Explain() {
	classes, err := trained().Explain(2)
	if err != nil {
		log.Fatal(err)
	}
	for _, class := range classes {
		fmt.Println(class.Label, class.Features[0].Name, class.Features[1].Name)
	}
	// Output:
	// bad tiresome dreadful
	// good lovely beautifully
}

// ExplainText lists what each feature of a text adds to the margin of the predicted class.
func ExampleScorer_ExplainText() {
	scorer, err := trained().NewScorer()
	if err != nil {
		log.Fatal(err)
	}
	e, err := scorer.ExplainText([]byte("a lovely evening"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Label, "because of", e.Contributions[0].Name)
	// Output: good because of lovely
}
