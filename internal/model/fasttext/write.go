package fasttext

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/file/views"
)

// errInexact is that fastText would compute other labels or probabilities from what could be written.
var errInexact = errors.New("can't be exported exactly")

// Write writes the model in fastText's own format, in version 12, for fastText to run: the labels and probabilities are
// the same, but for rounding. A folded model has as many dimensions as outputs, and the output matrix takes each as it
// is. A pruned one is quantized, as fastText demands: each number is a sum of four, of a byte each. How often words
// occurred in training is not known, so that all have the count 1.
func (m *Model) Write(to io.Writer) error {
	input, err := m.writtenInput()
	if err != nil {
		return err
	}
	w := &writer{to: bufio.NewWriterSize(to, 1<<18)}
	ngrams := m.ngramRows() > 0
	bucket := m.Bucket
	if !ngrams {
		bucket = 0
	}
	// ws, epoch, minCount, neg and lrUpdateRate are fastText's defaults; they are for training.
	w.numbers(magic, newest, m.width*input.parts(), 5, 5, 1, 5, m.WordNgrams, int(m.Loss), supervised, int(bucket), m.MinN, m.MaxN, 100)
	w.float64(1e-4)
	m.writeDictionary(w, ngrams)
	input.write(w)
	w.byte(0) // the output is not quantized
	m.writeOutputs(w, input.parts())
	if w.err == nil {
		w.err = w.to.Flush()
	}
	return w.err
}

// writtenInput is an input matrix in the form in which it is written.
type writtenInput interface {
	parts() int // columns of it that are added up for each number
	write(w *writer)
}

// writtenInput chooses the form.
func (m *Model) writtenInput() (writtenInput, error) {
	table := m.loosened()
	rows := int64(len(m.table) / m.pitch)
	switch exactly := m.Loss == Negative || m.Loss == OneVsAll; {
	case exactly && m.norms != nil:
		return nil, fmt.Errorf("fasttext: a model of loss %v that is quantized with -qout -qnorm %w, as this loss looks probabilities up in a table, of which rounding may give the next entry: use the file that fastText has written", m.Loss, errInexact)
	case m.kept == nil || m.ngramRows() == 0:
		return &plainInput{m}, nil
	case rows*int64(m.width) > most/digits:
		return nil, fmt.Errorf("fasttext: a pruned model of %d rows of %d numbers has more than fastText can number", rows, m.width)
	case exactly && table == nil:
		return nil, fmt.Errorf("fasttext: a pruned model of loss %v that is quantized with -qnorm %w, as this loss looks probabilities up in a table, of which rounding may give the next entry: use the file that fastText has written", m.Loss, errInexact)
	case table != nil:
		return table, nil
	}
	return newDigitInput(m), nil
}

// writeDictionary writes words, labels, and which n-grams are kept.
func (m *Model) writeDictionary(w *writer, ngrams bool) {
	entries := len(m.vocab.ends)
	w.numbers(entries, m.words, len(m.counts))
	tokens := int64(m.words)
	for _, n := range m.counts {
		tokens += n
	}
	w.int64(tokens)
	pruned := m.kept != nil && ngrams
	if pruned {
		w.int64(int64(m.kept.Size))
	} else {
		w.int64(-1)
	}
	for i := range entries {
		w.write(m.vocab.word(i))
		w.byte(0)
		if i < m.words {
			w.int64(1)
			w.byte(0)
		} else {
			w.int64(m.counts[i-m.words])
			w.byte(1)
		}
	}
	if pruned {
		for rank, bucket := range m.kept.All() {
			w.numbers(int(bucket), rank)
		}
	}
}

// writeOutputs writes the output matrix, each column so many times. That of a folded model takes numbers as they are.
func (m *Model) writeOutputs(w *writer, times int) {
	labels := len(m.counts)
	w.int64(int64(labels))
	w.int64(int64(m.width * times))
	row := make([]float32, m.width)
	for i := range labels {
		switch {
		case !m.Folded:
			copy(row, m.outputs[i*m.Dim:])
			if m.norms != nil {
				for k := range row {
					row[k] *= m.norms[i]
				}
			}
		case m.two(): // the difference of two numbers, of which the first is 0
			row[0] = float32(i)
		default:
			clear(row)
			if i < m.outputRows() { // a tree has an inner node less than labels
				row[i] = 1
			}
		}
		for _, x := range row {
			for range times {
				w.float32(x)
			}
		}
	}
}

