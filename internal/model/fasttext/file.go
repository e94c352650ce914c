package fasttext

import (
	"errors"
	"fmt"
	"io"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// File is a model's file in memory: its words, their n-grams of characters, and its two matrices, which a [Model] folds
// or copies. They are read where they lie in the file, so that all processes that open it share it. A File may be used
// concurrently.
type File struct {
	mapping *osfile.Mapping
	*parsed
	finder *Model
	rows   []uint32 // where the file is pruned: the row of the input for each n-gram that has a row
}

// OpenFile maps the file of a classifier of fastText.
func OpenFile(path string) (*File, error) {
	mapping, err := osfile.Map(path)
	if err != nil {
		return nil, err
	}
	f := &File{mapping: mapping}
	if err := f.guard(f.read); err != nil {
		mapping.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func (f *File) read() (err error) {
	if f.parsed, err = parse(f.mapping.Bytes()); err != nil {
		return err
	}
	if f.finder, err = f.parsed.finder(); err != nil || !f.pruned {
		return err
	}
	f.rows = make([]uint32, f.finder.kept.size)
	for _, k := range f.kept {
		row, _ := f.finder.row(k.Bucket)
		f.rows[int(row)-f.words] = uint32(f.words) + k.Row
	}
	return nil
}

func (f *File) guard(fn func() error) error { return osfile.Guard(f.mapping, fn) }

// Close gives the memory back.
func (f *File) Close() error { return f.mapping.Close() }

// WriteTo writes the file as it is.
func (f *File) WriteTo(w io.Writer) (n int64, err error) {
	err = f.guard(func() error {
		written, err := w.Write(f.mapping.Bytes())
		n = int64(written)
		return err
	})
	return n, err
}

// Save writes a copy of the file.
func (f *File) Save(path string) error {
	return osfile.WriteFile(path, func(w io.Writer) error {
		_, err := f.WriteTo(w)
		return err
	})
}

// Shape says how large a file's dictionary and matrices are.
type Shape struct {
	Words     int   `json:"words"`
	Dim       int   `json:"dim"`
	Input     int64 `json:"input"`  // rows
	Output    int64 `json:"output"` // rows
	Quantized bool  `json:"quantized"`
}

// Shape returns the sizes.
func (f *File) Shape() Shape {
	return Shape{f.words, f.Dim, f.input.rows, f.output.rows, f.input.q != nil}
}

// Words visits the words of the dictionary with how often each occurred in training, most frequent first.
func (f *File) Words(visit func(word []byte, count int64)) {
	for id := range f.words {
		visit(f.vocab.word(id), f.counts[id])
	}
}

// ID returns the number of a word of the dictionary, or of a label behind all words. It is -1 for others.
func (f *File) ID(word []byte) int { return f.finder.vocab.find(word) }

// Bucket returns the row that a file without pruning has for an n-gram of characters.
func (f *File) Bucket(ngram []byte) (row int, err error) {
	if f.parsed.Bucket == 0 {
		return 0, errors.New("fasttext: the model has no n-grams, so it has no rows for parts of words")
	}
	return f.words + int(hash(ngram)%uint32(f.parsed.Bucket)), nil
}

// Subword is a part of a word that has been put between < and >, and its row of the input.
type Subword struct{ Begin, End, Row int32 }

// Subwords lists a word, if the dictionary has it, and its n-grams of characters that have rows, in fastText's order.
func (f *File) Subwords(word []byte) (parts []Subword) {
	if id := f.ID(word); id >= 0 {
		parts = append(parts, Subword{1, int32(1 + len(word)), int32(id)})
	}
	if string(word) == string(endOfLine) {
		return parts
	}
	padded := pad(nil, word)
	for i := range padded {
		if continues(padded[i]) {
			continue
		}
		for j, length := i, 1; j < len(padded) && length <= f.MaxN; length++ {
			for j++; j < len(padded) && continues(padded[j]); j++ {
			}
			if length < f.MinN || length == 1 && (i == 0 || j == len(padded)) {
				continue
			}
			if row, has := f.finder.row(f.finder.spans.Of(hash(padded[i:j]))); has == 1 {
				parts = append(parts, Subword{int32(i), int32(j), int32(f.inInput(row))})
			}
		}
	}
	return parts
}

// inInput returns the row of the input that a row of the finder stands for.
func (f *File) inInput(row uint32) uint32 {
	if f.rows != nil && int(row) >= f.words {
		return f.rows[int(row)-f.words]
	}
	return row
}

// WordVector sets dst to the mean of the rows of a word.
func (f *File) WordVector(dst []float32, word []byte) error {
	var rows []uint32
	for _, part := range f.Subwords(word) {
		rows = append(rows, uint32(part.Row))
	}
	return f.mean(dst, rows)
}

// LineVector sets dst to the mean of the rows of all features of a line.
func (f *File) LineVector(dst []float32, line []byte) error {
	var rows []uint32
	for p := range (&Scorer{m: f.finder}).parts(line) {
		for _, row := range p.rows {
			rows = append(rows, f.inInput(row))
		}
	}
	return f.mean(dst, rows)
}

// mean sets dst to the mean of rows of the input, added up in 32 bits as by fastText. It is 0 if there are none.
func (f *File) mean(dst []float32, rows []uint32) error {
	clear(dst)
	return f.guard(func() error {
		row := make([]float32, f.Dim)
		for _, at := range rows {
			if err := f.readRows(row, false, int64(at)); err != nil {
				return err
			}
			for i, x := range row {
				dst[i] += x
			}
		}
		for i := range dst {
			dst[i] *= float32(1 / float64(max(1, len(rows))))
		}
		return nil
	})
}

// Rows sets dst to rows of the input, or of the output, from the first one on.
func (f *File) Rows(dst []float32, output bool, first int64) error {
	return f.guard(func() error { return f.readRows(dst, output, first) })
}

// readRows is Rows without a guard.
func (f *File) readRows(dst []float32, output bool, first int64) error {
	m, what := f.input, "input"
	if output {
		m, what = f.output, "output"
	}
	if n := int64(len(dst) / f.Dim); first < 0 || first > m.rows-n {
		return fmt.Errorf("fasttext: the %s has no row %d: it has %d, from 0 on", what, first, m.rows)
	}
	for ; len(dst) > 0; dst, first = dst[f.Dim:], first+1 {
		row := dst[:f.Dim]
		if norm := m.row(row, int(first)); norm != 1 {
			for i := range row {
				row[i] *= norm
			}
		}
	}
	return nil
}
