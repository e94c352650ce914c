package parquetfile

import (
	"encoding/binary"
	"math"
	"slices"
)

// Row is a row that is to be written. Rows are rendered on several threads as bytes, and handed to a [Writer] in order.
type Row struct {
	Number int64    // in the file, from 1
	Fields [][]byte // of a table alone: its fields, nil for null
	Of     []Scored // what is added to it, for each of Added.Of
}

// Scored are classes with their scores.
type Scored struct {
	There  bool // else nothing is added
	Labels []string
	Scores []float64 // of the labels
}

// Append appends the row to others: its number; that of fields, and of each the length, -1 for null, and the field; the
// number of what is added, and of each of these the number of labels, -1 if it is not there, and of each label its
// length, the label and the score.
func (r *Row) Append(rows []byte) []byte {
	rows = binary.AppendVarint(binary.AppendVarint(rows, r.Number), int64(len(r.Fields)))
	for _, field := range r.Fields {
		if field == nil {
			rows = binary.AppendVarint(rows, -1)
		} else {
			rows = append(binary.AppendVarint(rows, int64(len(field))), field...)
		}
	}
	rows = binary.AppendVarint(rows, int64(len(r.Of)))
	for i := range r.Of {
		of := &r.Of[i]
		labels := len(of.Labels)
		if !of.There {
			labels = -1
		}
		rows = binary.AppendVarint(rows, int64(labels))
		for k, label := range of.Labels {
			rows = append(binary.AppendVarint(rows, int64(len(label))), label...)
			rows = binary.LittleEndian.AppendUint64(rows, math.Float64bits(of.Scores[k]))
		}
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
	r.Number = number()
	r.Fields = r.Fields[:0]
	for range number() {
		if n := number(); n < 0 {
			r.Fields = append(r.Fields, nil)
		} else {
			r.Fields = append(r.Fields, rows[:n:n])
			rows = rows[n:]
		}
	}
	n := int(number())
	r.Of = slices.Grow(r.Of[:0], n)[:n]
	for i := range r.Of {
		of := &r.Of[i]
		of.Labels, of.Scores = of.Labels[:0], of.Scores[:0]
		labels := number()
		of.There = labels >= 0
		for range labels {
			n := number()
			of.Labels = append(of.Labels, string(rows[:n]))
			of.Scores = append(of.Scores, math.Float64frombits(binary.LittleEndian.Uint64(rows[n:])))
			rows = rows[n+8:]
		}
	}
	return rows
}
