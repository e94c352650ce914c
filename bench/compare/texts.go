package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
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
		sorted := c.temporary("sorted.tsv")
		ends, err := writeTSV(sorted, found[0])
		if err != nil {
			return err
		}
		if *part.to, err = c.writeForms(part.name, sorted, ends); err != nil {
			return err
		}
	}
	return os.Remove(c.temporary("sorted.tsv"))
}

// writeTSV writes a file's documents as lines of label<TAB>text and returns where
// each ends.
func writeTSV(path, from string) (ends []int64, err error) {
	err = writeFiles([]string{path}, func(to []*bufio.Writer) error {
		end := int64(0)
		return eachDocument(from, func(label, body []byte) {
			n, _ := fmt.Fprintf(to[0], "%s\t%s\n", label, body)
			end += int64(n)
			ends = append(ends, end)
		})
	})
	return ends, err
}

// writeForms writes all forms of a TSV file whose lines end as given, shuffled.
func (c *comparison) writeForms(name, tsv string, ends []int64) (text, error) {
	t := text{tsv: c.temporary(name + ".tsv"), lines: c.temporary(name + ".txt"), tokens: c.temporary(name + ".tokens")}
	from, err := os.Open(tsv)
	if err != nil {
		return t, err
	}
	defer from.Close()
	err = writeFiles([]string{t.tsv, t.lines, t.tokens}, func(to []*bufio.Writer) error {
		for _, i := range rand.New(rand.NewPCG(1, 0)).Perm(len(ends)) {
			begin := int64(0)
			if i > 0 {
				begin = ends[i-1]
			}
			line := make([]byte, ends[i]-begin)
			if _, err := from.ReadAt(line, begin); err != nil {
				return err
			}
			label, body, _ := bytes.Cut(line, []byte{'\t'})
			t.labels = append(t.labels, string(label))
			to[0].Write(line)
			n, _ := to[1].Write(body)
			t.lineSize += int64(n)
			n, _ = fmt.Fprintf(to[2], "%s%s %s", fastTextLabel, label, tokenise(body))
			t.tokenSize += int64(n)
		}
		return nil
	})
	return t, err
}

// fastTextLabel begins a label in fastText's format.
const fastTextLabel = "__label__"

// tokenise prepares text for fastText as its own tutorial does with sed and tr:
// blanks around the punctuation marks .!?,'/() and letters (of ASCII) in lower case.
func tokenise(body []byte) []byte {
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

// eachDocument reads a labelled file.
func eachDocument(path string, f func(label, body []byte)) (err error) {
	reader, err := corpus.Open([]string{path}, nil, corpus.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	var documents []corpus.Document
	for {
		chunk, err := reader.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		documents = chunk.Append(documents[:0])
		for _, d := range documents {
			if d.Err != nil {
				return d.Err
			}
			f(d.Labels[0], d.Text)
		}
	}
}

// writeFiles writes several files at once.
func writeFiles(paths []string, write func(to []*bufio.Writer) error) error {
	files := make([]*os.File, len(paths))
	to := make([]*bufio.Writer, len(paths))
	for i, path := range paths {
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		defer file.Close()
		files[i], to[i] = file, bufio.NewWriterSize(file, 1<<16)
	}
	if err := write(to); err != nil {
		return err
	}
	for i := range to {
		if err := errors.Join(to[i].Flush(), files[i].Close()); err != nil {
			return err
		}
	}
	return nil
}

// repeat writes files one after the other, times times over, and returns the size.
func repeat(path string, times int, parts ...string) (size int64, err error) {
	err = writeFiles([]string{path}, func(to []*bufio.Writer) error {
		for range times {
			for _, part := range parts {
				n, err := appendFile(to[0], part)
				size += n
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	return size, err
}

func appendFile(to io.Writer, path string) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return io.Copy(to, file)
}
