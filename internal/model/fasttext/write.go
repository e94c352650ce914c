package fasttext

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/file/views"
)

// errInexact is the error about models that fastText would run otherwise.
var errInexact = errors.New("fasttext: a model that fastText has pruned, or quantized with -qnorm and a loss of ns or ova, can't be written exactly: use the file that fastText wrote")

// Write writes the model in fastText's own format, in version 12, for fastText to run: the labels and probabilities are
// the same, but for rounding. A folded model has as many dimensions as outputs, and the output matrix takes each as it
// is. How often words occurred in training is not known, so that all have the count 1.
//
// A pruned model would have to be quantized, as fastText demands. Where the loss looks probabilities up in a table,
// norms would be rounded into the outputs, and the next entry may be another.
func (m *Model) Write(to io.Writer) error {
	if pruned := m.kept != nil && m.ngramRows() > 0; pruned || m.norms != nil && (m.Loss == Negative || m.Loss == OneVsAll) {
		return errInexact
	}
	w := &writer{to: bufio.NewWriterSize(to, 1<<18)}
	bucket := int(m.Bucket)
	if m.ngramRows() == 0 {
		bucket = 0
	}
	// ws, epoch, minCount, neg and lrUpdateRate are fastText's defaults; they are for training.
	w.numbers(magic, newest, m.width, 5, 5, 1, 5, m.WordNgrams, int(m.Loss), supervised, bucket, m.MinN, m.MaxN, 100)
	w.int64(int64(math.Float64bits(1e-4)))
	m.writeDictionary(w)
	rows := len(m.table) / m.pitch
	w.matrix(rows, m.width)
	for i := range rows {
		w.write(views.Bytes(m.row32(i)))
	}
	w.matrix(len(m.counts), m.width)
	m.writeOutputs(w)
	if w.err == nil {
		w.err = w.to.Flush()
	}
	return w.err
}

// writeDictionary writes words and labels.
func (m *Model) writeDictionary(w *writer) {
	entries := len(m.vocab.ends)
	w.numbers(entries, m.words, len(m.counts))
	tokens := int64(m.words)
	for _, n := range m.counts {
		tokens += n
	}
	w.int64(tokens)
	w.int64(-1) // it is not pruned
	for i := range entries {
		count, kind := int64(1), byte(0)
		if i >= m.words {
			count, kind = m.counts[i-m.words], 1
		}
		w.write(m.vocab.word(i))
		w.write([]byte{0})
		w.int64(count)
		w.write([]byte{kind})
	}
}

// writeOutputs writes the rows of the output matrix. Those of a folded model take numbers as they are.
func (m *Model) writeOutputs(w *writer) {
	row := make([]float32, m.width)
	for i := range m.counts {
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
		w.write(views.Bytes(row))
	}
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

// numbers writes numbers of 32 bits.
func (w *writer) numbers(all ...int) {
	for _, n := range all {
		w.write(binary.LittleEndian.AppendUint32(w.to.AvailableBuffer(), uint32(n)))
	}
}

func (w *writer) int64(n int64) {
	w.write(binary.LittleEndian.AppendUint64(w.to.AvailableBuffer(), uint64(n)))
}

// matrix begins a matrix that is not quantized.
func (w *writer) matrix(rows, columns int) {
	w.write([]byte{0})
	w.int64(int64(rows))
	w.int64(int64(columns))
}
