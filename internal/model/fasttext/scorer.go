package fasttext

import (
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"math/bits"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// Scorer scores texts. It owns scratch memory: one per goroutine.
type Scorer struct {
	m *Model

	ahead   [aheadMost]token
	waiting int               // of them
	places  [aheadMost]uint32 // of their sums; here and not on the stack, as assembly gets it
	missing []uint8           // those of them that are not in the cache
	ends    [aheadMost]uint32 // of the rows of these

	// Where a word may have several rows, their sums are kept in a cache, in which a word has one place that it may be
	// in: pitch numbers for each place, and behind these for those words of the tokens ahead that are not in it.
	cache []cachedToken // a power of two
	sums  []float32

	hashes   []uint64       // of the text's words
	spans    []hashing.Span // of these in the text
	rows     []uint32       // rows in the table of its features that are in no sum
	features int            // how many it has
	total    []float64
	scratch  []uint32
	word     []float64
	padded   []byte
	speller  *speller
	numbers  []float64 // of outputs
	outputs  []float32 // of softmax, filled up to a multiple of kernels.MatrixUnit
	exact    []float32 // the mean of rows in 32 bits
	ways     []way
	outputOf func(i int) float64 // output, made once
}

const (
	aheadMost  = 32      // tokens that are looked up at once
	mostCached = 1 << 17 // tokens
	cacheBytes = 8 << 20 // of sums
)

// NewScorer returns a scorer for one goroutine.
func (m *Model) NewScorer() *Scorer { return m.newScorer(mostCached) }

// newScorer returns a scorer that keeps at least so many words, unless they take too much memory.
func (m *Model) newScorer(most int) *Scorer {
	s := &Scorer{
		m: m, total: make([]float64, m.pitch), word: make([]float64, m.pitch), numbers: make([]float64, len(m.counts)),
		speller: new(speller),
	}
	s.outputs = make([]float32, (len(m.counts)+kernels.MatrixUnit-1)/kernels.MatrixUnit*kernels.MatrixUnit)
	s.exact, s.outputOf = make([]float32, m.Dim), s.output
	if m.MaxN > 0 {
		s.cache = make([]cachedToken, 1<<bits.Len(uint(max(1, min(most, cacheBytes/4/m.pitch))-1)))
		s.sums = make([]float32, (len(s.cache)+aheadMost)*m.pitch)
		mem.AdviseHuge(s.cache)
		mem.AdviseHuge(s.sums)
	}
	return s
}

// errOverflow is the error about a text of which the numbers are too large.
var errOverflow = errors.New("fasttext: the model's numbers for this text overflow: fastText has no answer either")

// Score sets scores to the probabilities of the labels, as fastText shows them, and returns the most probable one, -1
// for a text without features. Unless only is nil, it names the labels that are asked for beside this one: the others
// may be left 0.
func (s *Scorer) Score(text []byte, scores []float64, only []int) (best int, err error) {
	clear(scores)
	m := s.m
	if m.Loss == Negative || m.Loss == OneVsAll {
		return s.scoreExactly(text, scores)
	}
	if !s.sum(text) {
		return -1, nil
	}
	if m.Loss == Hierarchical {
		return s.descend(scores, only)
	}
	return s.scoreSoftmax(scores, only)
}

// sum adds up the rows of a text's features, and says whether there are any.
func (s *Scorer) sum(text []byte) bool {
	m := s.m
	s.hashes, s.rows, s.features, s.waiting = s.hashes[:0], s.rows[:0], 0, 0
	clear(s.total)
	s.tokens(text)
	if m.WordNgrams > 1 {
		before := len(s.rows)
		s.rows = m.appendWordNgrams(s.rows, s.hashes)
		s.features += len(s.rows) - before
	}
	if s.features == 0 {
		return false
	}
	s.add(m.table, s.rows)
	mean := 1 / float64(s.features)
	for i := range s.total {
		s.total[i] *= mean
	}
	return true
}

// add adds rows to the total.
func (s *Scorer) add(table []float32, rows []uint32) {
	if s.m.pitch > 1 {
		kernels.AddRows(s.total, table, s.m.pitch, rows, len(rows))
		return
	}
	var sums [4]float64 // so that one addition need not wait for the other
	for ; len(rows) >= 4; rows = rows[4:] {
		sums[0] += float64(table[rows[0]])
		sums[1] += float64(table[rows[1]])
		sums[2] += float64(table[rows[2]])
		sums[3] += float64(table[rows[3]])
	}
	for _, row := range rows {
		sums[0] += float64(table[row])
	}
	s.total[0] += sums[0] + sums[1] + (sums[2] + sums[3])
}

// blank tells which bytes are between tokens.
var blank = [256]bool{' ': true, '\n': true, '\r': true, '\t': true, '\v': true, '\f': true, 0: true}

// tokens finds the features of a text's tokens.
func (s *Scorer) tokens(text []byte) {
	for begin, end := range tokensOf(text) {
		if s.waiting == len(s.ahead) {
			s.takeTokens(text)
		}
		key := s.m.vocab.key(text[begin:end])
		if s.sums == nil {
			s.m.vocab.prefetch(key)
		} else {
			place := s.placeOf(key)
			kernels.Prefetch(&s.cache[place])
			kernels.Prefetch(&s.sums[place*s.m.pitch])
		}
		s.ahead[s.waiting] = token{begin, end, cachedToken{key: key}}
		s.waiting++
	}
	s.takeTokens(text)
	m := s.m
	s.hashes = append(s.hashes, signed(m.endHash))
	if m.end >= 0 {
		s.features++
		s.rows = append(s.rows, uint32(m.end))
	}
}

// endOfToken returns where the token ends that begins here. It looks at eight bytes at a time for what is no more than
// a space: bytes from 128 on aren't, and other control characters than blanks are rare.
func endOfToken(text []byte, i int) int {
	const each = 0x0101010101010101
	for ; len(text)-i >= 8; i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		more := (x&(0x7f*each) + (0x7f-' ')*each) | x // the upper bit of each byte that is more than a space
		if low := ^more & (0x80 * each); low != 0 {
			if i += bits.TrailingZeros64(low) / 8; blank[text[i]] {
				return i
			}
			i -= 7 // go on behind the control character
		}
	}
	for ; i < len(text) && !blank[text[i]]; i++ {
	}
	return i
}

