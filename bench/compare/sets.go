//go:build linux

package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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

// sets are those that accuracy is compared on, in the order of the table. Speed is measured on the first one that is
// there.
var sets = []set{
	{name: "IMDB", folder: "imdb"},
	{name: "20 Newsgroups", folder: "20news"},
	{name: "THUCNews titles, Chinese", folder: "zh-thucnews-titles"},
	{name: "SST-2 sentences", folder: "sst2"},
	{name: "TREC questions", folder: "trec"},
	{name: "banking77", folder: "banking77"},
	{name: "tweets, emotion", folder: "tweet-emotion"},
	{name: "SMS spam", folder: "sms-spam"},
	{name: "food delivery, Chinese", folder: "zh-waimai"},
	{name: "rt-polarity sentences", folder: "rt-polarity"},
	{name: "Go's doc comments", folder: "godoc"},
	{name: "a9a, ready-made features", folder: "libsvm", train: "a9a", test: "a9a.t", ready: true},
}

// bible is a set of many classes, whose speed is measured, too.
var bible = set{
	name: "Bible, 72 languages", folder: "bible-langid", characters: true,
	flags: []string{"--preset", "language"},
}

// files returns the paths of a set's training part and test part, plain or compressed, or, with test "", of all
// documents; train is "" if there is no such set.
func (c *comparison) files(s set) (train, test string) {
	file := func(name string) string {
		for _, end := range []string{"", ".zst", ".gz"} {
			path := filepath.Join(c.data, s.folder, name+end)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return path
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

// has reports whether a set is there.
func (c *comparison) has(s set) bool { train, _ := c.files(s); return train != "" }

// timed calls with the first split of the first set that is there.
func (c *comparison) timed(with func(*split) error) error {
	first := slices.IndexFunc(sets, c.has)
	if first < 0 {
		return fmt.Errorf("%s has none of the sets of sets.go; make data fetches some", c.data)
	}
	return c.firstSplit(sets[first], with)
}

// firstSplit calls with the first split of a set.
func (c *comparison) firstSplit(s set, with func(*split) error) error {
	all, err := c.splits(s)
	if err != nil {
		return err
	}
	return c.use(all[0], with)
}

// split is a set with a training part and a test part. While it is used, a folder has them in the forms that the
// programs read, and they are no longer in memory, as the peak of other programs could not be seen below that.
type split struct {
	set
	train, test []corpus.Document
	documents   int      // of both
	labels      []string // of the test part
	folder      string
	models      int // made so far
}

// model returns a name for another model.
func (s *split) model(peer string) string {
	s.models++
	return fmt.Sprintf("%s-%d", peer, s.models)
}

func (s *split) path(name string) string { return filepath.Join(s.folder, name) }

// folds is how many parts a set without a test part is cut into.
const folds = 10

// splits returns each pair of a training part and a test part of the set, in random order, as the files are often
// sorted by class, from which some programs learn nothing. There is one pair, or one for each fold, which has the
// classes in the same proportions.
func (c *comparison) splits(s set) ([]*split, error) {
	from, to := c.files(s)
	documents, err := readShuffled(from)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	if to != "" {
		test, err := readShuffled(to)
		return []*split{{set: s, train: documents, test: test}}, err
	}
	all, next := make([]*split, folds), map[string]int{}
	for fold := range all {
		all[fold] = &split{set: s}
	}
	for _, d := range documents {
		label := string(d.Labels[0])
		for fold, made := range all {
			if fold == next[label]%folds {
				made.test = append(made.test, d)
			} else {
				made.train = append(made.train, d)
			}
		}
		next[label]++
	}
	return all, nil
}

// use writes both parts in all forms into a folder of their own, which is removed after the call.
func (c *comparison) use(s *split, with func(*split) error) (err error) {
	if s.folder, err = os.MkdirTemp(c.folder, "split-"); err != nil {
		return err
	}
	defer os.RemoveAll(s.folder)
	if err := errors.Join(s.write("train", s.train), s.write("test", s.test)); err != nil {
		return err
	}
	for _, d := range s.test {
		s.labels = append(s.labels, string(d.Labels[0]))
	}
	s.documents, s.train, s.test = len(s.train)+len(s.test), nil, nil
	return with(s)
}

// tokens is the end of the names of files in fastText's form: __label__LABEL and blank-separated tokens.
const tokens = ".tokens"

// labelled is the end of the names of files of label<TAB>text, or of features with their label.
func (s *split) labelled() string {
	if s.ready {
		return ".svm"
	}
	return ".tsv"
}

// write writes the documents of a part in both forms.
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
	var out [2]*bufio.Writer
	for i, form := range []string{s.labelled(), tokens} {
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
		fmt.Fprintf(out[1], "%s %s\n", fastTextLabel(label), words)
	}
	return errors.Join(out[0].Flush(), out[1].Flush())
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
