package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

// memoryName is what documents in memory are called where files have a path.
const memoryName = "documents in memory"

var errMemoryAndFiles = errors.New("corpus: Documents cannot be combined with Paths: leave these out")

// memory reads documents that are in memory, as the contents of the only file.
type memory struct {
	r      *Reader
	pull   func() (Document, error, bool)
	stop   func()
	number int64 // documents so far
	bytes  int64 // of their texts
}

// openMemory begins to read Input.Documents. Their texts are what the format says if that is one of ready-made
// features, else plain text.
func (r *Reader) openMemory() {
	r.file = &file{path: memoryName, format: &linesFormat, last: true, o: &r.o}
	if given := cmp.Or(r.o.Format, r.o.Like.Format).find(); given == &svmlightFormat {
		r.file.format = given
	}
	m := &memory{r: r}
	m.pull, m.stop = iter.Pull2(r.o.Documents)
	r.contents = m
}

// next returns the next chunk, of about a mebibyte, or io.EOF.
func (m *memory) next() (records, error) {
	var all inMemory
	var kept []byte     // a copy of texts and labels
	var labels [][]byte // likewise
	keep := func(text []byte) []byte {
		if len(text) > cap(kept)-len(kept) {
			kept = make([]byte, 0, max(chunkSize/8, len(text)))
		}
		first := len(kept)
		kept = append(kept, text...)
		return kept[first:len(kept):len(kept)]
	}
	for end := m.bytes + chunkSize; m.bytes < end && len(all) < m.r.limit; {
		given, err, ok := m.pull()
		if err != nil {
			return nil, fmt.Errorf("corpus: %s: %w", memoryName, err)
		}
		if !ok {
			break
		}
		m.number++
		given.Text = keep(given.Text)
		first := len(labels)
		for _, label := range given.Labels {
			labels = append(labels, keep(label))
		}
		d := Document{
			ID: given.ID, Labels: labels[first:len(labels):len(labels)], Shares: slices.Clone(given.Shares), Text: given.Text,
			Weight: cmp.Or(given.Weight, 1), Record: given.Text, EOL: "\n", Line: m.number, Offset: m.bytes,
		}
		m.bytes += int64(len(d.Text))
		if err := m.check(&d); err != nil {
			m.r.file.spoil(&d, err)
		}
		all = append(all, d)
	}
	m.r.done.Store(m.bytes)
	if len(all) == 0 {
		return nil, io.EOF
	}
	return all, nil
}

// Close ends the iteration.
func (m *memory) Close() error {
	m.stop()
	return nil
}

// check returns what is wrong with a document.
func (m *memory) check(d *Document) error {
	switch {
	case m.r.o.Unlabelled:
		return nil
	case slices.ContainsFunc(d.Labels, func(label []byte) bool { return len(label) == 0 }):
		return &fault{reason: wrongLabel, what: "a label is empty", near: d.Text}
	case !(d.Weight >= LeastWeight && d.Weight <= MostWeight):
		return &fault{reason: wrongWeight, what: fmt.Sprintf("the weight is %g: it must be from %g to %g",
			d.Weight, LeastWeight, MostWeight)}
	}
	if d.Shares != nil {
		if err := d.checkShares(); err != nil {
			return err
		}
	}
	p := &parser{file: m.r.file, labels: slices.Clip(d.Labels)}
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
