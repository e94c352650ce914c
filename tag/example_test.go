package tag_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/seed-167f963f/nbsvm/tag"
)

// Train a tagger on sentences, and tag words with it.
func Example() {
	const sentences = `the/DET dog/NOUN barks/VERB
a/DET cat/NOUN sleeps/VERB
the/DET cats/NOUN sleep/VERB
dogs/NOUN bark/VERB
`
	r, err := tag.NewReader(tag.Input{Stdin: strings.NewReader(sentences), Reading: tag.Reading{Format: tag.Slash}})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	model, err := tag.Train(context.Background(), r, tag.DefaultOptions(tag.Perceptron))
	if err != nil {
		log.Fatal(err)
	}
	tags, err := model.NewTagger().TagWords("the", "dogs", "bark")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tags)
	// Output: [DET NOUN VERB]
}
