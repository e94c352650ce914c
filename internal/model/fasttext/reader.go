package fasttext

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

const (
	magic      = 793712314
	oldest     = 11
	newest     = 12
	headerSize = 8 + 12*4 + 8
)

// damaged returns the error about a file that is cut short or contradicts itself at a byte.
func damaged(at int64, format string, args ...any) error {
	return fmt.Errorf("fasttext: byte %d: %s: the file is damaged, or fastText has not made it: get it from its source again, or train again",
		at, fmt.Sprintf(format, args...))
}

// unsupported returns the error about a file that is not a classifier that can be run.
func unsupported(at int64, format string, args ...any) error {
	return fmt.Errorf("fasttext: byte %d: %s: give a .bin or .ftz that fasttext supervised or fasttext quantize has written, of format version 11 or 12",
		at, fmt.Sprintf(format, args...))
}

// Is reports whether data begin as files of fastText do.
func Is(data []byte) bool { return len(data) >= 4 && binary.LittleEndian.Uint32(data) == magic }

// reader takes numbers from a file, up to the first error.
type reader struct {
	data []byte
	at   int
	err  error
}

func (r *reader) fail(at int, format string, args ...any) {
	r.failed(damaged(int64(at), format, args...))
}

func (r *reader) failed(err error) {
	if r.err == nil {
		r.err = err
	}
}

// take takes n bytes; nil if they are not there.
func (r *reader) take(n int64, what string) []byte {
	if r.err != nil {
		return nil
	}
	if n > int64(len(r.data)-r.at) {
		r.fail(r.at, "%s has %d bytes, and the file has %d more", what, n, len(r.data)-r.at)
		return nil
	}
	b := r.data[r.at : r.at+int(n) : r.at+int(n)]
	r.at += int(n)
	return b
}