// plainInput are numbers as they are.
type plainInput struct{ m *Model }

func (p *plainInput) parts() int { return 1 }

func (p *plainInput) write(w *writer) {
	m := p.m
	rows := len(m.table) / m.pitch
	w.byte(0)
	w.int64(int64(rows))
	w.int64(int64(m.width))
	for i := range rows {
		w.write(views.Bytes(m.row32(i)))
	}
}

// codedInput are codes of numbers, a byte for each column: columns are quantized by themselves.
type codedInput struct {
	rows, columns int
	each          int       // columns that are added up for a number
	centroids     []float32 // 256 of each column
	code          func(row int, dst []byte)
}

func (q *codedInput) parts() int { return q.each }

func (q *codedInput) write(w *writer) {
	w.byte(1)
	w.byte(0) // no norms
	w.int64(int64(q.rows))
	w.int64(int64(q.columns))
	w.numbers(q.rows * q.columns)
	codes := make([]byte, q.columns)
	for i := range q.rows {
		q.code(i, codes)
		w.write(codes)
	}
	w.numbers(q.columns, q.columns, 1, 1)
	for _, x := range q.centroids {
		w.float32(x)
	}
}

// loosened gives the table with a code for each number, if no column has more different ones than there are codes: those
// of a model that was quantized without norms. Else it is nil.
func (m *Model) loosened() writtenInput {
	if m.kept == nil {
		return nil
	}
	q := &codedInput{rows: len(m.table) / m.pitch, columns: m.width, each: 1, centroids: make([]float32, m.width*centroids)}
	codes := make([]map[float32]byte, m.width)
	for k := range codes {
		codes[k] = map[float32]byte{}
	}
	for i := range q.rows {
		for k, x := range m.row32(i) {
			n := len(codes[k])
			if _, ok := codes[k][x]; ok {
				continue
			}
			if n == centroids {
				return nil
			}
			codes[k][x], q.centroids[k*centroids+n] = byte(n), x
		}
	}
	q.code = func(row int, dst []byte) {
		for k, x := range m.row32(row) {
			dst[k] = codes[k][x]
		}
	}
	return q
}

// digits is how many bytes a number is the sum of.
const digits = 4

// newDigitInput writes numbers as multiples of a power of two, different ones for each column, such that the largest
// have all bits of digits bytes. A byte is a number that float32 has exactly, and so are sums of many.
func newDigitInput(m *Model) writtenInput {
	q := &codedInput{rows: len(m.table) / m.pitch, columns: m.width * digits, each: digits, centroids: make([]float32, m.width*digits*centroids)}
	largest := make([]float64, m.width)
	for i := range q.rows {
		for k, x := range m.row32(i) {
			largest[k] = max(largest[k], math.Abs(float64(x)))
		}
	}
	const half = 1 << (8*digits - 1)
	steps := make([]float64, m.width)
	for k, x := range largest {
		_, exponent := math.Frexp(x)
		steps[k] = math.Ldexp(1, max(exponent-(8*digits-1), -149))
		for digit := range digits {
			of := q.centroids[(k*digits+digit)*centroids:][:centroids]
			for code := range of {
				x := float64(uint64(code) << (8 * digit))
				if digit == digits-1 {
					x -= half
				}
				of[code] = float32(x * steps[k])
			}
		}
	}
	q.code = func(row int, dst []byte) {
		for k, x := range m.row32(row) {
			n := math.RoundToEven(float64(x)/steps[k]) + half
			binary.LittleEndian.PutUint32(dst[k*digits:], uint32(min(n, 2*half-1)))
		}
	}
	return q
}

// writer writes numbers, up to the first error.
type writer struct {
	to  *bufio.Writer
	err error
}

func (w *writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.to.Write(b)
	}
}

func (w *writer) byte(b byte) { w.write(append(w.to.AvailableBuffer(), b)) }

// numbers writes numbers of 32 bits.
func (w *writer) numbers(all ...int) {
	for _, n := range all {
		w.write(binary.LittleEndian.AppendUint32(w.to.AvailableBuffer(), uint32(n)))
	}
}

func (w *writer) int64(n int64) {
	w.write(binary.LittleEndian.AppendUint64(w.to.AvailableBuffer(), uint64(n)))
}

func (w *writer) float64(x float64) { w.int64(int64(math.Float64bits(x))) }
func (w *writer) float32(x float32) { w.numbers(int(math.Float32bits(x))) }
