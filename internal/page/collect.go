package page

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Limits of what is kept of documents.
const (
	mostScores  = 1 << 23 // of documents by class: curves are those of a sample of more documents
	fewestRows  = 1000    // documents whose scores tell of classes
	longestKept = 1 << 20 // bytes of a text that is shown
)

// predictions are the metrics of all documents, what was counted over them, and a sample for the curves.
type predictions struct {
	c         *nbsvm.Classifier
	most      int // documents in the sample; 0 where classes are too many
	random    xmath.SplitMix
	documents int
	measured  *metrics.Report

	wants, gots [][]int // labels of the documents of the sample
	scores      []float64

	confused map[pair]int // over all documents
	wrong    ranking      // documents with the highest loss
	unsure   ranking      // documents with the least sure answers
}

// ranking keeps the documents that rank highest.
type ranking struct {
	most int
	kept []rankedDocument
}

// rankedDocument is what is kept of a document, with its number, from 0.
type rankedDocument struct {
	rank      float64
	number    int
	path      string
	line      int64
	text      []byte // nil where there is none, or it is too long
	want, got []int
	scores    []classScore // those that matter
	wanted    float64      // of models of numbers
}

type classScore struct {
	class int
	score float64
}

// telling returns the scores of the labels that are wanted or given, and the two highest, best first.
func telling(d *nbsvm.Judgement) (all []classScore) {
	first, second := -1, -1
	for k, s := range d.Scores {
		switch {
		case first < 0 || s > d.Scores[first]:
			first, second = k, first
		case second < 0 || s > d.Scores[second]:
			second = k
		}
	}
	for _, k := range slices.Concat([]int{first, second}, d.Want, d.Labels) {
		if k >= 0 && !slices.ContainsFunc(all, func(s classScore) bool { return s.class == k }) {
			all = append(all, classScore{k, d.Scores[k]})
		}
	}
	slices.SortFunc(all, func(a, b classScore) int { return cmp.Or(cmp.Compare(b.score, a.score), a.class-b.class) })
	return all
}

// offer keeps a document if it ranks among the first; of equals the first.
func (r *ranking) offer(rank float64, number int, d *nbsvm.Judgement) {
	if r.most == 0 || len(r.kept) == r.most && rank <= r.kept[r.most-1].rank {
		return
	}
	doc := rankedDocument{
		rank: rank, number: number, path: d.Path, want: slices.Clone(d.Want), got: slices.Clone(d.Labels), scores: telling(d),
		wanted: d.Number,
	}
	if d.Document != nil {
		doc.line = int64(d.Document.Line)
		if len(d.Document.Text) <= longestKept {
			doc.text = slices.Clone(d.Document.Text)
		}
	}
	at, _ := slices.BinarySearchFunc(r.kept, doc, func(a, b rankedDocument) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.number, b.number))
	})
	r.kept = slices.Insert(r.kept, at, doc)
	r.kept = r.kept[:min(r.most, len(r.kept))]
}

// collect evaluates on the documents of an input.
func collect(ctx context.Context, c *nbsvm.Classifier, in corpus.Input, o *Options) (*predictions, error) {
	p := &predictions{c: c, most: mostScores / len(c.Labels()), confused: map[pair]int{}}
	if p.most < fewestRows {
		p.most = 0
	}
	p.wrong.most, p.unsure.most = o.Documents, o.Documents
	var err error
	p.measured, err = c.Evaluate(ctx, in, nbsvm.ScoreOptions{Threads: o.Threads, Progress: o.Progress, Judge: p.add})
	return p, err
}

