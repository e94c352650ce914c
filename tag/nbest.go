package tag

import "math"

// path is one of the best ways to a tag of a word.
type path struct {
	score  float64
	before int32 // the tag of the word before
	rank   int32 // which of the best ways to that
}

// nBest finds the best n sequences of tags, the best first; of equal ones, those whose last tags are the first. There
// may be fewer. It is for one goroutine.
type nBest struct {
	paths []path // for each word and tag n of them, the best first
	count []int  // how many there are
}

// insert puts a path among the best of a tag.
func insert(best []path, count int, p path) int {
	if count == len(best) {
		if !(p.score > best[count-1].score) {
			return count
		}
		count--
	}
	i := count
	for ; i > 0 && p.score > best[i-1].score; i-- {
		best[i] = best[i-1]
	}
	best[i] = p
	return count + 1
}

// decode finds up to n sequences and their scores.
func (b *nBest) decode(c *chain, scores []float64, pitch, words, n int) (sequences [][]int, of []float64) {
	k := c.tags
	b.paths, b.count = sized(b.paths, words*k*n), sized(b.count, words*k)
	clear(b.count)
	add := func(at int, p path) {
		if !math.IsInf(p.score, -1) {
			b.count[at] = insert(b.paths[at*n:][:n], b.count[at], p)
		}
	}
	for y := range k {
		add(y, path{score: c.start[y] + scores[y]})
	}
	for i := 1; i < words; i++ {
		for y := range k {
			for before := range k {
				from := (i-1)*k + before
				for rank, p := range b.paths[from*n:][:b.count[from]] {
					add(i*k+y, path{p.score + c.next[before*k+y] + scores[i*pitch+y], int32(before), int32(rank)})
				}
			}
		}
	}
	last, found := make([]path, n), 0
	for y := range k {
		at := (words-1)*k + y
		for rank, p := range b.paths[at*n:][:b.count[at]] {
			if s := p.score + c.end[y]; !math.IsInf(s, -1) {
				found = insert(last, found, path{s, int32(y), int32(rank)})
			}
		}
	}
	for _, p := range last[:found] {
		tags := make([]int, words)
		score := p.score
		for i := words - 1; i >= 0; i-- {
			tags[i] = int(p.before)
			p = b.paths[(i*k+tags[i])*n+int(p.rank)]
		}
		sequences, of = append(sequences, tags), append(of, score)
	}
	return sequences, of
}
