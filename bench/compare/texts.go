package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// split is a set with a training part and a test part, and what is made of them.
type split struct {
	set
	temp        string   // folder of the files
	classes     []string // of the training part, sorted
	train, test text
	models      int // made so far
}

// path is that of a temporary file.
func (s *split) path(name string) string { return filepath.Join(s.temp, name) }

// model is the path of another model.
func (s *split) model(name string) string {
	s.models++
	return s.path(name + "-" + strconv.Itoa(s.models))
}

// text is a part of a corpus in the forms that the programs read.
type text struct {
	tsv    string // label<TAB>text, or features with their label
	lines  string // text
	tokens string // fastText's: __label__LABEL and blank-separated tokens
	vw     string // Vowpal Wabbit's: the class's number from 1, and the same tokens
	labels []string
}

// write writes the documents in all forms.
func (s *split) write(name string, documents []corpus.Document) (text, error) {
	labelled, separator := name+".tsv", "\t"
	if s.ready {
		labelled, separator = name+".svm", " "
	}
	t := text{tsv: s.path(labelled), lines: s.path(name + ".txt"), tokens: s.path(name + ".tokens"), vw: s.path(name + ".vw")}
	tsv, lines, tokens, vw := newFile(t.tsv), newFile(t.lines), newFile(t.tokens), newFile(t.vw)
	for _, d := range documents {
		label, words := string(d.Labels[0]), string(d.Text)
		if !s.characters {
			words = tokenize(words)
		}
		t.labels = append(t.labels, label)
		tsv.put(label, separator, string(d.Text), "\n")
		lines.put(string(d.Text), "\n")
		tokens.put(fastTextLabel, strings.ReplaceAll(label, " ", "-"), " ", words, "\n")
		class := slices.Index(s.classes, label) + 1 // 0 of one that is not trained on
		vw.put(strconv.Itoa(class), " | ", vwEscapes.Replace(words), "\n")
	}
	return t, errors.Join(tsv.close(), lines.close(), tokens.close(), vw.close())
}

// fastTextLabel begins a label in fastText's format.
const fastTextLabel = "__label__"

// vwEscapes replaces the two characters that mean something to Vowpal Wabbit; as tokens they stand alone.
var vwEscapes = strings.NewReplacer(":", "_colon", "|", "_bar")

// outFile is a file that is written in pieces; the first error is that of closing.
type outFile struct {
	*bufio.Writer
	file *os.File
	err  error
}

func newFile(path string) *outFile {
	file, err := os.Create(path)
	return &outFile{Writer: bufio.NewWriter(file), file: file, err: err}
}

func (f *outFile) put(pieces ...string) {
	for _, piece := range pieces {
		_, _ = f.WriteString(piece) // an error stays with the writer
	}
}

func (f *outFile) close() error {
	if f.err != nil {
		return f.err
	}
	return errors.Join(f.Flush(), f.file.Close())
}

// punctuation marks are tokens.
const punctuation = "!?.,;:()\"…“”„‟«»！？。．，、；：（）＂「」『』｡､｢｣"

// unspaced are scripts without spaces between words, whose characters are tokens.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// tokenize writes a text as fastText and Vowpal Wabbit want it: the tokens of nbsvm, which package hashing defines, in
// lower case, with blanks between.
func tokenize(text string) string {
	var b strings.Builder
	word, marked := false, false // whether the token may go on with letters, and with marks
	begin := func(r rune, asWord, withMarks bool) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		word, marked = asWord, withMarks
	}
	runes := []rune(text)
	for i, r := range runes {
		letter := unicode.In(r, unicode.L, unicode.Nd, unicode.Nl)
		switch {
		case unicode.Is(unicode.M, r) && marked, letter && word && !unicode.In(r, unspaced...):
			b.WriteRune(unicode.ToLower(r))
		case strings.ContainsRune(punctuation, r):
			begin(r, false, false)
		case letter:
			begin(r, !unicode.In(r, unspaced...), true)
		case word && (r == '\'' || r == '’') && i+1 < len(runes) && unicode.In(runes[i+1], unicode.L, unicode.Nd, unicode.Nl):
			b.WriteByte('\'')
		default:
			word, marked = false, false
		}
	}
	return b.String()
}

// repeat writes files one after the other, times times over.
func repeat(path string, times int, parts ...string) error {
	var all []byte
	for _, part := range parts {
		content, err := os.ReadFile(part)
		if err != nil {
			return err
		}
		all = append(all, content...)
	}
	return os.WriteFile(path, bytes.Repeat(all, times), 0o644)
}

// fileSize is how many bytes files have together.
func fileSize(paths ...string) (size int64, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	return size, nil
}