// signed returns a hash as it counts for n-grams of words: as a number with a sign.
func signed(h uint32) uint64 { return uint64(int64(int32(h))) }

// token is one that is looked up, and then what is known of it.
type token struct {
	begin, end int // in the text
	cachedToken
}

// cachedToken is what is known of a token, by its key: 64 bits that are taken for the token, as another token has the
// same with a probability of less than 2^-50.
type cachedToken struct {
	key      uint64 // 0 if there is none
	hash     uint32 // fastText's
	features int32  // how many it has; -1 if it is a label
}

// takeTokens finds the features of the tokens that wait.
func (s *Scorer) takeTokens(text []byte) {
	waiting := s.ahead[:s.waiting]
	s.waiting = 0
	if s.sums != nil {
		s.takeSums(text, waiting)
	} else {
		s.takeWords(text, waiting)
	}
	if s.m.WordNgrams <= 1 {
		return
	}
	for i := range waiting {
		if t := &waiting[i]; t.features >= 0 {
			s.hashes = append(s.hashes, signed(t.hash))
		}
	}
}

// takeWords is like takeTokens where words have at most one row, which the dictionary tells.
func (s *Scorer) takeWords(text []byte, waiting []token) {
	words := uint32(s.m.words)
	for i := range waiting {
		t := &waiting[i]
		switch word := s.m.vocab.slot(t.key); {
		case word.number > words:
			t.features = -1
		case word.number > 0:
			t.hash = word.hash
			s.rows = append(s.rows, word.number-1)
			s.features++
		default:
			s.scratch = s.newToken(s.scratch[:0], t, text)
		}
	}
}

// placeOf returns where in the cache a token may be.
func (s *Scorer) placeOf(key uint64) int { return int(key & uint64(len(s.cache)-1)) }

