package tag

import "math"

// path is one of the best ways to a tag of a word.
type path struct {
	score  float64
	before int // the tag of the word before
	rank   int // which of the best ways to that
}

// add puts a path among the n best, the best first; of equal ones the one that came first. Paths that are not possible
// are left out.
func add(best []path, n int, p path) []path {
	if math.IsInf(p.score, -1) || len(best) == n && !(p.score > best[n-1].score) {
		return best
	}
	if len(best) < n {
		best = append(best, p)
	}
	i := len(best) - 1
	for ; i > 0 && p.score > best[i-1].score; i-- {
		best[i] = best[i-1]
	}
	best[i] = p
	return best
}

// nBest finds the best n sequences of tags and their scores, the best first; of equal ones, those whose last tags are
// the first. There may be fewer.
func nBest(c *chain, scores []float64, pitch, words, n int) (sequences [][]int, of []float64) {
	k := c.tags
	paths := make([][]path, words*k) // to each tag of each word
	for y := range k {
		paths[y] = add(nil, n, path{score: c.start[y] + scores[y]})
	}
	for i := 1; i < words; i++ {
		for y := range k {
			to := &paths[i*k+y]
			for before := range k {
				for rank, p := range paths[(i-1)*k+before] {
					*to = add(*to, n, path{p.score + c.next[before*k+y] + scores[i*pitch+y], before, rank})
				}
			}
		}
	}
	var last []path
	for y := range k {
		for rank, p := range paths[(words-1)*k+y] {
			last = add(last, n, path{p.score + c.end[y], y, rank})
		}
	}
	for _, p := range last {
		tags, score := make([]int, words), p.score
		for i := words - 1; i >= 0; i-- {
			tags[i] = p.before
			p = paths[i*k+p.before][p.rank]
		}
		sequences, of = append(sequences, tags), append(of, score)
	}
	return sequences, of
}
