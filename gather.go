package nbsvm

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/hashing"
)

// gatherer maps rows of a batch to columns, so that n-grams which share a
// bucket become one entry; each worker has its own.
type gatherer struct {
	seen    []uint32 // per column: the mark of the last row that held it
	place   []int32  // per column: where that was in the row
	mark    uint32
	whole   strip    // scratch, copied at its true size
	columns []uint32 // of a document's entries; scratch
}

// strip maps the batch's documents that are in rows. Values are kept if valued.
func (g *gatherer) strip(b *batch, rows *roaring.Bitmap, columns columnsOf, valued bool) strip {
	s := &g.whole
	s.columns, s.values, s.ends = s.columns[:0], s.values[:0], s.ends[:0]
	if valued && g.place == nil {
		g.place = make([]int32, len(g.seen))
	}
	for k := range b.ends {
		if !rows.Contains(uint32(b.first + k)) {
			continue
		}
		g.nextRow()
		start := len(s.columns)
		lo, hi := b.bounds(k)
		g.columns = columns(g.columns[:0], b, lo, hi)
		for k, j := range g.columns {
			if j == hashing.NotSelected {
				continue
			}
			e := lo + k
			if g.seen[j] == g.mark {
				if valued {
					s.values[start+int(g.place[j])] += b.value(e)
				}
				continue
			}
			g.seen[j] = g.mark
			if valued {
				g.place[j] = int32(len(s.columns) - start)
				s.values = append(s.values, b.value(e))
			}
			s.columns = append(s.columns, j)
		}
		s.ends = append(s.ends, len(s.columns))
	}
	return strip{slices.Clone(s.columns), slices.Clone(s.values), slices.Clone(s.ends)}
}

// nextRow starts a row with nothing seen.
func (g *gatherer) nextRow() {
	g.mark++
	if g.mark == 0 {
		clear(g.seen)
		g.mark = 1
	}
}

// value is the value of an entry before any scaling.
func (b *batch) value(k int) float32 {
	switch {
	case b.values != nil:
		return b.values[k]
	case b.counts != nil:
		return float32(b.counts[k])
	}
	return 1
}

// rowSorter sorts rows of ids; longer ones by digits of 11 bits, which takes
// two or three passes where comparing takes eight or more.
type rowSorter struct {
	ids    []uint32
	values []float32
}

const (
	digitBits = 11
	radixFrom = 128 // row length from which counting digits is faster (BenchmarkRowSorter)
)

func (r *rowSorter) sort(ids []uint32) {
	if len(ids) < radixFrom {
		slices.Sort(ids)
		return
	}
	r.radix(ids, nil)
}

// sortWith sorts ids and moves values along.
func (r *rowSorter) sortWith(ids []uint32, values []float32) { r.radix(ids, values) }

func (r *rowSorter) radix(ids []uint32, values []float32) {
	top := uint32(0)
	for _, id := range ids {
		top |= id
	}
	r.ids = slices.Grow(r.ids[:0], len(ids))[:len(ids)]
	if values != nil {
		r.values = slices.Grow(r.values[:0], len(ids))[:len(ids)]
	}
	from, to := ids, r.ids
	fromValues, toValues := values, r.values
	for shift := uint(0); top>>shift != 0; shift += digitBits {
		var next [1 << digitBits]int32
		for _, id := range from {
			next[id>>shift&(1<<digitBits-1)]++
		}
		sum := int32(0)
		for digit, n := range next {
			next[digit] = sum
			sum += n
		}
		for k, id := range from {
			place := &next[id>>shift&(1<<digitBits-1)]
			to[*place] = id
			if values != nil {
				toValues[*place] = fromValues[k]
			}
			*place++
		}
		from, to = to, from
		fromValues, toValues = toValues, fromValues
	}
	if len(ids) > 0 && &from[0] != &ids[0] {
		copy(ids, from)
		copy(values, fromValues)
	}
}