// takeSums is like takeTokens where words have sums. These are added in the order of the text, wherever they are from,
// so that the result does not depend on what the cache has. What is to be read for the words that are not in the cache
// is asked for in one loop and used in the next.
func (s *Scorer) takeSums(text []byte, waiting []token) {
	pitch := s.m.pitch
	places, ends := &s.places, &s.ends
	missing := s.missing[:0]
	for i := range waiting {
		t := &waiting[i]
		place := s.placeOf(t.key)
		if known := &s.cache[place]; known.key == t.key {
			t.cachedToken = *known
		} else {
			s.m.vocab.prefetch(t.key)
			place = len(s.cache) + len(missing)
			missing = append(missing, uint8(i))
		}
		places[i] = uint32(place)
	}
	rows := s.scratch[:0]
	for k, i := range missing {
		begin := len(rows)
		rows = s.newToken(rows, &waiting[i], text)
		ends[k] = uint32(len(rows))
		for _, row := range rows[begin:] {
			kernels.Prefetch(&s.m.table[int(row)*pitch])
		}
	}
	s.scratch, s.missing = rows, missing
	begin := uint32(0)
	for k := range missing {
		s.sumWord(s.sums[(len(s.cache)+k)*pitch:][:pitch], rows[begin:ends[k]])
		begin = ends[k]
	}
	for i := range waiting {
		s.features += int(max(waiting[i].features, 0))
	}
	s.add(s.sums, places[:len(waiting)])
	for k, i := range missing {
		place := s.placeOf(waiting[i].key)
		s.cache[place] = waiting[i].cachedToken
		copy(s.sums[place*pitch:][:pitch], s.sums[(len(s.cache)+k)*pitch:])
	}
}

// newToken appends the rows of a token that is not in the cache, and finds how many these are, and its hash if there is
// need of it.
func (s *Scorer) newToken(rows []uint32, t *token, text []byte) []uint32 {
	before := len(rows)
	rows, isLabel := s.appendToken(rows, t, text)
	t.features = int32(len(rows) - before)
	if isLabel {
		t.features = -1
	} else if s.m.WordNgrams > 1 {
		t.hash = hash(text[t.begin:t.end])
	}
	return rows
}

// sumWord sets dst to the sum of rows.
func (s *Scorer) sumWord(dst []float32, rows []uint32) {
	m := s.m
	clear(s.word)
	if m.pitch > 1 {
		kernels.AddRows(s.word, m.table, m.pitch, rows, len(rows))
	} else {
		for _, row := range rows {
			s.word[0] += float64(m.table[row])
		}
	}
	for i := range dst {
		dst[i] = float32(s.word[i])
	}
}

// appendToken appends the rows of a token, in any order, or says that it is a label.
func (s *Scorer) appendToken(rows []uint32, t *token, text []byte) (all []uint32, label bool) {
	m := s.m
	rows, label = m.appendWord(rows, m.vocab.findKey(t.key), text[t.begin:t.end])
	if !label && m.MaxN > 0 {
		rows = s.speller.appendSubwords(m, rows, text, t.begin, t.end)
	}
	return rows, label
}

// appendToken appends the rows of a token in fastText's order, or says that it is a label. padded is scratch memory.
func (m *Model) appendToken(rows []uint32, padded *[]byte, token []byte) (all []uint32, label bool) {
	rows, label = m.appendWord(rows, m.vocab.find(token), token)
	if !label && m.MaxN > 0 {
		*padded = pad((*padded)[:0], token)
		rows = m.appendSubwords(rows, *padded)
	}
	return rows, label
}

// appendWord appends the row of a token that has this number in the dictionary, -1 for none, or says that it is a
// label.
func (m *Model) appendWord(rows []uint32, id int, token []byte) (all []uint32, label bool) {
	switch {
	case id >= m.words || id < 0 && isLabel(token):
		return rows, true
	case id >= 0:
		rows = append(rows, uint32(id))
	}
	return rows, false
}

// appendWordNgrams appends the rows of n-grams of words with these hashes.
func (m *Model) appendWordNgrams(rows []uint32, hashes []uint64) []uint32 {
	n, bucket := m.WordNgrams, uint64(m.Bucket)
	for i := range hashes {
		h := hashes[i]
		for _, next := range hashes[i+1 : min(len(hashes), i+n)] {
			h = h*wordFactor + next
			row, has := m.row(uint32(h % bucket))
			rows = append(rows, row)[:len(rows)+has]
		}
	}
	return rows
}

// wordFactor is what fastText multiplies hashes of words with.
const wordFactor = 116049371

