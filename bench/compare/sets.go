package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// set is a labelled corpus: files of a folder with a training and a test part, or with all documents, which are cut
// into folds.
type set struct {
	name, folder     string
	train, test, all string   // names of files; "" is train.tsv, test.tsv and all.tsv
	ready            bool     // features in SVMlight's form in place of texts
	characters       bool     // n-grams of characters are taken, of texts as they are
	flags            []string // of nbsvm, where the documentation tells to use others than the defaults
}

// Sets whose speed is measured: the first, or where it is not there, the second; and the third.
var (
	imdb  = set{name: "IMDB", folder: "imdb"}
	godoc = set{name: "Go's doc comments", folder: "godoc"}
	bible = set{name: "Bible, 72 languages", folder: "bible-langid", characters: true, flags: []string{"--preset", "language"}}
)

// accuracySets are those that accuracy is compared on, in the order of the table.
var accuracySets = []set{
	imdb,
	{name: "20 Newsgroups", folder: "20news"},
	{name: "THUCNews titles, Chinese", folder: "zh-thucnews-titles"},
	{name: "SST-2 sentences", folder: "sst2"},
	{name: "TREC questions", folder: "trec"},
	{name: "banking77", folder: "banking77"},
	{name: "tweets, emotion", folder: "tweet-emotion"},
	{name: "SMS spam", folder: "sms-spam"},
	{name: "food delivery, Chinese", folder: "zh-waimai"},
	{name: "rt-polarity sentences", folder: "rt-polarity"},
	{name: "a9a, ready-made features", folder: "libsvm", train: "a9a", test: "a9a.t", ready: true},
	godoc,
}

// files are the paths of a set's training part and test part, plain or compressed, or, with test "", of all documents;
// ok is false if it is in none of the folders of sets.
func (c *comparison) files(s set) (train, test string, ok bool) {
	file := func(name, otherwise string) string {
		for _, folder := range []string{c.Data, c.made} {
			for _, end := range []string{"", ".zst", ".gz"} {
				path := filepath.Join(folder, s.folder, cmp.Or(name, otherwise)+end)
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
					return path
				}
			}
		}
		return ""
	}
	train, test = file(s.train, "train.tsv"), file(s.test, "test.tsv")
	if train != "" && test != "" {
		return train, test, true
	}
	all := file(s.all, "all.tsv")
	return all, "", all != ""
}

// folds is how many parts a set without a test part is cut into.
const folds = 10

// splits calls with each pair of a training part and a test part of the set, in random order, as the files are often
// sorted by class, from which some programs learn nothing. There is one pair, or one for each fold, which has the
// classes in the same proportions.
func (c *comparison) splits(s set, with func(*split) error) error {
	from, to, ok := c.files(s)
	if !ok {
		return fmt.Errorf("%s: there are no such files as %s/train.tsv and test.tsv, or all.tsv, in %s", s.name, s.folder, c.Data)
	}
	documents, err := readShuffled(from)
	if err != nil {
		return err
	}
	if to != "" {
		test, err := readShuffled(to)
		if err != nil {
			return err
		}
		return c.withSplit(s, documents, test, with)
	}
	foldOf, next := make([]int, len(documents)), map[string]int{}
	for i, d := range documents {
		label := string(d.Labels[0])
		foldOf[i] = next[label] % folds
		next[label]++
	}
	for fold := range folds {
		var train, test []corpus.Document
		for i, d := range documents {
			if foldOf[i] == fold {
				test = append(test, d)
			} else {
				train = append(train, d)
			}
		}
		if err := c.withSplit(s, train, test, with); err != nil || c.Quick {
			return err
		}
	}
	return nil
}

// withSplit writes both parts in all forms into a folder of their own, which is removed after the call.
func (c *comparison) withSplit(s set, train, test []corpus.Document, with func(*split) error) error {
	folder, err := os.MkdirTemp(c.folder, "split-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	made := &split{set: s, temp: folder}
	for _, d := range train {
		if label := string(d.Labels[0]); !slices.Contains(made.classes, label) {
			made.classes = append(made.classes, label)
		}
	}
	slices.Sort(made.classes)
	if made.train, err = made.write("train", train); err != nil {
		return err
	}
	if made.test, err = made.write("test", test); err != nil {
		return err
	}
	return with(made)
}

// readShuffled reads a labelled file; the order depends on the number of documents alone.
func readShuffled(path string) (documents []corpus.Document, err error) {
	reader, err := corpus.Open(corpus.Input{Paths: []string{path}})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for d, err := range reader.Documents() {
		if err == nil {
			err = d.Err
		}
		if err == nil && len(d.Labels) != 1 {
			err = fmt.Errorf("%s: document %d has %d labels, not one", path, len(documents)+1, len(d.Labels))
		}
		if err != nil {
			return nil, err
		}
		documents = append(documents, d)
	}
	rand.New(rand.NewPCG(1, 0)).Shuffle(len(documents), func(i, k int) { documents[i], documents[k] = documents[k], documents[i] })
	return documents, nil
}

// makeGodoc makes a set of the comments in Go's own source tree, which every machine with Go has.
func (c *comparison) makeGodoc(ctx context.Context) {
	folder := filepath.Join(c.made, godoc.folder)
	err := os.MkdirAll(folder, 0o755)
	if err == nil { // the program belongs to the module that is measured, two folders above
		_, err = runProcess(ctx, nil, []string{"go", "run", "-C", filepath.Join("..", ".."), "./scripts/godoc", folder})
	}
	if err != nil {
		c.say("%s are left out: %v", godoc.name, err)
	}
}
