package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"
)

// memoryName is what documents in memory are called where files have a path.
const memoryName = "documents in memory"

var errMemoryAndFiles = errors.New("corpus: Documents cannot be combined with Paths or Shard: leave these out")

// memory reads documents that are in memory.
type memory struct {
	file   *file
	next   func() (Document, bool)
	stop   func()
	number int64 // documents so far
	bytes  int64 // of their texts
}

// openMemory begins to read Input.Documents. Their texts are what the format says if that is one of ready-made
// features or Vowpal Wabbit's, else plain text.
func openMemory(o *Input) *memory {
	f := &file{path: memoryName, format: &linesFormat, last: true, o: o}
	if given := cmp.Or(o.Format, o.Like.Format).find(); given == &svmlightFormat || given == &vwFormat {
		f.format = given
	}
	m := &memory{file: f}
	m.next, m.stop = iter.Pull(o.Documents)
	return m
}

// read is the next chunk, of about a mebibyte, or io.EOF.
func (m *memory) read(limit int) (*Chunk, error) {
	var all inMemory
	for end := m.bytes + chunkSize; m.bytes < end && len(all) < limit; {
		d, ok := m.next()
		if !ok {
			break
		}
		m.number++
		all = append(all, m.document(d))
		m.bytes += int64(len(d.Text))
	}
	if len(all) == 0 {
		return nil, io.EOF
	}
	return &Chunk{file: m.file, records: all}, nil
}

// document is what counts of a document.
func (m *memory) document(given Document) Document {
	d := Document{Labels: given.Labels, Text: given.Text, Weight: cmp.Or(given.Weight, 1), Record: given.Text, EOL: "\n", Line: m.number, Offset: m.bytes}
	if err := m.check(&d); err != nil {
		d.Labels, d.Text = nil, nil
		d.Err = &RecordError{Path: memoryName, Line: d.Line, Offset: d.Offset, Err: err}
	}
	return d
}

// check says what is wrong with a document.
func (m *memory) check(d *Document) error {
	o := m.file.o
	if o.Unlabelled {
		return nil
	}
	if len(d.Labels) == 0 && o.LabelSep == "" {
		return &fault{what: "no label", near: d.Text, hint: noneHint}
	}
	for _, label := range d.Labels {
		switch {
		case len(label) == 0:
			return &fault{what: "a label is empty", near: d.Text}
		case !utf8.Valid(label):
			return &fault{what: "a label is not valid UTF-8", near: label}
		}
	}
	if !(d.Weight >= LeastWeight && d.Weight <= MostWeight) {
		return fmt.Errorf("the weight is %g: it must be from %g to %g", d.Weight, LeastWeight, MostWeight)
	}
	return nil
}

// inMemory are the documents of a chunk.
type inMemory []Document

func (m inMemory) append(dst []Document) []Document { return append(dst, m...) }

func (m inMemory) release() {}
