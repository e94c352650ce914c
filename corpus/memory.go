package corpus

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"slices"
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
		given, ok := m.next()
		if !ok {
			break
		}
		m.number++
		d := Document{Labels: given.Labels, Text: given.Text, Weight: cmp.Or(given.Weight, 1), Record: given.Text, EOL: "\n", Line: m.number, Offset: m.bytes}
		m.bytes += int64(len(d.Text))
		if err := m.check(&d); err != nil {
			m.file.spoil(&d, err)
		}
		all = append(all, d)
	}
	if len(all) == 0 {
		return nil, io.EOF
	}
	return &Chunk{file: m.file, records: all}, nil
}

// check says what is wrong with a document.
func (m *memory) check(d *Document) error {
	switch {
	case m.file.o.Unlabelled:
		return nil
	case slices.ContainsFunc(d.Labels, func(label []byte) bool { return len(label) == 0 }):
		return &fault{reason: WrongLabel, what: "a label is empty", near: d.Text}
	case !(d.Weight >= LeastWeight && d.Weight <= MostWeight):
		return faulty(WrongWeight, "the weight is %g: it must be from %g to %g", d.Weight, LeastWeight, MostWeight)
	}
	p := &parser{file: m.file, labels: d.Labels}
	return p.finish(d, 0, d.Text)
}

// inMemory are the documents of a chunk.
type inMemory []Document

func (m inMemory) append(dst []Document) []Document { return append(dst, m...) }

func (m inMemory) first(int) (documents []Document, raw []byte) { return m, nil }

func (m inMemory) size() (n int64) {
	for i := range m {
		n += int64(len(m[i].Text)) + documentBytes
	}
	return n
}

func (m inMemory) release() {}
