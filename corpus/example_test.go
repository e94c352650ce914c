package corpus_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
)

func Example() {
	in := strings.NewReader("pos\tA fine film.\nneg\tTwo hours too long.\n")
	r, err := corpus.Open(corpus.Input{Stdin: in})
	if err != nil {
		panic(err)
	}
	defer r.Close()
	var docs []corpus.Document
	for {
		chunk, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			panic(err)
		}
		docs = chunk.Append(docs[:0])
		for _, d := range docs {
			fmt.Printf("line %d, %s: %s\n", d.Line, d.Labels[0], d.Text)
		}
	}
	// Output:
	// line 1, pos: A fine film.
	// line 2, neg: Two hours too long.
}

func ExampleInput() {
	in := strings.NewReader(`{"review":{"body":"A fine film."},"stars":5}` + "\n")
	r, err := corpus.Open(corpus.Input{Paths: []string{"-"}, Stdin: in, Format: corpus.JSONL, TextField: "review.body", LabelField: "stars"})
	if err != nil {
		panic(err)
	}
	defer r.Close()
	chunk, err := r.Next()
	if err != nil {
		panic(err)
	}
	for _, d := range chunk.Append(nil) {
		fmt.Printf("%s: %s\n", d.Labels[0], d.Text)
	}
	// Output:
	// 5: A fine film.
}

func ExampleRecordError() {
	in := strings.NewReader("pos\tA fine film.\nTwo hours too long.\n")
	r, err := corpus.Open(corpus.Input{Stdin: in})
	if err != nil {
		panic(err)
	}
	defer r.Close()
	chunk, err := r.Next()
	if err != nil {
		panic(err)
	}
	for _, d := range chunk.Append(nil) {
		var bad *corpus.RecordError
		if errors.As(d.Err, &bad) {
			fmt.Println(bad.Line, bad.Offset)
			fmt.Println(bad)
		}
	}
	// Output:
	// 2 17
	// corpus: standard input:2 (byte 17): no tab between label and text, in "Two hours too long.": --label-field, --delimiter and --format read other columns and files
}

func ExampleBadRecords() {
	bad, err := corpus.NewBadRecords("skip", os.Stdout)
	if err != nil {
		panic(err)
	}
	in := strings.NewReader("one\npos\tA fine film.\ntwo\n")
	r, err := corpus.Open(corpus.Input{Stdin: in, Format: corpus.TSV})
	if err != nil {
		panic(err)
	}
	chunk, err := r.Next()
	if err != nil {
		panic(err)
	}
	for _, d := range chunk.Append(nil) {
		if err := bad.Report(d); err != nil {
			panic(err)
		}
	}
	if err := bad.Close(true); err != nil {
		panic(err)
	}
	// Output:
	// bad record: corpus: standard input:1 (byte 0): no tab between label and text, in "one": --label-field, --delimiter and --format read other columns and files
	// bad record: corpus: standard input:3 (byte 21): no tab between label and text, in "two": --label-field, --delimiter and --format read other columns and files
	// 2 bad records skipped
}
