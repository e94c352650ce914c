package tag

import (
	"cmp"
	"math"
	"slices"
)

// path is one of the best ways to a tag of a word.
type path struct {
	score  float64
	before int // the tag of the word before
	rank   int // which of the best ways to that
}

// best are the n best of the possible paths, the best first; of equal ones the first.
func best(paths []path, n int) []path {
	paths = slices.DeleteFunc(paths, func(p path) bool { return math.IsInf(p.score, -1) })
	slices.SortStableFunc(paths, func(a, b path) int { return cmp.Compare(b.score, a.score) })
	return slices.Clone(paths[:min(n, len(paths))])
}

// nBest finds the best n sequences of tags and their scores, the best first; of equal ones, those whose last tags are
// the first. There may be fewer.
func nBest(c *chain, scores []float64, pitch, words, n int) (sequences [][]int, of []float64) {
	k := c.tags
	paths := make([][]path, words*k) // to each tag of each word
	for y := range k {
		paths[y] = best([]path{{score: c.start[y] + scores[y]}}, n)
	}
	var all []path
	for i := 1; i < words; i++ {
		for y := range k {
			all = all[:0]
			for before := range k {
				for rank, p := range paths[(i-1)*k+before] {
					all = append(all, path{p.score + c.next[before*k+y] + scores[i*pitch+y], before, rank})
				}
			}
			paths[i*k+y] = best(all, n)
		}
	}
	all = all[:0]
	for y := range k {
		for rank, p := range paths[(words-1)*k+y] {
			all = append(all, path{p.score + c.end[y], y, rank})
		}
	}
	for _, p := range best(all, n) {
		tags, score := make([]int, words), p.score
		for i := words - 1; i >= 0; i-- {
			tags[i] = p.before
			p = paths[i*k+p.before][p.rank]
		}
		sequences, of = append(sequences, tags), append(of, score)
	}
	return sequences, of
}
