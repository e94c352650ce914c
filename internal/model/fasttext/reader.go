package fasttext

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

const (
	magic      = 793712314
	oldest     = 11
	newest     = 12
	headerSize = 8 + 12*4 + 8
)

// Errors about files, for errors.Is.
var (
	ErrNotFastText = errors.New("not a model of fastText")
	ErrUnsupported = errors.New("not a classifier that can be run")
	ErrTruncated   = errors.New("truncated")
	ErrCorrupt     = errors.New("contradicts itself")
)

var advice = map[error]string{
	ErrNotFastText: "give a .bin or .ftz that fasttext supervised or fasttext quantize has written",
	ErrUnsupported: "give a model that fasttext supervised has trained, of format version 11 or 12",
	ErrTruncated:   "copy the file again, or train again",
	ErrCorrupt:     "the file is damaged, or fastText has not made it: get it from its source again, or train again",
}

// fileError tells what is wrong with a file, and where.
type fileError struct {
	offset int64
	kind   error
	detail string
}

func (e *fileError) Error() string {
	return fmt.Sprintf("fasttext: byte %d: %v: %s: %s", e.offset, e.kind, e.detail, advice[e.kind])
}

func (e *fileError) Unwrap() error { return e.kind }

// Is tells whether data begin as files of fastText do.
func Is(data []byte) bool { return len(data) >= 4 && binary.LittleEndian.Uint32(data) == magic }

// reader takes numbers from a file, up to the first error.
type reader struct {
	data []byte
	at   int
	err  error
}

func (r *reader) fail(at int, kind error, format string, args ...any) {
	if r.err == nil {
		r.err = &fileError{int64(at), kind, fmt.Sprintf(format, args...)}
	}
}

// take takes n bytes; nil if they are not there.
func (r *reader) take(n int64, what string) []byte {
	if r.err != nil {
		return nil
	}
	if n > int64(len(r.data)-r.at) {
		r.fail(r.at, ErrTruncated, "%s has %d bytes, and the file has %d more", what, n, len(r.data)-r.at)
		return nil
	}
	b := r.data[r.at : r.at+int(n) : r.at+int(n)]
	r.at += int(n)
	return b
}

