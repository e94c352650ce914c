//go:build linux

package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
)

// set is a labelled corpus: files of a folder with a training and a test part, or with all documents, which are cut
// into folds.
type set struct {
	name, folder string
	train, test  string   // names of files; "" is train.tsv and test.tsv
	ready        bool     // features in SVMlight's form in place of texts
	characters   bool     // n-grams of characters are taken, of texts as they are
	flags        []string // of nbsvm, where the documentation tells to use others than the defaults
}

// Sets whose speed is measured: the first, or where it is not there, the second; and the third.
var (
	imdb  = set{name: "IMDB", folder: "imdb"}
	godoc = set{name: "Go's doc comments", folder: "godoc"}
	bible = set{
		name: "Bible, 72 languages", folder: "bible-langid", characters: true,
		flags: []string{"--preset", "language"},
	}
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

// files returns the paths of a set's training part and test part, plain or compressed, or, with test "", of all
// documents; train is "" if there is no such set.
func (c *comparison) files(s set) (train, test string) {
	file := func(name string) string {
		for _, folder := range []string{c.data, c.folder} {
			for _, end := range []string{"", ".zst", ".gz"} {
				path := filepath.Join(folder, s.folder, name+end)
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
					return path
				}
			}
		}
		return ""
	}
	train, test = file(cmp.Or(s.train, "train.tsv")), file(cmp.Or(s.test, "test.tsv"))
	if train == "" || test == "" {
		return file("all.tsv"), ""
	}
	return train, test
}

func (c *comparison) has(s set) bool { train, _ := c.files(s); return train != "" }

// timedSet returns what speed is measured on, where it is not many classes.
func (c *comparison) timedSet() set {
	if c.quick || !c.has(imdb) {
		return godoc
	}
	return imdb
}

// split is a set with a training part and a test part, written to a folder in the forms that the programs read.
type split struct {
	set
	folder string
	labels []string // of the test part
	trains int      // documents of the training part
	models int      // made so far
}

// model returns a name for another model.
func (s *split) model(peer string) string {
	s.models++
	return fmt.Sprintf("%s-%d", peer, s.models)
}

func (s *split) path(name string) string { return filepath.Join(s.folder, name) }

// folds is how many parts a set without a test part is cut into.
const folds = 10

// splits calls with each pair of a training part and a test part of the set, in random order, as the files are often
// sorted by class, from which some programs learn nothing. There is one pair, or one for each fold, which has the
// classes in the same proportions.
func (c *comparison) splits(s set, with func(*split) error) error {
	from, to := c.files(s)
	if from == "" {
		return fmt.Errorf("%s: there are no such files as %s/train.tsv and test.tsv, or all.tsv, in %s",
			s.name, s.folder, c.data)
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
		if err := c.withSplit(s, train, test, with); err != nil || c.quick {
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
	made := &split{set: s, folder: folder, trains: len(train)}
	for _, d := range test {
		made.labels = append(made.labels, string(d.Labels[0]))
	}
	if err := errors.Join(made.write("train", train), made.write("test", test)); err != nil {
		return err
	}
	return with(made)
}

// The forms of a part, by the end of the file's name.
const (
	lines  = ".txt"    // text
	tokens = ".tokens" // fastText's: __label__LABEL and blank-separated tokens
)

// labelled returns the form of label<TAB>text, or of features with their label.
func (s *split) labelled() string {
	if s.ready {
		return ".svm"
	}
	return ".tsv"
}

// write writes the documents of a part in all forms.
func (s *split) write(name string, documents []corpus.Document) error {
	separator := "\t"
	if s.ready {
		separator = " "
	}
	o := hashing.DefaultOptions()
	o.Families[0].NgramHi = 1
	tokenizer, err := hashing.NewExtractor(o)
	if err != nil {
		return err
	}
	var out [3]*bufio.Writer
	for i, form := range []string{s.labelled(), lines, tokens} {
		file, err := os.Create(s.path(name + form))
		if err != nil {
			return err
		}
		defer file.Close()
		out[i] = bufio.NewWriter(file)
	}
	for _, d := range documents {
		label, words := string(d.Labels[0]), string(d.Text)
		if !s.characters {
			words = tokenize(tokenizer, d.Text)
		}
		fmt.Fprintf(out[0], "%s%s%s\n", label, separator, d.Text)
		fmt.Fprintf(out[1], "%s\n", d.Text)
		fmt.Fprintf(out[2], "%s %s\n", fastTextLabel(label), words)
	}
	return errors.Join(out[0].Flush(), out[1].Flush(), out[2].Flush())
}

// tokenize writes a text as fastText wants it: the tokens of nbsvm, in lower case, with blanks between.
func tokenize(tokenizer *hashing.Extractor, text []byte) string {
	var words []string
	for _, word := range tokenizer.Ngrams(text) {
		words = append(words, string(word))
	}
	return strings.Join(words, " ")
}

// fastTextLabel returns a label as fastText reads and prints it.
func fastTextLabel(label string) string { return "__label__" + strings.ReplaceAll(label, " ", "-") }

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
	rand.New(rand.NewPCG(1, 0)).Shuffle(len(documents), func(i, k int) {
		documents[i], documents[k] = documents[k], documents[i]
	})
	return documents, nil
}

// makeGodoc makes a set of the comments in Go's own source tree, which every machine with Go has.
func (c *comparison) makeGodoc(ctx context.Context) {
	folder := filepath.Join(c.folder, godoc.folder)
	err := os.Mkdir(folder, 0o755)
	if err == nil {
		_, err = runProcess(ctx, "", nil, "sh", "scripts/godoc.sh", folder)
	}
	if err != nil {
		c.say("%s are left out: %v", godoc.name, err)
	}
}
