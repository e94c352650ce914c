package model

import (
	"math"
	"sort"

	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Halves are looked at in groups of four neighbours, whose members are nearer to
// each other than any two levels. Group 0 of either sign holds zero.
const (
	groupBits  = 2
	groups     = 1 << (16 - groupBits)
	groupsSide = groups / 2 // of one sign
)

// levelsOf chooses 256 levels for numbers so that their squared error is the least,
// and gives the place of the level of every group. The first level is 0; negative and
// positive numbers have levels of their own. Levels that nobody needs are 0.
//
// Levels at equal distances, scaled to the largest number, have ten times the error:
// most weights are small, and a few a hundred times as large. A scale for every output
// gains nothing on these, and levels that are improved step by step (Lloyd) stop at
// two to six times the error.
func levelsOf(h *halves) (levels [256]float32, places []uint8) {
	var counts, sums [groups]float64
	for _, code := range h.codes {
		counts[code>>groupBits]++
		sums[code>>groupBits] += float64(xmath.FromHalf(code))
	}
	var sides [2]side
	for i := range sides {
		first := i * groupsSide
		sides[i].collect(first+1, counts[first+1:first+groupsSide], sums[first+1:first+groupsSide])
	}
	divideSides(&sides, len(levels)-1)
	places = make([]uint8, groups)
	place := 0
	for i := range sides { // positive numbers come first
		s := &sides[i]
		for _, cell := range s.cells() {
			place++
			levels[place] = float32(s.mean(cell[0], cell[1]) * h.scale)
			for _, group := range s.groups[cell[0]:cell[1]] {
				places[group] = uint8(place)
			}
		}
	}
	return levels, places
}

// divideSides divides the groups of both sides into at most n cells, at least 2, so that their squared error is the
// least.
//
// The more cells, the less another one gains. So n cells with the least error are also the division that is best
// where each cell has a price, if the price is the gain of one more, and the price is what is searched for
// (Aggarwal, Schieber and Tokuyama 1994). A cell fewer may be found where several gain the same.
func divideSides(sides *[2]side, n int) {
	at := func(price float64) (cells int) {
		var counts [2]int
		par.EachItem(2, func(i int) { counts[i] = sides[i].divide(price) })
		return counts[0] + counts[1]
	}
	if at(0) <= n {
		return
	}
	low, high := 0.0, 0.0 // too many cells, and few enough
	for i := range sides {
		high += 2 * sides[i].cost(0, len(sides[i].groups)) // more than any cell gains
	}
	price := high / float64(n*n)
	for try := 1; ; try++ {
		cells := at(price)
		switch {
		case cells == n:
			return
		case cells > n:
			low = price
		default:
			high = price
		}
		more := float64(cells) / float64(n)
		switch {
		case try%3 != 0: // a cell of numbers that lie densely gains as the cube of its width
			price *= more * more * more
		case low > 0:
			price = math.Sqrt(low * high)
		default:
			price = high / 1024
		}
		if price <= low || price >= high {
			price = low + float64((high-low)/2)
		}
		if price <= low || price >= high {
			at(high)
			return
		}
	}
}

// side is the groups of one sign that have numbers, ascending by magnitude, and a
// way to divide them into cells, each of which has its mean for a level.
type side struct {
	groups             []int
	count, sum, square []float64 // before every group; the last are of all

	// Of the first groups, as many as the index: the least of errors and prices of their cells, and where the last of
	// these begins.
	least []float64
	begin []int
}

func (s *side) collect(first int, counts, sums []float64) {
	s.count, s.sum, s.square = []float64{0}, []float64{0}, []float64{0}
	for g, count := range counts {
		if count == 0 {
			continue
		}
		last := len(s.groups)
		s.groups = append(s.groups, first+g)
		s.count = append(s.count, s.count[last]+count)
		s.sum = append(s.sum, s.sum[last]+sums[g])
		s.square = append(s.square, s.square[last]+float64(sums[g]*sums[g]/count))
	}
	s.least, s.begin = make([]float64, len(s.groups)+1), make([]int, len(s.groups)+1)
}

func (s *side) mean(lo, hi int) float64 {
	return (s.sum[hi] - s.sum[lo]) / (s.count[hi] - s.count[lo])
}

// cost returns the squared error of a cell.
func (s *side) cost(lo, hi int) float64 {
	if lo == hi {
		return 0
	}
	sum := s.sum[hi] - s.sum[lo]
	return max(0, s.square[hi]-s.square[lo]-float64(sum*sum)/(s.count[hi]-s.count[lo]))
}

// divide finds the division with the least sum of squared errors and of this price for every cell, and says how many
// cells it has.
//
// Where the last cell begins moves to the right with where it ends. So each beginning is the best one for a run of
// ends, and a new beginning takes over the last ends, from a place found by bisection (Hirschberg and Larmore 1987).
func (s *side) divide(price float64) (cells int) {
	points := len(s.groups)
	value := func(begin, end int) float64 { return s.least[begin] + s.cost(begin, end) }
	type run struct{ begin, first int } // of a beginning, the first end
	runs := append(make([]run, 0, points+1), run{0, 1})
	for end := 1; end <= points; end++ {
		for len(runs) > 1 && runs[1].first <= end {
			runs = runs[1:]
		}
		s.begin[end] = runs[0].begin
		s.least[end] = value(runs[0].begin, end) + price
		last := runs[len(runs)-1]
		for len(runs) > 1 && value(end, last.first) <= value(last.begin, last.first) {
			runs = runs[:len(runs)-1]
			last = runs[len(runs)-1]
		}
		from := max(last.first, end+1)
		first := from + sort.Search(points+1-from, func(i int) bool {
			return value(end, from+i) <= value(last.begin, from+i)
		})
		if first <= points {
			runs = append(runs, run{end, first})
		}
	}
	for end := points; end > 0; end = s.begin[end] {
		cells++
	}
	return cells
}

// cells returns where the cells of the division begin and end, the last one first.
func (s *side) cells() (cells [][2]int) {
	for end := len(s.groups); end > 0; end = s.begin[end] {
		cells = append(cells, [2]int{s.begin[end], end})
	}
	return cells
}