// add takes a document in.
func (p *predictions) add(d nbsvm.Judgement) {
	loss := p.c.Loss(&d)
	if p.c.Numbers() {
		if p.documents++; loss > 0 {
			p.wrong.offer(loss, p.documents-1, &d)
		}
		return
	}
	d.Scores = inside.Classifier(p.c).Exact(d.Scores) // of the very labels, and not of what is below them
	number := p.documents
	p.documents++
	p.rank(number, loss, &d)
	p.confuse(&d)
	at := number
	if number >= p.most { // Vitter's algorithm R
		if at = p.random.IntN(p.documents); at >= p.most {
			return
		}
	}
	row := d.Scores
	if at == number {
		p.wants, p.gots, p.scores = append(p.wants, nil), append(p.gots, nil), append(p.scores, row...)
	} else {
		copy(p.scores[at*len(row):], row)
	}
	p.wants[at], p.gots[at] = slices.Clone(d.Want), slices.Clone(d.Labels)
}

// sampled returns the number of documents in the sample.
func (p *predictions) sampled() int { return len(p.wants) }

// rank offers the document to both rankings: by its loss if it is wrong, and by how unsure the answer is, of log odds
// where margins decide, as probabilities round to 1.
func (p *predictions) rank(number int, loss float64, d *nbsvm.Judgement) {
	if loss > 0 {
		p.wrong.offer(finite(loss), number, d)
	}
	scores, middle := d.Scores, 0.0
	switch {
	case d.Odds != nil:
		scores = d.Odds
	case p.c.Probabilities():
		middle = 0.5
	}
	first, second, nearest := math.Inf(-1), math.Inf(-1), math.Inf(1)
	for _, s := range scores {
		nearest = min(nearest, math.Abs(s-middle))
		if s > first {
			first, second = s, first
		} else {
			second = max(second, s)
		}
	}
	if !p.c.MultiLabel() {
		nearest = first - second
	}
	p.unsure.offer(-finite(nearest), number, d)
}

// confuse counts answers. Where documents have any number of labels, those that are missed are set against those that
// are given wrongly, or against none.
func (p *predictions) confuse(d *nbsvm.Judgement) {
	none := len(p.c.Labels())
	wrongly := slices.DeleteFunc(slices.Clone(d.Labels), func(k int) bool { return slices.Contains(d.Want, k) })
	if len(wrongly) == 0 {
		wrongly = []int{none}
	}
	missed := 0
	for _, want := range d.Want {
		switch {
		case want == metrics.Unknown:
		case slices.Contains(d.Labels, want):
			p.confused[pair{want, want}]++
		default:
			missed++
			for _, got := range wrongly {
				p.confused[pair{want, got}]++
			}
		}
	}
	if missed == 0 && wrongly[0] != none && p.c.MultiLabel() {
		for _, got := range wrongly {
			p.confused[pair{none, got}]++
		}
	}
}

// curves are those of all answers, of all labels together where there are several, and of some classes.
func (p *predictions) curves(classes []int) []curve {
	n, all := p.sampled(), len(p.c.Labels())
	if n == 0 {
		return nil
	}
	var curves []curve
	add := func(name, about, of string, decided func(doc int) (from, to int)) { // classes
		var decisions []decision
		wanted := 0
		for i := range n {
			from, to := decided(i)
			for k := from; k < to; k++ {
				has := slices.Contains(p.wants[i], k)
				if has {
					wanted++
				}
				decisions = append(decisions, decision{p.scores[i*all+k], has})
			}
		}
		if of == "predictions" {
			wanted = n // each document has one
		}
		curves = append(curves, newCurve(name, about, of, decisions, wanted, p.c.Probabilities()))
	}
	if !p.c.MultiLabel() {
		add("Predictions", "the score of the predicted label", "predictions", func(doc int) (from, to int) {
			return p.gots[doc][0], p.gots[doc][0] + 1
		})
	}
	if all > 2 {
		add("All classes together (micro average)",
			"the score of every class for every document", "pairs of a document and a class",
			func(int) (from, to int) { return 0, all })
	}
	for _, of := range classes {
		name := legible(p.c.Labels()[of], longestName)
		add(name, "the score of class "+name+" for every document", "documents",
			func(int) (from, to int) { return of, of + 1 })
	}
	return curves
}
