package fasttext

import (
	"encoding/binary"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// The form in which a model file of ours holds a model, so that it is used where it lies. Numbers are little-endian;
// every part begins at a multiple of 64 bytes, and zeros fill the gaps.
//
//	byte  size
//	   0     4  form: 1, or 2 if the table is packed
//	   4     4  version of fastText's format that the model came in
//	   8     4  dim
//	  12     4  loss, by fastText's number
//	  16     4  wordNgrams
//	  20     4  minn
//	  24     4  maxn
//	  28     4  flags: 1 folded, 2 pruned, 4 norms
//	  32     8  bucket
//	  40     8  words
//	  48     8  labels
//	  56     8  length of all words' and labels' text
//	  64        where each word's, then each label's text ends, uint32
//	            the text
//	            counts of labels, int64
//	            if it is pruned: a bit for each bucket, in uint64, set if it has a row; then the number of set bits
//	            before each uint64, uint32
//	            the table, float32: a row for each word, then for each n-gram, of as many numbers as there are
//	            outputs if it is folded, else dim; if these are more than one, filled up with zeros to a multiple of 8.
//	            Of form 2: a bit for each row, in uint64, set where there is a number that is not 0; then these rows,
//	            not filled up
//	            if it is not folded: the outputs, float32, rows of dim; and if there are norms, these, float32
const (
	formHeader = 64
	formPlain  = 1
	formPacked = 2

	flagFolded = 1
	flagPruned = 2
	flagNorms  = 4
)

const unit = 64

// formHead is the header of a form.
type formHead struct {
	Form, Version, Dim, Loss, WordNgrams, MinN, MaxN, Flags uint32
	Bucket, Words, Labels, Text                             uint64
}

// Encode gives the form of a model that a model file of ours holds.
func (m *Model) Encode() []byte {
	h := formHead{
		formPlain, uint32(m.Version), uint32(m.Dim), uint32(m.Loss), uint32(m.WordNgrams), uint32(m.MinN),
		uint32(m.MaxN), 0,
		uint64(m.Bucket), uint64(m.words), uint64(len(m.counts)), uint64(len(m.vocab.text)),
	}
	table := [][]byte{mem.ViewBytes(m.table)}
	if packed := m.pack(); packed != nil {
		h.Form, table = formPacked, packed
	}
	for flag, set := range map[uint32]bool{flagFolded: m.Folded, flagPruned: m.kept != nil, flagNorms: m.norms != nil} {
		if set {
			h.Flags |= flag
		}
	}
	encode := func(of any) []byte {
		b, _ := binary.Append(nil, binary.LittleEndian, of) // what is of fixed size can be encoded
		return b
	}
	parts := [][]byte{encode(h), mem.ViewBytes(m.vocab.ends), m.vocab.text, mem.ViewBytes(m.counts)}
	if m.kept != nil {
		parts = append(parts, mem.ViewBytes(m.kept.Words), mem.ViewBytes(m.kept.Ranks))
	}
	parts = append(parts, table...)
	if !m.Folded {
		parts = append(parts, mem.ViewBytes(m.outputs))
	}
	if m.norms != nil {
		parts = append(parts, mem.ViewBytes(m.norms))
	}
	size := 0
	for _, part := range parts {
		size += padded(len(part))
	}
	all := make([]byte, 0, size)
	for _, part := range parts {
		all = append(all, part...)
		all = append(all, make([]byte, padded(len(part))-len(part))...)
	}
	return all
}

func padded(n int) int { return (n + unit - 1) / unit * unit }

// Decode takes a model from the form that Encode gives. The bytes, which begin at a multiple of 8 in memory, must not
// change as long as the model is in use. An error's offset is within the form.
func Decode(data []byte) (*Model, error) {
	d := &reader{data: data}
	var h formHead
	if d.decode(&h, "its header"); d.err != nil {
		return nil, d.err
	}
	if h.Form != formPlain && h.Form != formPacked {
		return nil, unsupported(0, "it has form %d, and this program reads %d and %d", h.Form, formPlain, formPacked)
	}
	if largest := max(uint64(h.Version), uint64(h.Dim), uint64(h.Loss), uint64(h.WordNgrams), uint64(h.MinN),
		uint64(h.MaxN), h.Bucket, h.Words, h.Labels, h.Text); largest > most {
		return nil, damaged(0, "a size in the header is %d, and at most %d is possible", largest, most)
	}
	flags, labels, text := h.Flags, int64(h.Labels), int64(h.Text)
	m := &Model{
		Settings: Settings{
			int(h.Version), int(h.Dim), Loss(h.Loss), int(h.WordNgrams), int(h.MinN), int(h.MaxN),
			int64(h.Bucket),
		},
		Folded: flags&flagFolded != 0, words: int(h.Words),
	}
	switch {
	case flags&^(flagFolded|flagPruned|flagNorms) != 0 || m.Folded && flags&flagNorms != 0:
		return nil, damaged(28, "the flags are %#x", flags)
	case m.Loss < Hierarchical || m.Loss > OneVsAll:
		return nil, damaged(12, "the loss is %d", m.Loss)
	case m.Dim < 1 || labels < 1 || int64(m.words)+labels > int64(len(data))/4 || labels > int64(len(data))/8:
		return nil, damaged(40, "%d words and %d labels of %d dimensions are too many or too few for %d bytes", m.words,
			labels, m.Dim, len(data))
	case m.Bucket == 0 && (m.WordNgrams > 1 || m.MaxN > 0):
		return nil, damaged(32, "there are no buckets, and there are n-grams")
	}
	m.counts = make([]int64, labels)
	if m.Folded && !m.mayFold() {
		return nil, damaged(28, "a model of loss %v with %d labels and %d dimensions is not folded", m.Loss, labels,
			m.Dim)
	}
	m.width = m.Dim
	if m.Folded {
		m.width = max(m.outputRows(), 1)
	}
	m.pitch = pitchOf(m.width)
	if flags&flagPruned != 0 {
		if m.Bucket > mostPruned {
			return nil, damaged(32, "there are %d buckets, and at most %d are possible", m.Bucket, mostPruned)
		}
		m.kept = &bitmap{}
	}
	if flags&flagNorms != 0 {
		m.norms = []float32{}
	}
	m.vocab.ends = numbersOf[uint32](d, int64(m.words)+labels)
	m.vocab.text = d.part(text)
	copy(m.counts, numbersOf[int64](d, labels))
	if m.kept != nil {
		words := int64(wordsOf(uint64(m.Bucket)))
		m.kept.Words, m.kept.Ranks = numbersOf[uint64](d, words), numbersOf[uint32](d, words)
		if d.err == nil && !m.checkKept() {
			return nil, damaged(int64(d.at), "the n-grams that have rows are counted wrongly")
		}
	}
	rows := int64(m.words) + int64(m.ngramRows())
	begin := int64(d.at)
	if h.Form == formPacked {
		m.table = m.unpack(d, rows)
	} else {
		m.table = numbersOf[float32](d, times(rows, int64(m.pitch)))
	}
	if !m.Folded {
		m.outputs = numbersOf[float32](d, times(labels, int64(m.Dim)))
	}
	if m.norms != nil {
		m.norms = numbersOf[float32](d, labels)
	}
	if d.err != nil {
		return nil, d.err
	}
	if d.at != len(data) {
		return nil, damaged(int64(d.at), "%s past the end", display.Some(len(data)-d.at, "byte"))
	}
	before := uint32(0)
	for i, end := range m.vocab.ends {
		if end < before || int64(end) > text {
			return nil, damaged(int64(formHeader+4*i), "word %d ends at %d, which is not between %d and %d", i, end,
				before, text)
		}
		before = end
	}
	if int64(before) != text {
		return nil, damaged(56, "%d bytes follow the last label", text-int64(before))
	}
	for _, numbers := range [][]float32{m.table, m.outputs, m.norms} {
		for i, x := range numbers {
			if !finite(x) {
				return nil, damaged(begin, "number %d of %d is %v, not a finite one", i, len(numbers), x)
			}
		}
	}
	return m, m.prepare()
}

// checkKept finds out whether the numbers of n-grams before each word of the bitmap are right.
func (m *Model) checkKept() bool {
	whole := bitmap{Words: m.kept.Words}
	whole.index()
	m.kept.Size = whole.Size
	for i, rank := range m.kept.Ranks {
		if rank != whole.Ranks[i] {
			return false
		}
	}
	if used := m.Bucket % wordBits; used != 0 && m.kept.Words[len(m.kept.Words)-1]>>used != 0 {
		return false
	}
	return true
}

// numbersOf takes n numbers: a view of the data, where that is possible.
func numbersOf[T mem.Number](d *reader, n int64) []T {
	return mem.View[T](d.part(times(n, int64(mem.SizeOf[T]()))))
}
