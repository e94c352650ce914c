package corpus_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// Range over the documents of files or of any reader.
func Example() {
	in := strings.NewReader("pos\tA fine film.\nneg\tTwo hours too long.\n")
	r, err := corpus.Open(corpus.Input{Stdin: in})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for d, err := range r.Documents() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("line %d, %s: %s\n", d.Line, d.Labels[0], d.Text)
	}
	// Output:
	// line 1, pos: A fine film.
	// line 2, neg: Two hours too long.
}

// An input says where the fields are: here in JSON objects, inside of others.
func ExampleInput() {
	in := strings.NewReader(`{"review":{"body":"A fine film."},"stars":5}` + "\n")
	r, err := corpus.Open(corpus.Input{Paths: []string{"-"}, Stdin: in, Format: corpus.JSONL, TextField: "review.body", LabelField: "stars"})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for d, err := range r.Documents() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s\n", d.Labels[0], d.Text)
	}
	// Output:
	// 5: A fine film.
}

// A record that cannot be used is a document with an Err, which has its place.
func ExampleRecordError() {
	in := strings.NewReader("pos\tA fine film.\nTwo hours too long.\n")
	r, err := corpus.Open(corpus.Input{Stdin: in})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for d, err := range r.Documents() {
		if err != nil {
			log.Fatal(err)
		}
		var bad *corpus.RecordError
		if errors.As(d.Err, &bad) {
			fmt.Println(bad.Line, bad.Offset)
			fmt.Println(bad)
		}
	}
	// Output:
	// 2 17
	// corpus: standard input:2 (byte 17): no tab between label and text, in "Two hours too long.": Input.LabelField, Input.Delimiter and Input.Format read other columns and files
}

// BadRecords logs, counts and saves bad records.
func ExampleBadRecords() {
	bad, err := corpus.NewBadRecords("skip", os.Stdout)
	if err != nil {
		log.Fatal(err)
	}
	in := strings.NewReader("one\npos\tA fine film.\ntwo\n")
	r, err := corpus.Open(corpus.Input{Stdin: in, Format: corpus.TSV})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for d, err := range r.Documents() {
		if err != nil {
			log.Fatal(err)
		}
		if err := bad.Report(d); err != nil {
			log.Fatal(err)
		}
	}
	if err := bad.Close(true); err != nil {
		log.Fatal(err)
	}
	// Output:
	// bad record: corpus: standard input:1 (byte 0): no tab between label and text, in "one": Input.LabelField, Input.Delimiter and Input.Format read other columns and files
	// bad record: corpus: standard input:3 (byte 21): no tab between label and text, in "two": Input.LabelField, Input.Delimiter and Input.Format read other columns and files
	// 2 bad records skipped: 2 wrong columns
}
