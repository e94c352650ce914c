package score

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Labelled is a document whose labels are known, with what is predicted for it.
type Labelled struct {
	Path string
	Line int64 // 0 for a document of a packed corpus
	// Want are classes by number, or metrics.Unknown for each label that the model does not know: one, or any number for
	// models of several labels and of fastText.
	Want []int
	Text []byte // nil for a document of a packed corpus
	// Parts of the wanted and of the predicted path, and of what they have in common; 0 unless labels are paths.
	Parts PathParts
	Prediction

	Document *corpus.Document // nil for a document of a packed corpus

	Odds []float64 // see Classifier.Odds

	unknown []string  // labels that the model does not know
	decided []int     // the labels that a fastText model decides for if documents have several
	other   *Labelled // the same with the prediction of another classifier; nil without one
}

// PathParts are the numbers of parts of two paths.
type PathParts struct{ Shared, Wanted, Predicted int }

// numbers are those of the labels.
func (c *Classifier) numbers() map[string]int {
	number := make(map[string]int, len(c.Labels()))
	for k, label := range c.Labels() {
		number[label] = k
	}
	return number
}

// weighted is what to tell of documents with weights.
const weighted = "documents have weights, which are for training: metrics count every document once"

// eachLabelled predicts the documents of a labelled input, which may be packed corpora, and visits them in order, also
// with the predictions of another classifier unless that is nil. Of what is visited nothing may be kept: its memory is
// used again.
func (c *Classifier) eachLabelled(ctx context.Context, in corpus.Input, o Options, other *Classifier, visit func(*Labelled)) error {
	if paths, ok, err := dataset.PackedPaths(in); err != nil || ok {
		if ok && other != nil {
			return fmt.Errorf("nbsvm: %s is a packed corpus, and two models are compared on text: give the text", paths[0])
		}
		for _, path := range paths {
			if err := c.eachPacked(ctx, path, in, o, visit); err != nil {
				return err
			}
		}
		return err
	}
	number := c.numbers()
	documents, weights, several := 0, false, 0
	err := c.each(ctx, in, o, func(s *scored, d *corpus.Document, p *Prediction) {
		switch {
		case p == nil:
			return
		case !c.MultiLabel() && c.FastText() == nil && len(d.Labels) > 1:
			d.Err = fmt.Errorf("the record has %d labels, but the model predicts exactly one", len(d.Labels))
			return
		}
		l := Labelled{Path: s.chunk.PathOf(d), Line: int64(d.Line), Text: d.Text, Document: d}
		labels := c.withAbove(d.Labels)
		for _, label := range labels {
			k, known := number[string(label)]
			if !known {
				k, l.unknown = metrics.Unknown, append(l.unknown, string(label))
			}
			l.Want = append(l.Want, k)
		}
		if other != nil {
			q, err := other.Predict(d.Text)
			if err != nil {
				d.Err = err
				return
			}
			l.other = &Labelled{Want: l.Want, unknown: l.unknown}
			l.other.got(other, labels, q)
		}
		l.got(c, labels, s.keep(p))
		s.kept = append(s.kept, l)
	}, func(s *scored) error {
		documents += len(s.kept)
		for i := range s.kept {
			weights = weights || s.kept[i].Document.Weight != 1
			if len(s.kept[i].Want) > 1 {
				several++
			}
			visit(&s.kept[i])
		}
		return nil
	})
	switch {
	case err != nil:
	case documents == 0:
		err = fmt.Errorf("nbsvm: %w in %s to evaluate on: is that the right input, and is it complete?", corpus.ErrNoDocuments, in.Describe())
	case in.Note == nil:
	default:
		if weights && in.WeightField == "" {
			in.Note(in.Describe(), weighted)
		}
		if ft := c.FastText(); ft != nil && several > 0 {
			in.Note(in.Describe(), fmt.Sprintf("documents with several labels: %s; metrics compare them with %s; metrics at K compare the K best labels, as fasttext test does",
				display.Count(int64(several)), ft.Decides()))
		}
	}
	return err
}

// keep copies the labels and scores of a prediction into memory that is used again.
func (s *scored) keep(p *Prediction) Prediction {
	kept := func(scores []float64) []float64 {
		first := len(s.scores)
		s.scores = append(s.scores, scores...) // of what had to move, predictions before keep the old place
		return s.scores[first:len(s.scores):len(s.scores)]
	}
	return Prediction{Labels: slices.Clone(p.Labels), Scores: kept(p.Scores), Margins: kept(p.Margins)}
}

// got sets what is predicted for the document, which has these labels.
func (l *Labelled) got(c *Classifier, labels [][]byte, p Prediction) {
	if ft := c.FastText(); ft != nil {
		l.decided = ft.Decided(p.Labels, p.Scores)
	}
	if !c.MultiLabel() {
		if len(p.Labels) == 0 {
			p.Labels = append(p.Labels, c.fallback())
		}
		if len(l.Want) == 0 {
			l.Want = append(l.Want, metrics.Unknown)
		}
	}
	l.Parts, l.Prediction, l.Odds = c.pathParts(labels, &p), p, c.Odds(&p)
}

