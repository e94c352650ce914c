package score

import (
	"math"
	"runtime"
	"slices"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/paths"
)

// siblingRows are the numbers in the table of a model whose classes are in a grown tree. Those of a row for the outputs
// below one node lie together, so that only those are read that the search comes to: with 10^5 classes, one in fifty.
// (Etter, Zhong, Yu, Ying and Dhillon 2022, "Enterprise-Scale Search: Accelerating Inference for Sparse Extreme
// Multi-Label Ranking Trees", on chunks of siblings.)
type siblingRows struct {
	runs    []siblingRun // row by row, ascending by parent; one more at the end
	places  []uint8      // of each number: the place of its output among siblings
	numbers []float32
}

// siblingRun is a row's numbers for the children of one node.
type siblingRun struct {
	parent uint32 // 0 for the root, and so on in the order of nodes
	first  uint32 // number
}

// mostSiblings is how many children of a node have a place.
const mostSiblings = math.MaxUint8 + 1

// fewSearched is from how many outputs on siblings are worth a table of their own: of fewer, most are read in any case,
// and are faster added up side by side. With 10,000 classes both ways take as long.
const fewSearched = 1 << 14

// mostTreeTable is the size of the largest table of siblings, in bytes.
const mostTreeTable = 2 << 30

// searchedTree is the tree of a model that is searched from the top, so that not all outputs are needed; nil of others.
func searchedTree(m *model.Model) *paths.Tree {
	if p := m.Meta.Paths; p == nil || p.Parents == nil || p.Beam == 0 {
		return nil
	}
	return treeOf(m)
}

// mayHaveSiblingRows says whether a model's table can have them: if each node has few children.
func mayHaveSiblingRows(m *model.Model) bool {
	tree := searchedTree(m)
	if tree == nil || m.Sparse == nil {
		return false
	}
	most := 0
	for outputs := range tree.Groups {
		most = max(most, len(outputs))
	}
	return most <= mostSiblings
}

// wantsSiblingRows says whether a model's table has them.
func wantsSiblingRows(m *model.Model) bool { return m.Outputs >= fewSearched && mayHaveSiblingRows(m) }

// siblingTableBytes is an upper bound of the size of a table of a model with sibling rows; 0 if it is too much.
func siblingTableBytes(m *model.Model) int64 {
	number := unsafe.Sizeof(siblingRun{}) + unsafe.Sizeof(uint8(0)) + unsafe.Sizeof(float32(0))
	if size := foundBytes(m) + int64(number)*int64(m.Sparse.Codes()); size <= mostTreeTable {
		return size
	}
	return 0
}

// newSiblingTable makes the table of a model with sibling rows.
func newSiblingTable(m *model.Model, met *met) *table {
	return tableWith(m, met, func(t *table, order []uint32) []func() { return t.makeSiblingRows(m, order) })
}

// makeSiblingRows makes them, and has the entries point to the runs of each row. What it returns frees their memory.
func (t *table) makeSiblingRows(m *model.Model, rows []uint32) (free []func()) {
	s := &siblingRows{}
	t.siblings = s
	n := m.Sparse.Codes()
	free = make([]func(), 3)
	s.runs, free[0] = mem.MakeHuge[siblingRun](n + 1)
	s.places, free[1] = mem.MakeHuge[uint8](n)
	s.numbers, free[2] = mem.MakeHuge[float32](n)
	tree := searchedTree(m)
	of := make([]siblingRun, m.Outputs) // of every output: its parent, and its place among siblings
	parent := uint32(0)
	for k := paths.Root; k < len(tree.Parents); k++ {
		children := tree.Children(k)
		if len(children) == 0 {
			continue
		}
		for place, o := range children {
			of[o] = siblingRun{parent, uint32(place)}
		}
		parent++
	}
	counts := make([]uint32, parent+1)
	var room model.Room
	var order []uint64
	runs, numbers := 0, 0
	for place, row := range rows {
		t.entries[place].Content = uint32(runs)
		outputs, weights := m.Sparse.Row(&room, row)
		order = order[:0]
		for e, o := range outputs {
			order = append(order, uint64(of[o].parent)<<32|uint64(e))
		}
		sortByParent(order, counts)
		last := uint32(math.MaxUint32)
		for _, key := range order {
			e := uint32(key)
			if parent := uint32(key >> 32); parent != last {
				s.runs[runs] = siblingRun{parent, uint32(numbers)}
				runs++
				last = parent
			}
			s.places[numbers], s.numbers[numbers] = uint8(of[outputs[e]].first), weights[e]
			numbers++
		}
	}
	s.runs[runs].first = uint32(numbers)
	s.runs, s.places, s.numbers = s.runs[:runs+1], s.places[:numbers], s.numbers[:numbers]
	return free
}

// sortByParent sorts keys by their upper half, and else keeps their order. counts has one more number than there are
// parents, and is 0.
func sortByParent(keys []uint64, counts []uint32) {
	if len(keys) < len(counts)/4 {
		slices.Sort(keys) // the lower halves ascend
		return
	}
	for _, key := range keys {
		counts[key>>32+1]++
	}
	for p := 1; p < len(counts); p++ {
		counts[p] += counts[p-1]
	}
	sorted := make([]uint64, len(keys))
	for _, key := range keys {
		sorted[counts[key>>32]] = key
		counts[key>>32]++
	}
	copy(keys, sorted)
	clear(counts)
}

// rowRuns are the runs of a row, from lo to before hi.
type rowRuns struct{ lo, hi uint32 }

// siblingSums adds up sibling rows for one goroutine and one document at a time.
type siblingSums struct {
	rows        []rowRuns
	sums        [mostSiblings]float64
	total, unit float64
}

// begin takes a document's rows, and what brings them to unit length.
func (s *siblingSums) begin(t *table, rows []uint32, unit float64) {
	s.rows, s.total, s.unit = s.rows[:0], float64(len(rows)), unit
	for _, row := range rows {
		end := uint32(len(t.siblings.runs) - 1)
		if next := int(row) + 1; next < len(t.entries) {
			end = t.entries[next].Content
		}
		s.rows = append(s.rows, rowRuns{t.entries[row].Content, end})
	}
	runtime.KeepAlive(t)
}

// of are the sums of a node's n children.
func (s *siblingSums) of(t *table, parent uint32, n int) []float64 {
	sums, all := &s.sums, t.siblings
	clear(sums[:n])
	for _, row := range s.rows {
		i := row.find(all.runs, parent)
		if i < 0 {
			continue
		}
		first, end := all.runs[i].first, all.runs[i+1].first
		numbers, places := all.numbers[first:end], all.places[first:end]
		for k, place := range places {
			sums[place] += float64(numbers[k])
		}
	}
	runtime.KeepAlive(t)
	return sums[:n]
}

// find is the place of a parent's run among those of a row; -1 without. As parents ascend, it is not behind that of
// their number.
func (r rowRuns) find(runs []siblingRun, parent uint32) int {
	if r.lo == r.hi {
		return -1
	}
	at := r.lo + min(parent, r.hi-r.lo-1)
	switch found := runs[at].parent; {
	case found == parent:
		return int(at)
	case found < parent:
		return -1
	}
	lo, hi := r.lo, at
	for lo < hi {
		if mid := (lo + hi) / 2; runs[mid].parent < parent {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if runs[lo].parent != parent {
		return -1
	}
	return int(lo)
}
