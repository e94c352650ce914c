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

// Classify returns the label alone, and Top the best ones.
func ExampleClassifier_Classify() {
	c := trained()
	label, score, err := c.Classify("a dull evening")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(label, score > 0)
	// Output: bad true
}

// Each classifies any number of documents on all processors, from files or, as here, from a loop.
func ExampleClassifier_Each() {
	c := trained()
	texts := []string{"a lovely story", "boring", "wonderful music"}
	in := corpus.Input{Documents: func(yield func(corpus.Document, error) bool) {
		for k, text := range texts {
			if !yield(corpus.Document{ID: fmt.Sprint("text ", k+1), Text: []byte(text)}, nil) {
				return
			}
		}
	}}
	for scored, err := range c.Each(context.Background(), in) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s\n", scored.ID, scored.Label)
	}
	// Output:
	// text 1: good
	// text 2: bad
	// text 3: good
}

// Score reads any number of documents, here one per line, and writes a line for each, in the same order.
func ExampleClassifier_Score() {
	c := trained()
	in := corpus.Input{
		Stdin:  strings.NewReader("I loved the story\nwhat a boring film\n"), // or Paths
		Format: corpus.Lines, Unlabelled: true,
	}
	render := func(dst []byte, d *corpus.Document, p []nbsvm.Prediction) []byte {
		return fmt.Appendf(dst, "%s: %s\n", c.Labels()[p[0].Labels[0]], d.Text)
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