// eachPacked visits the documents of a packed corpus.
func (c *Classifier) eachPacked(ctx context.Context, path string, in corpus.Input, o Options, visit func(*Labelled)) error {
	ds, err := dataset.Open(path)
	if err != nil {
		return err
	}
	if err = c.suits(path, ds); err == nil {
		if ds.Weights != nil && in.Note != nil {
			in.Note(path, weighted)
		}
		err = c.eachRow(ctx, path, ds, ds.All(), par.Threads(o.Threads), func(_ int, l *Labelled) { visit(l) })
	}
	return errors.Join(err, ds.Close())
}

// eachRow visits documents of a dataset.
func (c *Classifier) eachRow(ctx context.Context, path string, ds *dataset.Dataset, documents *roaring.Bitmap, threads int, visit func(doc int, l *Labelled)) error {
	known := c.numbers()
	if err := ds.Classes.List(ctx); err != nil {
		return err
	}
	l := Labelled{Path: path}
	var labels [][]byte
	return PredictRows(ctx, c, ds, documents, threads, func(doc int, p *Prediction) {
		l.Want, l.unknown, labels = l.Want[:0], l.unknown[:0], labels[:0]
		for _, k := range ds.Classes.LabelsOf(doc) {
			labels = append(labels, []byte(ds.Classes.Labels[k]))
		}
		labels = c.withAbove(labels)
		for _, label := range labels {
			k, ok := known[string(label)]
			if !ok {
				k, l.unknown = metrics.Unknown, append(l.unknown, string(label))
			}
			l.Want = append(l.Want, k)
		}
		l.got(c, labels, *p)
		visit(doc, &l)
	})
}

// suits refuses a corpus that can't tell what the model would see in its texts.
func (c *Classifier) suits(path string, ds *dataset.Dataset) error {
	meta := &ds.Meta
	if meta.Source != c.m.Meta.Source {
		return fmt.Errorf("nbsvm: %s holds features of type %s, but the model was trained on %s: use a model that was trained on the same type", path, meta.Source, c.m.Meta.Source)
	}
	model, corpus := c.m.Meta.Text, meta.Text
	switch {
	case c.TakesFeatures():
	case model.Diff(corpus) != nil:
		return fmt.Errorf("nbsvm: %s was packed with text options that differ from the model's (%s, not %s): pack the documents again with the model's options", path, corpus, model)
	case meta.MinDF > 1:
		return fmt.Errorf("nbsvm: %s lacks the n-grams of fewer than %d documents, which the model may need: pack the documents again with Options.MinDF 1", path, meta.MinDF)
	case c.m.Meta.Values != binary && !meta.Counts:
		return fmt.Errorf("nbsvm: %s does not record how often n-grams occur, which the model needs for its %s values: pack the documents again with Options.Values count", path, c.m.Meta.Values)
	}
	if meta.Multi && !c.MultiLabel() {
		return fmt.Errorf("nbsvm: documents in %s may have several labels, but the model predicts exactly one", path)
	}
	return nil
}

// Evaluate scores a labelled input and compares. A label that the model does not
// know counts as an error of the classifier. The input may be packed corpora, of the
// model's text options and with all their n-grams.
func (c *Classifier) Evaluate(ctx context.Context, in corpus.Input, o Options) (*metrics.Report, error) {
	all := newAccumulator(c, in.Bad)
	err := c.eachLabelled(ctx, in, o, nil, func(l *Labelled) {
		all.add(l)
		if o.Judge != nil {
			o.Judge(l)
		}
	})
	if err != nil {
		return nil, err
	}
	return all.report(in.Describe())
}

// EvaluateRows predicts documents of a dataset from their rows, and compares. It tells how long predicting took,
// without computing metrics. judge, if not nil, is told of each document, in order.
func EvaluateRows(
	ctx context.Context, c *Classifier, ds *dataset.Dataset, documents *roaring.Bitmap, threads int,
	judge func(doc int, l *Labelled),
) (*metrics.Report, time.Duration, error) {
	all := newAccumulator(c, nil)
	start := time.Now()
	err := c.eachRow(ctx, ds.Path, ds, documents, threads, func(doc int, l *Labelled) {
		if all.add(l); judge != nil {
			judge(doc, l)
		}
	})
	took := time.Since(start)
	if err != nil {
		return nil, 0, err
	}
	r, err := all.report(ds.Path)
	return r, took, err
}

// accumulator counts predictions beside what they should have been.
type accumulator struct {
	c         *Classifier
	counts    *metrics.Accumulator
	several   *metrics.Accumulator // counts documents of any number of labels; nil unless fastText trained the model
	mixed     bool                 // some document has several labels, so that several has the report
	want, got []int32              // of a document
	err       error

	bad     *corpus.BadRecords // of the input; nil if it has none
	earlier corpus.Reasons     // of those that were bad before

	paths   metrics.PathCounts // where labels are paths
	unknown map[string]int64   // documents that want each label that the model does not know, of those that are told apart
}

