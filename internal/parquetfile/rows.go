package parquetfile

import (
	"encoding/binary"
	"math"
)

// Row is a row that is to be written. Rows are rendered on several threads as bytes, and handed to a [Writer] in order.
type Row struct {
	Number int64 // in the file, from 1
	Scored bool  // else it is written without labels
	Labels []string
	Scores []float64 // of the labels
}

// Append appends the row to others: its number and that of its labels, -1 without a score, and of each label its length,
// the label and the score.
func (r *Row) Append(rows []byte) []byte {
	labels := len(r.Labels)
	if !r.Scored {
		labels = -1
	}
	rows = binary.AppendVarint(binary.AppendVarint(rows, r.Number), int64(labels))
	for i, label := range r.Labels {
		rows = append(binary.AppendVarint(rows, int64(len(label))), label...)
		rows = binary.LittleEndian.AppendUint64(rows, math.Float64bits(r.Scores[i]))
	}
	return rows
}

// next takes the first row off rows.
func (r *Row) next(rows []byte) (rest []byte) {
	number := func() int64 {
		n, length := binary.Varint(rows)
		rows = rows[length:]
		return n
	}
	r.Number, r.Labels, r.Scores = number(), r.Labels[:0], r.Scores[:0]
	labels := number()
	r.Scored = labels >= 0
	for range labels {
		n := number()
		r.Labels = append(r.Labels, string(rows[:n]))
		r.Scores = append(r.Scores, math.Float64frombits(binary.LittleEndian.Uint64(rows[n:])))
		rows = rows[n+8:]
	}
	return rows
}
