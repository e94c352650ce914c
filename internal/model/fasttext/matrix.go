package fasttext

import (
	"encoding/binary"
	"fmt"
	"math"
)

// matrix is one of a file.
type matrix interface {
	shape() (rows, columns int64)
	// row sets dst to a row, of which the product with norm is the row of the matrix. Norms are 1 where there are none.
	row(dst []float32, i int) (norm float32)
	normed() bool
	// offset is where a row begins in the file.
	offset(i int) int64
}

// dense is a matrix of numbers.
type dense struct {
	data          []byte // numbers, row by row
	rows, columns int64
	begin         int64
}

func (m *dense) shape() (rows, columns int64) { return m.rows, m.columns }
func (m *dense) normed() bool                 { return false }
func (m *dense) offset(i int) int64           { return m.begin + int64(i)*m.columns*4 }

func (m *dense) row(dst []float32, i int) float32 {
	row := m.data[int64(i)*m.columns*4:][:m.columns*4]
	for k := range dst {
		dst[k] = math.Float32frombits(binary.LittleEndian.Uint32(row[4*k:]))
	}
	return 1
}

// quantized is a matrix of which parts of rows are the nearest of 256 centroids.
type quantized struct {
	codes         []byte // of each row's parts
	rows, columns int64
	begin         int64
	q             *quantizer
	normCodes     []byte     // of each row; nil where there are none
	norms         *quantizer // of one part
}

// centroids is how many a part has.
const centroids = 256

// quantizer holds the centroids.
type quantizer struct {
	columns, parts, width, last int // width is that of a part, last that of the last one
	numbers                     []float32
}

// centroid is a centroid of a part.
func (q *quantizer) centroid(part int, code byte) []float32 {
	begin, width := part*centroids*q.width, q.width
	if part == q.parts-1 {
		width = q.last
	}
	return q.numbers[begin+int(code)*width:][:width]
}

func (m *quantized) shape() (rows, columns int64) { return m.rows, m.columns }
func (m *quantized) normed() bool                 { return m.normCodes != nil }
func (m *quantized) offset(i int) int64           { return m.begin + int64(i*m.q.parts) }

func (m *quantized) row(dst []float32, i int) float32 {
	codes := m.codes[i*m.q.parts:][:m.q.parts]
	if m.q.width == 2 && m.q.last == 2 { // as most have it: copy takes longer
		for part, code := range codes {
			c := m.q.numbers[part*centroids*2+int(code)*2:][:2]
			dst[2*part], dst[2*part+1] = c[0], c[1]
		}
	} else {
		at := 0
		for part, code := range codes {
			at += copy(dst[at:], m.q.centroid(part, code))
		}
	}
	if m.normCodes == nil {
		return 1
	}
	return m.norms.numbers[m.normCodes[i]]
}

func (r *reader) matrix(isQuantized bool, what string) matrix {
	normed := isQuantized && r.flag("what says whether "+what+" has norms")
	rows := checkSize(r, r.int64("the rows of "+what), 0, most, "the number of rows of "+what)
	columns := checkSize(r, r.int64("the columns of "+what), 1, most, "the number of columns of "+what)
	if !isQuantized {
		begin := int64(r.at)
		return &dense{r.take(times(times(rows, columns), 4), what), rows, columns, begin}
	}
	size := int64(r.int32("the number of codes of " + what))
	m := &quantized{rows: rows, columns: columns, begin: int64(r.at)}
	m.codes = r.take(max(size, 0), "the codes of "+what)
	m.q = r.quantizer(columns, what)
	if r.err == nil && size != times(rows, int64(m.q.parts)) {
		r.fail(int(m.begin)-4, ErrCorrupt, "%s has %d codes, and %d rows of %d parts", what, size, rows, m.q.parts)
	}
	if normed {
		m.normCodes = r.take(rows, "the norms of "+what)
		m.norms = r.quantizer(1, "the norms of "+what)
	}
	return m
}

// quantizer reads the centroids of rows of so many columns.
func (r *reader) quantizer(columns int64, what string) *quantizer {
	begin := r.at
	dim, parts, width, last := int64(r.int32(what)), int64(r.int32(what)), int64(r.int32(what)), int64(r.int32(what))
	if r.err == nil && (dim != columns || width < 1 || last < 1 || last > width || parts < 1 || (parts-1)*width+last != dim) {
		r.fail(begin, ErrCorrupt, "the quantizer of %s has %d columns in %d parts of %d, the last of %d, and the matrix has %d columns", what, dim, parts, width, last, columns)
	}
	at := r.at
	b := r.take(times(columns, centroids*4), "the centroids of "+what)
	if b == nil {
		return nil
	}
	q := &quantizer{int(dim), int(parts), int(width), int(last), make([]float32, columns*centroids)}
	for i := range q.numbers {
		q.numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if !finite(q.numbers[i]) {
			r.fail(at+4*i, ErrCorrupt, "a centroid of %s is %v, not a finite number", what, q.numbers[i])
			return nil
		}
	}
	return q
}

func finite(x float32) bool { return x-x == 0 }

// notFinite is the error about a number of a row.
func notFinite(m matrix, what string, row int, numbers []float32) error {
	for _, x := range numbers {
		if !finite(x) {
			return &fileError{m.offset(row), ErrCorrupt, fmt.Sprintf("row %d of %s has the number %v, not a finite one", row, what, x)}
		}
	}
	return nil
}