func newAccumulator(c *Classifier, bad *corpus.BadRecords) *accumulator {
	a := &accumulator{c: c, bad: bad, earlier: bad.Reasons(), counts: metrics.NewAccumulator(c.Labels(), c.MultiLabel()), unknown: map[string]int64{}}
	if c.FastText() != nil { // its file does not say how many labels a document has
		a.several = metrics.NewAccumulator(c.Labels(), true)
	}
	return a
}

// add notes a document.
func (a *accumulator) add(l *Labelled) {
	if parts := l.Parts; parts.Wanted > 0 {
		a.paths.Add(parts.Shared, parts.Wanted, parts.Predicted)
	}
	a.mixed = a.mixed || a.several != nil && len(l.Want) > 1
	if !a.mixed {
		a.count(a.counts, l, l.Labels)
	}
	if a.several != nil {
		a.count(a.several, l, l.decided)
	}
}

// count adds a document to one of the accumulators.
func (a *accumulator) count(counts *metrics.Accumulator, l *Labelled, got []int) {
	a.want, a.got = numbers(a.want[:0], l.Want), numbers(a.got[:0], got)
	unknown := l.unknown
	for i, k := range a.want {
		if k == metrics.Unknown && len(unknown) > 0 {
			if a.want[i] = counts.UnknownClass(unknown[0]); a.want[i] != metrics.Unknown && (counts == a.counts) != a.mixed {
				a.unknown[unknown[0]]++
			}
			unknown = unknown[1:]
		}
	}
	ranks := l.Odds
	if ranks == nil {
		ranks = a.c.Exact(l.Scores)
	}
	if err := counts.Add(a.want, a.got, ranks, a.probabilities(l)); a.err == nil {
		a.err = err
	}
}

// probabilities returns those of the labels of a document; nil if the model has none.
func (a *accumulator) probabilities(l *Labelled) []float64 {
	if !a.c.Probabilities() {
		return nil
	}
	probabilities := a.c.Exact(l.Scores)
	if a.c.FastText() != nil { // it shows up to 1e-5 more than a probability may be
		probabilities = slices.Clone(probabilities)
		for k, p := range probabilities {
			probabilities[k] = min(p, 1)
		}
	}
	return probabilities
}

// numbers appends classes.
func numbers(dst []int32, classes []int) []int32 {
	for _, k := range classes {
		dst = append(dst, int32(k))
	}
	return dst
}

// report computes the metrics of documents of an input. It refuses those of which the model knows no label.
func (a *accumulator) report(input string) (*metrics.Report, error) {
	if a.err != nil {
		return nil, a.err
	}
	counts := a.counts
	if a.mixed {
		counts = a.several
	}
	r, err := counts.Report()
	if err != nil {
		return nil, err
	}
	for reason, n := range a.bad.Reasons().Without(a.earlier) {
		if r.BadReasons == nil {
			r.BadReasons = map[string]int64{}
		}
		r.Bad, r.BadReasons[string(reason)] = r.Bad+n, n
	}
	r.UnknownLabels = a.unknown
	r.AddPaths(&a.paths)
	known := func(class metrics.ClassReport) bool { return class.Support > 0 }
	if r.Unknown > 0 && !slices.ContainsFunc(r.PerClass[:len(a.c.Labels())], known) {
		return nil, fmt.Errorf("nbsvm: %s: the model knows none of the labels: %s; its labels are %s; spell the documents' labels the same way, or name the right field with Input.LabelField",
			input, r.DescribeUnknown(), display.Excerpts(a.c.Labels()))
	}
	return r, nil
}

// Comparison tells what quantizing has done to predictions.
type Comparison struct {
	Before  *metrics.Report `json:"before"`
	After   *metrics.Report `json:"after"`
	Changed int             `json:"changed"` // documents whose labels are others
	Largest float64         `json:"largest"` // change of a score

	// Loss is by how much the metric that the task is judged by has fallen: micro_f1
	// where documents have any number of labels, else accuracy.
	Metric string  `json:"metric"`
	Loss   float64 `json:"loss"`
}

// Compare evaluates the classifier and itself, quantized, on a labelled input, which is
// read once.
func (c *Classifier) Compare(ctx context.Context, in corpus.Input, o Options, quantized *Classifier) (*Comparison, error) {
	before, after := newAccumulator(c, in.Bad), newAccumulator(quantized, in.Bad)
	d := Comparison{Metric: metrics.Main(c.MultiLabel())}
	err := c.eachLabelled(ctx, in, o, quantized, func(l *Labelled) {
		before.add(l)
		after.add(l.other)
		if !slices.Equal(l.Labels, l.other.Labels) {
			d.Changed++
		}
		for i, score := range l.Scores {
			d.Largest = max(d.Largest, math.Abs(score-l.other.Scores[i]))
		}
	})
	if err != nil {
		return nil, err
	}
	if d.Before, err = before.report(in.Describe()); err != nil {
		return nil, err
	}
	if d.After, err = after.report(in.Describe()); err != nil {
		return nil, err
	}
	d.Loss = d.Before.Accuracy - d.After.Accuracy
	if c.MultiLabel() {
		d.Loss = d.Before.MicroF1 - d.After.MicroF1
	}
	return &d, nil
}
