package fasttext

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
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
	w := bufio.NewWriterSize(to, 1<<18)                                  // it keeps its first error
	put := func(of any) { _ = binary.Write(w, binary.LittleEndian, of) } // what is of fixed size can be encoded
	bucket := int32(m.Bucket)
	if m.ngramRows() == 0 {
		bucket = 0
	}
	put(arguments{
		Magic: magic, Version: newest, Dim: int32(m.width), WordNgrams: int32(m.WordNgrams), Loss: int32(m.Loss), Model: supervised,
		Bucket: bucket, MinN: int32(m.MinN), MaxN: int32(m.MaxN),
		// fastText's defaults, which are for training
		WS: 5, Epoch: 5, MinCount: 1, Neg: 5, LRUpdateRate: 100, T: 1e-4,
	})
	tokens := int64(m.words)
	for _, n := range m.counts {
		tokens += n
	}
	const notPruned = -1
	put(dictionary{int32(len(m.vocab.ends)), int32(m.words), int32(len(m.counts)), tokens, notPruned})
	for i := range m.vocab.ends {
		after := struct {
			End   uint8 // of the text
			Count int64
			Type  uint8
		}{Count: 1}
		if i >= m.words {
			after.Count, after.Type = m.counts[i-m.words], 1
		}
		put(m.vocab.word(i))
		put(after)
	}
	rows := len(m.table) / m.pitch
	put(false) // it is not quantized
	put(shape{int64(rows), int64(m.width)})
	for i := range rows {
		put(m.row32(i))
	}
	put(false)
	put(shape{int64(len(m.counts)), int64(m.width)})
	for i := range m.counts {
		put(m.outputRow(i))
	}
	return w.Flush()
}

// outputRow is a row of the output matrix. Those of a folded model take numbers as they are.
func (m *Model) outputRow(i int) []float32 {
	row := make([]float32, m.width)
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
	case i < m.outputRows(): // a tree has an inner node less than labels
		row[i] = 1
	}
	return row
}
