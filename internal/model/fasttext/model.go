package fasttext

import (
	"bytes"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// Model is a classifier, made ready to run. It may be used concurrently, through one Scorer per goroutine.
type Model struct {
	Settings
	Folded  bool // the input was multiplied with the output
	InPlace bool // the table is in the bytes that Read was given

	words  int
	vocab  vocabulary // words, and labels behind them, as fastText has them
	counts []int64    // of labels
	labels []string   // in bytewise order
	number []int      // of each of fastText's labels among these
	place  []int      // of each of these among fastText's
	kept   *bitmap    // the n-grams that have rows, ascending; nil where all have

	// The table has a row for each word, and behind these one for each n-gram: width numbers that mean something, and
	// zeros up to pitch. They are a number for every output if the model is folded, else the dimensions.
	width, pitch int
	table        []float32
	outputs      []float32 // if it is not folded: rows of dim numbers
	norms        []float32 // of the outputs; nil where there are none
	tree         *tree     // of hierarchical softmax

	columns []float32 // the outputs of softmax again, as kernels.MulMatrix takes them

	end     int // the number of </s>, -1 if the dictionary lacks it
	endHash uint32
	spans   kernels.SpanBuckets
}

// mostPruned is how many buckets a pruned model may have, of which few have rows.
const mostPruned = 1 << 28

// mayExpand reports whether so many bytes of a file may become so many in memory.
func mayExpand(memory, file int64) bool { return memory/mostExpansion <= file }

// mostExpansion is how many times the file's length a table may have, so that no small file takes much memory.
const mostExpansion = 256

// Read makes a model of a file of fastText. If the model is InPlace, the bytes must not change as long as it is in use.
func Read(data []byte) (*Model, error) {
	p, err := parse(data)
	if err != nil {
		return nil, err
	}
	m, err := p.finder()
	if err != nil {
		return nil, err
	}
	if err := m.fill(p, int64(len(data))); err != nil {
		return nil, err
	}
	return m, m.prepare()
}

// finder returns a model that finds the features of texts. It has no table, so that it can't score.
func (p *parsed) finder() (*Model, error) {
	m := &Model{Settings: p.Settings, words: p.words, vocab: p.vocab, counts: slices.Clone(p.counts[p.words:])}
	if p.pruned {
		if p.Bucket > mostPruned {
			return nil, unsupported(headerSize, "it is pruned, and has %d buckets: at most %d are possible then",
				p.Bucket, mostPruned)
		}
		m.kept = newBitmap(p.Bucket, p.kept)
	}
	m.vocab.index()
	m.end, m.endHash = m.vocab.find(endOfLine), hash(endOfLine)
	if m.end >= m.words {
		m.end = -1
	}
	m.spans = kernels.NewSpanBuckets(max(1, uint32(m.Bucket)))
	return m, nil
}

const labelPrefix = "__label__"

var endOfLine = []byte("</s>")

// readLabels takes the labels from the dictionary, without the prefix that all of them have.
func (m *Model) readLabels() error {
	raw := make([]string, len(m.counts))
	prefixed := true
	for i := range raw {
		raw[i] = string(m.vocab.word(m.words + i))
		prefixed = prefixed && len(raw[i]) > len(labelPrefix) && raw[i][:len(labelPrefix)] == labelPrefix
	}
	if prefixed {
		for i := range raw {
			raw[i] = raw[i][len(labelPrefix):]
		}
	}
	m.labels = slices.Sorted(slices.Values(raw))
	for i, label := range m.labels {
		if i > 0 && m.labels[i-1] == label {
			return damaged(headerSize, "label %.60q is there twice", label)
		}
	}
	m.number, m.place = make([]int, len(raw)), make([]int, len(raw))
	for i, label := range raw {
		m.number[i], _ = slices.BinarySearch(m.labels, label)
		m.place[m.number[i]] = i
	}
	return nil
}

// two reports whether the model is softmax of two labels, whose numbers matter by their difference alone.
func (m *Model) two() bool { return m.Loss == Softmax && len(m.counts) == 2 }

// outputRows returns how many outputs there are: one for two labels of softmax, inner nodes of a tree, or labels.
func (m *Model) outputRows() int {
	switch n := len(m.counts); {
	case m.Loss == Hierarchical:
		return n - 1
	case m.two():
		return 1
	default:
		return n
	}
}

// mayFold reports whether the input is multiplied with the output: where the table does not become larger by that, and
// where the last bits of numbers do not tell. They do where the sigmoid is a table, of which the next entry is another.
func (m *Model) mayFold() bool {
	return (m.Loss == Softmax || m.Loss == Hierarchical) && m.outputRows() <= m.Dim
}

// ngramRows returns how many rows n-grams have.
func (m *Model) ngramRows() int {
	switch {
	case m.WordNgrams <= 1 && m.MaxN == 0:
		return 0
	case m.kept != nil:
		return m.kept.size
	default:
		return int(m.Bucket)
	}
}

func pitchOf(width int) int {
	if width == 1 {
		return 1
	}
	return (width + kernels.RowUnit - 1) / kernels.RowUnit * kernels.RowUnit
}

// fill makes the table and the outputs.
func (m *Model) fill(p *parsed, length int64) error {
	m.width = m.Dim
	if m.Folded = m.mayFold(); m.Folded {
		m.width = max(m.outputRows(), 1)
	}
	m.pitch = pitchOf(m.width)
	rows := m.words + m.ngramRows()
	size := times(int64(rows), int64(m.pitch))
	if size > math.MaxInt/4 || !mayExpand(4*size, length) {
		return unsupported(headerSize, "its %d rows of %d numbers are too many to make of %d bytes", rows, m.width,
			length)
	}
	outputs, norms, err := m.readOutputs(p.output)
	if err != nil {
		return err
	}
	if m.stay(p, size) {
		m.outputs, m.norms = outputs, norms
		for i := range rows {
			if err := notFinite(p.input, "the input", i, m.table[i*m.Dim:][:m.Dim]); err != nil {
				return err
			}
		}
		return nil
	}
	m.table = make([]float32, size)
	if size > 0 {
		mem.AdviseHuge(m.table) // in large pages rows are found sooner
	}
	row := make([]float32, m.Dim)
	fold := m.folder(outputs, norms)
	fill := func(at, of int) error {
		norm := p.input.row(row, of)
		if norm != 1 {
			for k := range row {
				row[k] *= norm
			}
		}
		if err := notFinite(p.input, "the input", of, row); err != nil {
			return err
		}
		if dst := m.table[at*m.pitch:][:m.width]; m.Folded {
			fold(dst, row)
			return notFinite(p.input, "the input times the output", of, dst)
		} else {
			copy(dst, row)
		}
		return nil
	}
	for i := range m.words {
		if err := fill(i, i); err != nil {
			return err
		}
	}
	if m.kept == nil {
		for i := range m.ngramRows() {
			if err := fill(m.words+i, m.words+i); err != nil {
				return err
			}
		}
	} else if m.ngramRows() > 0 {
		for _, k := range p.kept {
			row, _ := m.row(k.Bucket)
			if err := fill(int(row), m.words+int(k.Row)); err != nil {
				return err
			}
		}
	}
	if !m.Folded {
		m.outputs, m.norms = outputs, norms
	}
	return nil
}

// stay takes the input itself as the table, if it has the same form: processes then share its memory. A model of 513 MB,
// of 150 labels and 64 dimensions, opens in 0.1 s for 1.3, and scores 30 MB of verses in the same time; that the table
// is not in huge pages, and its numbers at any address, costs no more than it saves. (30 November 2026, AMD EPYC, AVX2.)
func (m *Model) stay(p *parsed, size int64) bool {
	if m.Folded || p.input.q != nil || m.pitch != m.Dim {
		return false
	}
	m.table, m.InPlace = mem.InPlace(p.input.data[:4*size])
	return m.InPlace
}

// readOutputs takes the rows of outputs, and their norms.
func (m *Model) readOutputs(from *matrix) (rows, norms []float32, err error) {
	n := len(m.counts)
	rows = make([]float32, n*m.Dim)
	for i := range n {
		row := rows[i*m.Dim:][:m.Dim]
		norm := from.row(row, i)
		if err := notFinite(from, "the output", i, append(row[:m.Dim:m.Dim], norm)); err != nil {
			return nil, nil, err
		}
		if from.normCodes != nil {
			norms = append(norms, norm)
		}
	}
	return rows, norms, nil
}

// folder multiplies rows of the input with the outputs.
func (m *Model) folder(outputs, norms []float32) func(dst, row []float32) {
	n := m.outputRows()
	all := make([]float64, len(outputs))
	for i, x := range outputs {
		all[i] = float64(x)
		if norms != nil {
			all[i] *= float64(norms[i/m.Dim])
		}
	}
	if m.two() {
		for k := range m.Dim {
			all[k] = all[m.Dim+k] - all[k]
		}
	}
	return func(dst, row []float32) {
		for i := range n {
			dst[i] = float32(dot(row, all[i*m.Dim:][:m.Dim]))
		}
	}
}

// dot adds up products in four sums.
func dot(a []float32, b []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(b) >= 4 {
		s0 += float64(float64(a[0]) * b[0])
		s1 += float64(float64(a[1]) * b[1])
		s2 += float64(float64(a[2]) * b[2])
		s3 += float64(float64(a[3]) * b[3])
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		s0 += float64(float64(x) * b[i])
	}
	return s0 + s1 + (s2 + s3)
}

// prepare makes what scoring needs besides the table.
func (m *Model) prepare() error {
	if err := m.readLabels(); err != nil {
		return err
	}
	if m.Loss == Hierarchical {
		if m.tree = newTree(m.counts); m.tree == nil {
			return damaged(headerSize, "the counts of labels are such that there is no tree of them")
		}
	}
	if m.Folded || m.Loss != Softmax {
		return nil
	}
	labels, unit := len(m.counts), kernels.MatrixUnit
	m.columns = make([]float32, (labels+unit-1)/unit*unit*m.Dim)
	for i := range labels {
		for k, x := range m.outputs[i*m.Dim:][:m.Dim] {
			if m.norms != nil {
				x *= m.norms[i]
			}
			m.columns[(i/unit*m.Dim+k)*unit+i%unit] = x
		}
	}
	return nil
}

// Labels returns the labels, in bytewise order, without fastText's prefix if all have it.
func (m *Model) Labels() []string { return m.labels }

// row returns where in the table an n-gram with this bucket is, if it has a row: has is 1 then, and else 0.
func (m *Model) row(bucket uint32) (row uint32, has int) {
	if m.kept == nil {
		return uint32(m.words) + bucket, 1
	}
	i, bit := bucket/wordBits, bucket%wordBits
	word := m.kept.words[i]
	return uint32(m.words) + m.kept.ranks[i] + uint32(bits.OnesCount64(word&(1<<bit-1))), int(word >> bit & 1)
}

// isLabel reports whether a token that the dictionary lacks counts as a label.
func isLabel(token []byte) bool { return bytes.HasPrefix(token, []byte(labelPrefix)) }

// continues reports whether a byte continues a character of UTF-8.
func continues(c byte) bool { return c&0xC0 == 0x80 }

// appendSubwords appends the rows of a token's n-grams of characters, in fastText's order. padded is the token between
// < and >.
func (m *Model) appendSubwords(rows []uint32, padded []byte) []uint32 {
	n := len(rows)
	for i := range padded {
		if continues(padded[i]) {
			continue
		}
		h := uint32(hashStart)
		rows = slices.Grow(rows[:n], min(m.MaxN, len(padded)-i))[:n+min(m.MaxN, len(padded)-i)]
		for j, length := i, 1; j < len(padded) && length <= m.MaxN; length++ {
			h = hashByte(h, padded[j])
			for j++; j < len(padded) && continues(padded[j]); j++ {
				h = hashByte(h, padded[j])
			}
			if length < m.MinN || length == 1 && (i == 0 || j == len(padded)) {
				continue
			}
			// Nothing foresees whether an n-gram has a row, so that there is no branch on it.
			row, has := m.row(m.spans.Of(h))
			rows[n] = row
			n += has
		}
	}
	return rows[:n]
}

// DefaultPrefix is what labels begin with, unless fastText was given another prefix (-label).
const DefaultPrefix = labelPrefix

// LabelPrefix returns what all labels of the file begin with, and Labels lacks: __label__, or nothing, where fastText
// was given another prefix.
func (m *Model) LabelPrefix() string {
	return string(m.vocab.word(m.words)[:len(m.vocab.word(m.words))-len(m.labels[m.number[0]])])
}

// ByFrequency lists the labels as fastText does, the most frequent one of training first, by their numbers among
// Labels, and says how often each occurred.
func (m *Model) ByFrequency() (labels []int, counts []int64) { return m.number, m.counts }

// Least returns the least probability, as it is shown, of a label that passes fastText's threshold: that is compared
// before the probability is made a little more for showing it.
func Least(threshold float64) float64 {
	if !(threshold > -1e-5) {
		return math.Inf(-1)
	}
	return shown(float32(threshold))
}
