package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// text is a part of the corpus in the forms that the programs read.
type text struct {
	tsv       string // label<TAB>text
	lines     string // text
	tokens    string // fastText's: __label__LABEL and blank-separated tokens
	labels    []string
	lineSize  int64 // bytes of lines
	tokenSize int64 // bytes of tokens
}

// prepareTexts writes the corpus in every form, all in the same random order: the
// files are sorted by class, from which fastText learns nothing.
func (c *comparison) prepareTexts() error {
	c.say("preparing texts")
	for _, part := range []struct {
		name string
		to   *text
	}{{"train", &c.train}, {"test", &c.test}} {
		found, err := filepath.Glob(filepath.Join(c.Data, "imdb", part.name+".tsv*"))
		if err != nil || len(found) == 0 {
			return fmt.Errorf("no imdb/%s.tsv in %s", part.name, c.Data)
		}
		if *part.to, err = c.writeForms(part.name, found[0]); err != nil {
			return err
		}
	}
	return nil
}

// writeForms writes the documents of a file in all forms, shuffled.
func (c *comparison) writeForms(name, from string) (text, error) {
	t := text{tsv: c.temporary(name + ".tsv"), lines: c.temporary(name + ".txt"), tokens: c.temporary(name + ".tokens")}
	documents, err := readDocuments(from)
	if err != nil {
		return t, err
	}
	var tsv, lines, tokens bytes.Buffer
	for _, i := range rand.New(rand.NewPCG(1, 0)).Perm(len(documents)) {
		label, body := documents[i].Labels[0], documents[i].Text
		t.labels = append(t.labels, string(label))
		fmt.Fprintf(&tsv, "%s\t%s\n", label, body)
		fmt.Fprintf(&lines, "%s\n", body)
		fmt.Fprintf(&tokens, "%s%s %s\n", fastTextLabel, label, tokenize(body))
	}
	t.lineSize, t.tokenSize = int64(lines.Len()), int64(tokens.Len())
	return t, errors.Join(os.WriteFile(t.tsv, tsv.Bytes(), 0o644), os.WriteFile(t.lines, lines.Bytes(), 0o644),
		os.WriteFile(t.tokens, tokens.Bytes(), 0o644))
}

// fastTextLabel begins a label in fastText's format.
const fastTextLabel = "__label__"

// tokenize prepares text for fastText as its own tutorial does with sed and tr:
// blanks around the punctuation marks .!?,'/() and letters (of ASCII) in lower case.
func tokenize(body []byte) []byte {
	tokens := make([]byte, 0, len(body)+len(body)/4)
	for _, b := range body {
		switch {
		case bytes.IndexByte([]byte(".!?,'/()"), b) >= 0:
			tokens = append(tokens, ' ', b, ' ')
		case 'A' <= b && b <= 'Z':
			tokens = append(tokens, b+'a'-'A')
		default:
			tokens = append(tokens, b)
		}
	}
	return tokens
}

// readDocuments reads a labelled file.
func readDocuments(path string) (documents []corpus.Document, err error) {
	reader, err := corpus.Open(corpus.Input{Paths: []string{path}})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for d, err := range reader.Documents() {
		if err == nil {
			err = d.Err
		}
		if err != nil {
			return nil, err
		}
		documents = append(documents, d)
	}
	return documents, nil
}

// repeat writes files one after the other, times times over, and returns the size.
func repeat(path string, times int, parts ...string) (int64, error) {
	var all []byte
	for _, part := range parts {
		content, err := os.ReadFile(part)
		if err != nil {
			return 0, err
		}
		all = append(all, content...)
	}
	return int64(len(all) * times), os.WriteFile(path, bytes.Repeat(all, times), 0o644)
}