// output returns the number of an output.
func (s *Scorer) output(i int) float64 {
	m := s.m
	if m.Folded {
		return s.total[i]
	}
	x := dot(m.outputs[i*m.Dim:][:m.Dim], s.total[:m.Dim])
	if m.norms != nil {
		x *= float64(m.norms[i])
	}
	return x
}

// scoreSoftmax takes the exponentials of all outputs, in 32 bits, as fastText does.
func (s *Scorer) scoreSoftmax(scores []float64, only []int) (best int, err error) {
	m := s.m
	s.exact = s.exact[:0]
	for _, x := range s.total[:m.width] {
		s.exact = append(s.exact, float32(x))
	}
	switch {
	case m.two():
		s.outputs[0], s.outputs[1] = 0, s.exact[0]
	case m.Folded:
		copy(s.outputs, s.exact)
	default:
		kernels.MulMatrix(s.outputs, m.columns, s.exact)
	}
	labels := len(m.counts)
	for i := labels; i < len(s.outputs); i++ {
		s.outputs[i] = float32(math.Inf(-1))
	}
	sum := kernels.Exps(s.outputs)
	if sum-sum != 0 {
		return -1, errOverflow
	}
	most := s.outputs[0]
	for i, e := range s.outputs[:labels] {
		if e >= most { // of equal ones the last, as fastText has it
			best, most = i, e
		}
	}
	show := func(i int) { scores[m.number[i]] = shown(float32(float64(s.outputs[i]) / sum)) }
	if only != nil {
		show(best)
		for _, label := range only {
			show(m.place[label])
		}
		return m.number[best], nil
	}
	for i := range labels {
		show(i)
	}
	return m.number[best], nil
}

// show sets the scores to the probabilities in numbers, and returns the best label: of equal ones the last, as fastText
// has it.
func (s *Scorer) show(scores []float64) int {
	number, best := s.m.number, 0
	for i, p := range s.numbers {
		if p >= s.numbers[best] {
			best = i
		}
		scores[number[i]] = shown(float32(p))
	}
	return number[best]
}

// descend goes through the tree.
func (s *Scorer) descend(scores []float64, only []int) (best int, err error) {
	for _, x := range s.total {
		if x-x != 0 {
			return -1, errOverflow
		}
	}
	m := s.m
	label, p := m.tree.best(s.outputOf, &s.ways)
	if label < 0 {
		return -1, errOverflow
	}
	best = m.number[label]
	if only != nil {
		scores[best] = float64(float32(p))
		for _, label := range only {
			scores[label] = float64(float32(m.tree.one(s.outputOf, &s.ways, m.place[label])))
		}
		return best, nil
	}
	m.tree.all(s.outputOf, &s.ways, func(label int, p float64) { scores[m.number[label]] = float64(float32(p)) })
	return best, nil
}

// tokensOf yields where the tokens of a text begin and end. A token </s> ends the text, as it does a line of fastText.
func tokensOf(text []byte) iter.Seq2[int, int] {
	return func(yield func(begin, end int) bool) {
		for i := 0; i < len(text); {
			if blank[text[i]] {
				i++
				continue
			}
			begin := i
			i = endOfToken(text, begin)
			if text[begin] == '<' && string(text[begin:i]) == string(endOfLine) || !yield(begin, i) {
				return
			}
		}
	}
}

// scoreExactly adds up as fastText does, in the same order and with the same rounding: the next number may be that of
// another entry of the table of sigmoids.
func (s *Scorer) scoreExactly(text []byte, scores []float64) (best int, err error) {
	m := s.m
	s.features = 0
	clear(s.exact)
	for p := range s.parts(text) {
		s.features += len(p.rows)
		for _, row := range p.rows {
			for k, x := range m.table[int(row)*m.pitch:][:m.Dim] {
				s.exact[k] += x
			}
		}
	}
	if s.features == 0 {
		return -1, nil
	}
	mean := float32(1 / float64(s.features))
	for k := range s.exact {
		s.exact[k] *= mean
	}
	for i := range s.numbers {
		var x float32
		for k, o := range m.outputs[i*m.Dim:][:m.Dim] {
			x += float32(o * s.exact[k])
		}
		if m.norms != nil {
			x *= m.norms[i]
		}
		if math.IsNaN(float64(x)) {
			return -1, errOverflow
		}
		s.numbers[i] = float64(sigmoid(x))
	}
	return s.show(scores), nil
}