// times is the product of two sizes that are not negative, or more than any file has.
func times(a, b int64) int64 {
	if b != 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

func (r *reader) int32(what string) int32 {
	if b := r.take(4, what); b != nil {
		return int32(binary.LittleEndian.Uint32(b))
	}
	return 0
}

func (r *reader) int64(what string) int64 {
	if b := r.take(8, what); b != nil {
		return int64(binary.LittleEndian.Uint64(b))
	}
	return 0
}

// flag takes a byte that is 0 or 1.
func (r *reader) flag(what string) bool {
	b := r.take(1, what)
	if b != nil && b[0] > 1 {
		r.fail(r.at-1, ErrCorrupt, "%s is %d, and should be 0 or 1", what, b[0])
	}
	return b != nil && b[0] == 1
}

// size takes an int32 or int64 that must be from least to most.
func checkSize[T int32 | int64](r *reader, n T, least, most int64, what string) int64 {
	if width := binary.Size(n); r.err == nil && (int64(n) < least || int64(n) > most) {
		r.fail(r.at-width, ErrCorrupt, "%s is %d, and should be from %d to %d", what, n, least, most)
	}
	return int64(n)
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

func (r *reader) settings() (s Settings) {
	if !Is(r.data) {
		r.fail(0, ErrNotFastText, "it begins with %q", r.data[:min(len(r.data), 8)])
		return s
	}
	r.take(4, "magic")
	s.Version = int(r.int32("format version"))
	if r.err == nil && (s.Version < oldest || s.Version > newest) {
		r.fail(4, ErrUnsupported, "it has format version %d, and this program reads %d and %d", s.Version, oldest, newest)
	}
	s.Dim = int(checkSize(r, r.int32("dim"), 1, most, "dim"))
	r.take(4*4, "the arguments")
	s.WordNgrams = int(checkSize(r, r.int32("wordNgrams"), 0, most, "wordNgrams"))
	s.Loss = Loss(checkSize(r, r.int32("loss"), 1, 4, "loss"))
	if kind := r.int32("model"); r.err == nil && kind != supervised {
		r.fail(r.at-4, ErrUnsupported, "its model is %d, word vectors, and not %d, a classifier", kind, supervised)
	}
	s.Bucket = checkSize(r, r.int32("bucket"), 0, most, "bucket")
	s.MinN = int(checkSize(r, r.int32("minn"), 0, most, "minn"))
	s.MaxN = int(checkSize(r, r.int32("maxn"), 0, most, "maxn"))
	r.take(4+8, "the arguments")
	if s.Version == oldest { // it had no n-grams of characters
		s.MaxN = 0
	}
	if r.err == nil && s.Bucket == 0 && (s.WordNgrams > 1 || s.MaxN > 0) {
		r.fail(headerSize-5*4-4, ErrCorrupt, "bucket is 0, and there are n-grams (wordNgrams %d, maxn %d)", s.WordNgrams, s.MaxN)
	}
	return s
}

// keptNgram is an n-gram that pruning has left, and where its row is behind those of words.
type keptNgram struct{ bucket, row uint32 }

// parsed is what a file holds.
type parsed struct {
	Settings
	words  int
	vocab  vocabulary // words, and labels behind them
	counts []int64    // of labels
	pruned bool
	kept   []keptNgram // where it is pruned

	input, output matrix
}

func parse(data []byte) (*parsed, error) {
	r := &reader{data: data}
	p := &parsed{Settings: r.settings()}
	r.dictionary(p)
	inputQuantized := r.flag("what says whether the input is quantized")
	if r.err == nil && p.pruned && !inputQuantized {
		r.fail(r.at-1, ErrUnsupported, "its dictionary is pruned, and its input is not quantized: fastText runs no such model either")
	}
	p.input = r.matrix(inputQuantized, "the input")
	outputQuantized := r.flag("what says whether the output is quantized")
	p.output = r.matrix(inputQuantized && outputQuantized, "the output")
	if r.err == nil {
		r.checkShapes(p)
	}
	if r.err == nil && r.at < len(data) {
		r.fail(r.at, ErrCorrupt, "%d bytes follow the end", len(data)-r.at)
	}
	if r.err != nil {
		return nil, r.err
	}
	return p, nil
}

func (r *reader) dictionary(p *parsed) {
	begin := r.at
	entries := checkSize(r, r.int32("the number of entries"), 1, most, "the number of entries")
	words := checkSize(r, r.int32("the number of words"), 0, entries, "the number of words")
	labels := checkSize(r, r.int32("the number of labels"), 1, entries, "the number of labels")
	if r.err == nil && words+labels != entries {
		r.fail(begin, ErrCorrupt, "%d entries are not %d words and %d labels", entries, words, labels)
	}
	r.int64("the number of tokens")
	kept := checkSize(r, r.int64("the number of n-grams that are kept"), -1, most, "the number of n-grams that are kept")
	const leastEntry = 1 + 8 + 1 // the end of its text, count and type
	if r.err == nil && entries > int64(len(r.data)-r.at)/leastEntry {
		r.fail(begin, ErrTruncated, "%d entries do not fit into %d bytes", entries, len(r.data)-r.at)
	}
	if r.err != nil {
		return
	}
	p.words = int(words)
	p.vocab.ends = make([]uint32, 0, entries)
	for i := range entries {
		at := r.at
		n := bytes.IndexByte(r.data[r.at:], 0)
		if n < 0 {
			r.fail(r.at, ErrTruncated, "the text of entry %d has no end", i)
			return
		}
		if len(p.vocab.text)+n > most {
			r.fail(r.at, ErrCorrupt, "the texts of entries are longer than 2 GiB")
			return
		}
		p.vocab.text = append(p.vocab.text, r.take(int64(n), "")...)
		p.vocab.ends = append(p.vocab.ends, uint32(len(p.vocab.text)))
		r.take(1, "")
		count := r.int64("the count of an entry")
		kind := r.take(1, "the type of an entry")
		if r.err != nil {
			return
		}
		if want := i >= words; kind[0] > 1 || (kind[0] == 1) != want {
			r.fail(r.at-1, ErrCorrupt, "entry %d, %.60q, has the type %d: %d words (0) come first, then labels (1)", i, r.data[at:at+n], kind[0], words)
			return
		}
		if i >= words {
			p.counts = append(p.counts, count)
		}
	}
	if kept < 0 {
		return
	}
	p.pruned = true
	if b := r.take(times(8, kept), "the list of n-grams that are kept"); b != nil {
		p.kept = make([]keptNgram, kept)
		for i := range p.kept {
			bucket, row := binary.LittleEndian.Uint32(b[8*i:]), binary.LittleEndian.Uint32(b[8*i+4:])
			if int64(bucket) >= p.Bucket || int64(row) >= kept {
				r.fail(r.at-len(b)+8*i, ErrCorrupt, "n-gram %d has bucket %d of %d, and row %d of %d", i, int32(bucket), p.Bucket, int32(row), kept)
				return
			}
			p.kept[i] = keptNgram{bucket, row}
		}
	}
}

// checkShapes finds out whether matrices fit the dictionary.
func (r *reader) checkShapes(p *parsed) {
	labels := len(p.counts)
	rows, columns := p.input.shape()
	need := int64(p.words) + p.Bucket
	if p.pruned {
		need = int64(p.words + len(p.kept))
	}
	if p.WordNgrams <= 1 && p.MaxN == 0 && !p.pruned { // no bucket is used
		need = int64(p.words)
	}
	if rows < need || columns != int64(p.Dim) {
		r.fail(r.at, ErrCorrupt, "the input has %d rows of %d numbers, and %d of %d are needed", rows, columns, need, p.Dim)
	}
	if rows, columns := p.output.shape(); rows != int64(labels) || columns != int64(p.Dim) {
		r.fail(r.at, ErrCorrupt, "the output has %d rows of %d numbers, and there are %d labels and %d dimensions", rows, columns, labels, p.Dim)
	}
}
