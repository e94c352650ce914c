package plan

import "math"

// count is a number of things that there are in some documents.
type count struct {
	documents int64
	things    float64
}

// growth is how a number of things grows with documents: a parabola through three points, in logarithms of both. By
// Heaps' law it would be a straight line, but the vocabulary of finite languages bends it.
type growth struct {
	from  count   // the last point
	slope float64 // there
	bend  float64 // of the slope, 0 or below
	each  float64 // no document has more things
}

// mostBend keeps three points that lie badly from having everything end: so much less is the slope after e times as
// many documents.
const mostBend = 0.25

// mostSlope is above 1 for n-grams that are in so many documents that they are kept: of more documents, these are more.
const mostSlope = 1.5

// newGrowth takes points by ascending numbers of documents, of which only the last has to have things, and how many a
// document has.
func newGrowth(points [3]count, each float64) growth {
	g := growth{from: points[2], each: each}
	var logs [3][2]float64
	for i, p := range points {
		if p.things < 1 || p.documents < 1 {
			g.slope = 1 // in proportion, for all that is known
			return g
		}
		logs[i] = [2]float64{math.Log(float64(p.documents)), math.Log(p.things)}
	}
	rise := func(i int) (width, slope float64) {
		width = logs[i+1][0] - logs[i][0]
		return width, (logs[i+1][1] - logs[i][1]) / max(width, 1e-9)
	}
	first, before := rise(0)
	second, after := rise(1)
	g.bend = min(max((after-before)/max((first+second)/2, 1e-9), -mostBend), 0)
	g.slope = min(max(after+float64(g.bend*second/2), 0), mostSlope)
	return g
}

// at is how many things there are in so many documents.
func (g growth) at(documents int64) float64 {
	x := math.Log(float64(max(documents, 1)) / float64(max(g.from.documents, 1)))
	if g.bend < 0 {
		x = min(x, -g.slope/g.bend) // where nothing is new any more
	}
	return min(g.from.things*math.Exp(float64(g.slope*x)+float64(g.bend*x*x/2)), float64(g.each*float64(documents)))
}

// occupied is how many of so many buckets are in use by n-grams that are hashed into them.
func occupied(buckets, grams float64) float64 {
	return -buckets * math.Expm1(-grams/buckets)
}