// times returns the product of two sizes that are not negative, or more than any file has.
func times(a, b int64) int64 {
	if b != 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// decode takes what is of fixed size.
func (r *reader) decode(into any, what string) {
	if b := r.take(int64(binary.Size(into)), what); b != nil {
		_, _ = binary.Decode(b, binary.LittleEndian, into)
	}
}

// flag takes a byte that is 0 or 1.
func (r *reader) flag(what string) bool {
	b := r.take(1, what)
	if b != nil && b[0] > 1 {
		r.fail(r.at-1, "%s is %d, and should be 0 or 1", what, b[0])
	}
	return b != nil && b[0] == 1
}

// size is a number of a file, at this place, with its range.
type size struct {
	at             int
	what           string
	n, least, most int64
}

func (r *reader) check(sizes ...size) {
	for _, s := range sizes {
		if s.n < s.least || s.n > s.most {
			r.fail(s.at, "%s is %d, and should be from %d to %d", s.what, s.n, s.least, s.most)
		}
	}
}

// Loss is what a model was trained for, which says how it makes probabilities.
type Loss int32

// The losses, by their numbers in files.
const (
	Hierarchical Loss = 1 + iota
	Negative
	Softmax
	OneVsAll
)

func (l Loss) String() string {
	return [...]string{"hs", "ns", "softmax", "ova"}[l-1]
}

// Settings are what a model was trained with, as far as they matter.
type Settings struct {
	Version    int   `json:"version"`
	Dim        int   `json:"dim"`
	Loss       Loss  `json:"-"`
	WordNgrams int   `json:"word_ngrams"`
	MinN       int   `json:"minn"`
	MaxN       int   `json:"maxn"`
	Bucket     int64 `json:"bucket"`
}

const supervised = 3 // among the kinds of models

// most is what no size in a file of fastText exceeds.
const most = math.MaxInt32

// arguments are what a file begins with.
type arguments struct {
	Magic, Version, Dim, WS, Epoch, MinCount, Neg, WordNgrams, Loss, Model, Bucket, MinN, MaxN, LRUpdateRate int32
	T                                                                                                        float64
}

func (r *reader) settings() (s Settings) {
	var a arguments
	if !Is(r.data) {
		r.failed(unsupported(0, "it begins with %q", r.data[:min(len(r.data), 8)]))
		return s
	}
	if len(r.data) >= 8 { // before the length, which may be another in other versions
		if version := int32(binary.LittleEndian.Uint32(r.data[4:])); version < oldest || version > newest {
			r.failed(unsupported(4, "it has format version %d, and this program reads %d and %d", version, oldest,
				newest))
		}
	}
	if r.decode(&a, "the arguments"); r.err != nil {
		return s
	}
	r.check(
		size{8, "dim", int64(a.Dim), 1, most},
		size{28, "wordNgrams", int64(a.WordNgrams), 0, most},
		size{32, "loss", int64(a.Loss), 1, 4},
		size{40, "bucket", int64(a.Bucket), 0, most},
		size{44, "minn", int64(a.MinN), 0, most},
		size{48, "maxn", int64(a.MaxN), 0, most},
	)
	if a.Version == oldest { // it had no n-grams of characters
		a.MaxN = 0
	}
	switch {
	case a.Model != supervised:
		r.failed(unsupported(36, "its model is %d, word vectors, and not %d, a classifier", a.Model, supervised))
	case a.Bucket == 0 && (a.WordNgrams > 1 || a.MaxN > 0):
		r.fail(40, "bucket is 0, and there are n-grams (wordNgrams %d, maxn %d)", a.WordNgrams, a.MaxN)
	}
	return Settings{
		int(a.Version), int(a.Dim), Loss(a.Loss), int(a.WordNgrams), int(a.MinN), int(a.MaxN),
		int64(a.Bucket),
	}
}

// keptNgram is an n-gram that pruning has left, and where its row is behind those of words.
type keptNgram struct{ Bucket, Row uint32 }

// parsed is what a file holds.
type parsed struct {
	Settings
	words  int
	vocab  vocabulary // words, and labels behind them
	counts []int64    // of all of these in training
	pruned bool
	kept   []keptNgram // where it is pruned

	input, output *matrix
}

func parse(data []byte) (*parsed, error) {
	r := &reader{data: data}
	p := &parsed{Settings: r.settings()}
	r.dictionary(p)
	inputQuantized := r.flag("what says whether the input is quantized")
	if p.pruned && !inputQuantized {
		r.failed(unsupported(int64(r.at-1),
			"its dictionary is pruned, and its input is not quantized: fastText runs no such model either"))
	}
	p.input = r.matrix(inputQuantized, "the input")
	outputQuantized := r.flag("what says whether the output is quantized")
	p.output = r.matrix(inputQuantized && outputQuantized, "the output")
	if r.err == nil {
		r.checkShapes(p)
	}
	if r.at < len(data) {
		r.fail(r.at, "%s past the end", display.Some(len(data)-r.at, "byte"))
	}
	if r.err != nil {
		return nil, r.err
	}
	return p, nil
}

// dictionary is what a dictionary begins with.
type dictionary struct {
	Entries, Words, Labels int32
	Tokens, Kept           int64 // n-grams
}

func (r *reader) dictionary(p *parsed) {
	begin := r.at
	var h dictionary
	r.decode(&h, "the dictionary")
	entries := int64(h.Entries)
	r.check(
		size{begin, "the number of entries", entries, 1, most},
		size{begin + 4, "the number of words", int64(h.Words), 0, entries},
		size{begin + 8, "the number of labels", int64(h.Labels), 1, entries},
		size{begin + 20, "the number of n-grams that are kept", h.Kept, -1, most},
	)
	const leastEntry = 1 + 8 + 1 // the end of its text, count and type
	switch {
	case int64(h.Words)+int64(h.Labels) != entries:
		r.fail(begin, "%d entries are not %d words and %d labels", entries, h.Words, h.Labels)
	case entries > int64(len(r.data)-r.at)/leastEntry:
		r.fail(begin, "%d entries do not fit into %d bytes", entries, len(r.data)-r.at)
	}
	if r.err != nil {
		return
	}
	p.words = int(h.Words)
	p.vocab.ends, p.counts = make([]uint32, 0, entries), make([]int64, 0, entries)
	for i := range int(entries) {
		n := bytes.IndexByte(r.data[r.at:], 0)
		if n < 0 {
			r.fail(r.at, "the text of entry %d has no end", i)
			return
		}
		if len(p.vocab.text)+n > most {
			r.fail(r.at, "the texts of entries are longer than 2 GiB")
			return
		}
		word := r.take(int64(n)+1, "")[:n]
		p.vocab.add(word)
		b := r.take(8+1, "the count and the type of an entry")
		if b == nil {
			return
		}
		if kind := b[8]; kind > 1 || (kind == 1) != (i >= p.words) {
			r.fail(r.at-1, "entry %d, %.60q, has the type %d: %d words (0) come first, then labels (1)", i, word, kind,
				p.words)
			return
		}
		p.counts = append(p.counts, int64(binary.LittleEndian.Uint64(b)))
	}
	if h.Kept < 0 {
		return
	}
	begin, p.pruned = r.at, true
	b := r.take(times(8, h.Kept), "the list of n-grams that are kept")
	p.kept = make([]keptNgram, len(b)/8)
	_, _ = binary.Decode(b, binary.LittleEndian, p.kept)
	for i, k := range p.kept {
		if int64(k.Bucket) >= p.Bucket || int64(k.Row) >= h.Kept {
			r.fail(begin+8*i, "n-gram %d has bucket %d of %d, and row %d of %d", i, k.Bucket, p.Bucket, k.Row, h.Kept)
			return
		}
	}
}

// checkShapes finds out whether matrices fit the dictionary.
func (r *reader) checkShapes(p *parsed) {
	labels := len(p.counts) - p.words
	need := int64(p.words) + p.Bucket
	if p.pruned {
		need = int64(p.words + len(p.kept))
	}
	if p.WordNgrams <= 1 && p.MaxN == 0 && !p.pruned { // no bucket is used
		need = int64(p.words)
	}
	if rows, columns := p.input.rows, p.input.columns; rows < need || columns != int64(p.Dim) {
		r.fail(r.at, "the input has %d rows of %d numbers, and %d of %d are needed", rows, columns, need, p.Dim)
	}
	if rows, columns := p.output.rows, p.output.columns; rows != int64(labels) || columns != int64(p.Dim) {
		r.fail(r.at, "the output has %d rows of %d numbers, and there are %d labels and %d dimensions", rows, columns,
			labels, p.Dim)
	}
}
