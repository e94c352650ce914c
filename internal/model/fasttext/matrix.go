package fasttext

import "encoding/binary"

// matrix is one of a file. Its rows are numbers, or the codes of parts that are the nearest of 256 centroids.
type matrix struct {
	rows, columns int64
	begin         int64 // where the rows begin in the file
	width         int64 // bytes of a row
	data          []byte
	q             *quantizer // nil where the data are numbers
	normCodes     []byte     // of each row; nil where there are none
	norms         *quantizer // of one part
}

// centroids is how many a part has.
const centroids = 256

// quantizer holds the centroids.
type quantizer struct {
	parts, width, last int // width is that of a part, last that of the last one
	numbers            []float32
}

// centroid returns a centroid of a part.
func (q *quantizer) centroid(part int, code byte) []float32 {
	begin, width := part*centroids*q.width, q.width
	if part == q.parts-1 {
		width = q.last
	}
	return q.numbers[begin+int(code)*width:][:width]
}

// row sets dst to a row, of which the product with norm is the row of the matrix. Norms are 1 where there are none.
func (m *matrix) row(dst []float32, i int) (norm float32) {
	row := m.data[int64(i)*m.width:][:m.width]
	if m.q == nil {
		_, _ = binary.Decode(row, binary.LittleEndian, dst)
		return 1
	}
	at := 0
	for part, code := range row {
		at += copy(dst[at:], m.q.centroid(part, code))
	}
	if m.normCodes == nil {
		return 1
	}
	return m.norms.numbers[m.normCodes[i]]
}

// shape is what a matrix begins with.
type shape struct{ Rows, Columns int64 }

func (r *reader) matrix(quantized bool, what string) *matrix {
	normed := quantized && r.flag("what says whether "+what+" has norms")
	var of shape
	r.decode(&of, "the shape of "+what)
	r.check(
		size{r.at - 16, "the number of rows of " + what, of.Rows, 0, most},
		size{r.at - 8, "the number of columns of " + what, of.Columns, 1, most},
	)
	m := &matrix{rows: of.Rows, columns: of.Columns, begin: int64(r.at), width: times(4, of.Columns)}
	if !quantized {
		m.data = r.take(times(m.rows, m.width), what)
		return m
	}
	var codes int32
	r.decode(&codes, "the number of codes of "+what)
	m.begin = int64(r.at)
	m.data = r.take(max(int64(codes), 0), "the codes of "+what)
	m.q = r.quantizer(m.columns, what)
	if r.err != nil {
		return m
	}
	if m.width = int64(m.q.parts); int64(codes) != times(m.rows, m.width) {
		r.fail(int(m.begin)-4, "%s has %d codes, and %d rows of %d parts", what, codes, m.rows, m.width)
	}
	if normed {
		m.normCodes = r.take(m.rows, "the norms of "+what)
		m.norms = r.quantizer(1, "the norms of "+what)
	}
	return m
}

// quantizer reads the centroids of rows of so many columns.
func (r *reader) quantizer(columns int64, what string) *quantizer {
	begin := r.at
	var h struct{ Columns, Parts, Width, Last int32 }
	r.decode(&h, "the quantizer of "+what)
	if r.err == nil && (int64(h.Columns) != columns || h.Width < 1 || h.Last < 1 || h.Last > h.Width || h.Parts < 1 ||
		(int64(h.Parts)-1)*int64(h.Width)+int64(h.Last) != columns) {
		r.fail(begin,
			"the quantizer of %s has %d columns in %d parts of %d, the last of %d, and the matrix has %d columns",
			what, h.Columns, h.Parts, h.Width, h.Last, columns)
	}
	at := r.at
	b := r.take(times(columns, centroids*4), "the centroids of "+what)
	if b == nil {
		return nil
	}
	q := &quantizer{int(h.Parts), int(h.Width), int(h.Last), make([]float32, columns*centroids)}
	_, _ = binary.Decode(b, binary.LittleEndian, q.numbers)
	for i, x := range q.numbers {
		if !finite(x) {
			r.fail(at+4*i, "a centroid of %s is %v, not a finite number", what, x)
			return nil
		}
	}
	return q
}

func finite(x float32) bool { return x-x == 0 }

// notFinite returns the error about a number of a row.
func notFinite(m *matrix, what string, row int, numbers []float32) error {
	for _, x := range numbers {
		if !finite(x) {
			return damaged(m.begin+int64(row)*m.width, "row %d of %s has the number %v, not a finite one", row, what, x)
		}
	}
	return nil
}
