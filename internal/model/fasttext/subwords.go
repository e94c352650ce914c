package fasttext

import (
	"encoding/binary"
	"math/bits"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// speller finds the n-grams of characters of words. It is scratch memory of a scorer.
type speller struct {
	padded kernels.SpanText // a word between < and >
	chosen kernels.ChosenSpans
	found  kernels.FoundSpans
}

// usual is the length that few words exceed.
const usual = 32

// appendSubwords appends the rows of a token's n-grams of characters, in an order of its own.
func (s *speller) appendSubwords(m *Model, rows []uint32, text []byte, begin, end int) []uint32 {
	n := end - begin + 2
	if n >= kernels.SpanStarts {
		return m.appendSubwords(rows, pad(nil, text[begin:end]))
	}
	s.padded[0] = '<'
	if at := text[begin:]; n <= 2+usual && len(at) >= usual { // as most are, and then copy takes longer
		*(*[usual]uint8)(s.padded[1:]) = *(*[usual]uint8)(at)
	} else {
		copy(s.padded[1:], at[:end-begin])
	}
	s.padded[n-1] = '>'
	later := continuations(&s.padded, n)
	widest := 1 // bytes of a character
	for run := later; run != 0; run &= run << 1 {
		widest++
	}
	least, longest := max(m.MinN, 1), min(m.MaxN*widest, n)
	if longest > kernels.SpanLengths {
		return m.appendSubwords(rows, pad(nil, text[begin:end]))
	}
	if longest < least {
		return rows
	}
	var kept []uint64
	if m.kept != nil {
		kept = m.kept.words
	}
	if later == 0 {
		for length := least; length <= longest; length++ {
			s.chosen[length-1] = 1<<(n-length+1) - 1
		}
	} else {
		s.choose(m, n, later, longest)
	}
	if least == 1 { // neither the first character nor > is an n-gram
		s.chosen[bits.TrailingZeros64(^(later >> 1))] &^= 1
		s.chosen[0] &^= 1 << (n - 1)
	}
	found := m.spans.Find(&s.found, &s.padded, &s.chosen, n, least, longest, kept)
	for _, bucket := range s.found[:found] {
		row, _ := m.row(bucket)
		rows = append(rows, row)
	}
	return rows
}

// choose finds the spans of characters, of which n bytes have these later ones.
func (s *speller) choose(m *Model, n int, later uint64, longest int) {
	starts := (1<<n - 1) &^ later
	ends := starts>>1 | 1<<(n-1) // the last bytes of characters
	least, most := max(m.MinN, 1), min(m.MaxN, longest)
	var counts [kernels.SpanLengths + 2]uint64 // of each number of characters, the starts that have them, or more
	counts[0] = starts
	for length := 1; length <= longest; length++ {
		end := ends >> (length - 1)
		for count := most; count >= 0; count-- {
			counts[count+1] |= counts[count] & end
		}
		s.chosen[length-1] = end & counts[least] &^ counts[most+1]
	}
}

// continuations has a bit for each of the first n bytes that continues a character of UTF-8.
func continuations(text *kernels.SpanText, n int) (all uint64) {
	const each = 0x0101010101010101
	for i := 0; i < n; i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		later := (x & ^(x << 1)) >> 7 & each
		all |= later * 0x0102040810204080 >> 56 << i
	}
	return all & (1<<n - 1)
}

// pad appends a token between < and >.
func pad(dst, token []byte) []byte { return append(append(append(dst, '<'), token...), '>') }
