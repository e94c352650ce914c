package packed_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/packed"
)

// Pack documents once, and train on the packed file as often as you like.
func ExamplePack() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "films.nbc")
	file, err := os.Create(path)
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	o := nbsvm.DefaultOptions()
	o.MinDF = 1
	in := corpus.Input{Stdin: strings.NewReader("good\ta lovely film\nbad\ta dull film\n")}
	report, err := packed.Pack(ctx, in, o.Pack(), file)
	if err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
	c, _, err := nbsvm.Train(ctx, corpus.Input{Paths: []string{path}}, o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Documents, "documents,", report.Columns, "n-grams, labels", c.Labels())
	// Output: 2 documents, 8 n-grams, labels [bad good]
}

// Merge joins packed corpora, for instance one for each day.
func ExampleMerge() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	ctx := context.Background()
	o := nbsvm.DefaultOptions().Pack()
	o.MinDF = 1 // keep every n-gram: Merge counts documents over all corpora
	var paths []string
	for day, text := range []string{"good\ta lovely film\n", "bad\ta dull film\nbad\tdull\n"} {
		path := filepath.Join(folder, fmt.Sprint(day, ".nbc"))
		file, err := os.Create(path)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := packed.Pack(ctx, corpus.Input{Stdin: strings.NewReader(text)}, o, file); err != nil {
			log.Fatal(err)
		}
		if err := file.Close(); err != nil {
			log.Fatal(err)
		}
		paths = append(paths, path)
	}

	merged, err := os.Create(filepath.Join(folder, "all.nbc"))
	if err != nil {
		log.Fatal(err)
	}
	defer merged.Close()
	report, err := packed.Merge(ctx, paths, packed.MergeOptions{MinDF: 1}, merged)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Documents, "documents:", report.Classes)
	// Output: 3 documents: [{bad 2} {good 1}]
}
