package score

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// accumulator collects predictions beside what they should have been.
type accumulator struct {
	want, got   []int32   // single-label
	wants, gots [][]int32 // multi-label
	scores      []float64 // per document and label

	paths    metrics.PathCounts // where labels are paths
	unknown  map[string]int64   // documents that want each label that the model does not know
	weighted bool               // some document has a weight
}

// mostUnknown is how many of the labels that the model does not know are noted: of a wrong field there may be as many
// as documents.
const mostUnknown = 10_000

// miss notes a label that the model does not know.
func (a *accumulator) miss(label string, documents int64) {
	if a.unknown == nil {
		a.unknown = map[string]int64{}
	}
	if _, noted := a.unknown[label]; noted || len(a.unknown) < mostUnknown {
		a.unknown[label] += documents
	}
}

func (a *accumulator) append(b accumulator) {
	a.want, a.got = append(a.want, b.want...), append(a.got, b.got...)
	a.wants, a.gots = append(a.wants, b.wants...), append(a.gots, b.gots...)
	a.scores = append(a.scores, b.scores...)
	a.paths.AddAll(&b.paths)
	for _, label := range slices.Sorted(maps.Keys(b.unknown)) {
		a.miss(label, b.unknown[label])
	}
	a.weighted = a.weighted || b.weighted
}

// emptied is an empty accumulator with the memory of this one.
func (a *accumulator) emptied() accumulator {
	return accumulator{want: a.want[:0], got: a.got[:0], wants: a.wants[:0], gots: a.gots[:0], scores: a.scores[:0]}
}

// judgement is the i-th of the documents, with a score for each of so many labels.
func (a *accumulator) judgement(i, labels int) Judgement {
	j := Judgement{Scores: a.scores[i*labels:][:labels]}
	if a.wants != nil {
		j.Want, j.Got = a.wants[i], a.gots[i]
	} else {
		j.Want, j.Got = a.want[i:][:1], a.got[i:][:1]
	}
	return j
}

func (a *accumulator) documents() int { return len(a.want) + len(a.wants) }

// add notes a prediction for a document that carries the labels want.
func (a *accumulator) add(multi bool, want []int32, p *Prediction) {
	a.scores = append(a.scores, p.Scores...)
	if !multi {
		first := int32(-1)
		if len(want) > 0 {
			first = want[0]
		}
		a.want, a.got = append(a.want, first), append(a.got, int32(p.Labels[0]))
		return
	}
	got := make([]int32, len(p.Labels))
	for i, k := range p.Labels {
		got[i] = int32(k)
	}
	a.wants, a.gots = append(a.wants, want), append(a.gots, got)
}

// report computes the metrics of documents of an input. It refuses those of which the model knows no label.
func (c *Classifier) report(a *accumulator, input string) (r *metrics.Report, err error) {
	scores := c.Exact(a.scores)
	var probabilities []float64
	if c.Probabilities() {
		probabilities = scores
	}
	if c.MultiLabel() {
		r, err = metrics.MultiLabel(c.Labels(), a.wants, a.gots, scores, probabilities)
	} else {
		r, err = metrics.MultiClass(c.Labels(), a.want, a.got, scores, probabilities)
	}
	if err != nil {
		return nil, err
	}
	r.UnknownLabels = a.unknown
	r.AddPaths(&a.paths)
	known := func(class metrics.ClassReport) bool { return class.Support > 0 }
	if r.Unknown > 0 && !slices.ContainsFunc(r.PerClass, known) {
		return nil, fmt.Errorf("nbsvm: %s: the model knows none of the labels: %s; its own are %s; write the documents' labels alike, or name their field with --label-field",
			input, r.DescribeUnknown(), dataset.AbbreviateLabels(c.Labels()))
	}
	return r, nil
}

// Evaluate scores a labelled input and compares. A label that the model does not
// know counts as an error of the classifier. The input may be packed corpora, of the
// model's text options and with all their n-grams.
func (c *Classifier) Evaluate(ctx context.Context, in corpus.Input, o Options) (*metrics.Report, error) {
	if paths, ok, err := dataset.PackedPaths(in); err != nil || ok {
		if err != nil {
			return nil, err
		}
		return c.evaluatePacked(ctx, paths, in, o)
	}
	own, _, err := c.accumulate(ctx, in, o, nil)
	if err != nil {
		return nil, err
	}
	return c.report(own, in.Describe())
}

// weighted is what to tell of documents with weights.
const weighted = "documents have weights, which are for training: metrics count every document once"

// accumulate scores a labelled input, also with a baseline if there is one, which must know
// the same features.
func (c *Classifier) accumulate(ctx context.Context, in corpus.Input, o Options, baseline *Classifier) (own, ofBaseline *accumulator, err error) {
	number := make(map[string]int32, len(c.Labels()))
	for k, label := range c.Labels() {
		number[label] = int32(k)
	}
	multi := c.MultiLabel()
	own, ofBaseline = &accumulator{}, &accumulator{}
	o.rows = baseline != nil
	err = c.each(ctx, in, o, func(s *scored, scorer *Scorer, d *corpus.Document, p *Prediction) {
		if p == nil {
			return
		}
		want := make([]int32, 0, 1)
		for _, label := range d.Labels {
			k, ok := number[string(label)]
			if !ok {
				k = metrics.Unknown
				s.own.miss(string(label), 1)
			}
			want = append(want, k)
		}
		s.own.weighted = s.own.weighted || d.Weight != 1
		if !multi && len(d.Labels) > 1 {
			d.Err = &corpus.RecordError{Path: s.path, Line: d.Line, Offset: d.Offset, Err: fmt.Errorf("the record has %d labels, but the model gives one", len(d.Labels))}
			return
		}
		c.needLabel(p)
		s.own.add(multi, want, p)
		c.countPath(&s.own.paths, d.Labels, p)
		if baseline == nil {
			return
		}
		if s.baseline == nil {
			s.baseline = baseline.decider()
		}
		s.baseline.batch.copy(&scorer.batch)
		other := s.baseline.decided()
		s.ofBaseline.add(multi, want, &other)
		baseline.countPath(&s.ofBaseline.paths, d.Labels, &other)
	}, func(s *scored) error {
		if o.Judge != nil {
			judged := 0
			for i := range s.docs {
				if s.docs[i].Err == nil {
					j := s.own.judgement(judged, len(number))
					j.Document = &s.docs[i]
					o.Judge(j)
					judged++
				}
			}
		}
		own.append(s.own)
		ofBaseline.append(s.ofBaseline)
		return nil
	})
	input := in.Describe()
	switch {
	case err != nil:
	case own.documents() == 0:
		err = errors.New("nbsvm: no documents in " + input + " to evaluate on: is that the right input, and is it complete?")
	case own.weighted && in.WeightField == "" && in.Note != nil:
		in.Note(input, weighted)
	}
	return own, ofBaseline, err
}

// evaluatePacked scores the documents of packed corpora, one corpus after the other, and compares.
func (c *Classifier) evaluatePacked(
	ctx context.Context, paths []string, in corpus.Input, o Options,
) (*metrics.Report, error) {
	var all accumulator
	for _, path := range paths {
		ds, err := c.openPacked(path)
		if err != nil {
			return nil, err
		}
		if ds.Weights != nil && in.Note != nil {
			in.Note(path, weighted)
		}
		_, err = accumulateRows(ctx, c, ds, ds.All(), ordered.Threads(0), o.Judge, &all)
		if err = errors.Join(err, ds.Close()); err != nil {
			return nil, err
		}
	}
	return c.report(&all, in.Describe())
}

// openPacked opens a packed corpus that the model can be evaluated on.
func (c *Classifier) openPacked(path string) (*dataset.Dataset, error) {
	ds, err := dataset.Open(path)
	if err != nil {
		return nil, err
	}
	err = c.suits(path, &ds.Meta)
	if err == nil && ds.Meta.Multi && !c.MultiLabel() {
		err = fmt.Errorf("nbsvm: documents of %s have any number of labels, but the model gives one", path)
	}
	if err != nil {
		ds.Close()
		return nil, err
	}
	return ds, nil
}

// EvaluateRows predicts documents of a dataset from their rows, and compares. It tells how long predicting took,
// without computing metrics.
func EvaluateRows(
	ctx context.Context, c *Classifier, ds *dataset.Dataset, documents *roaring.Bitmap, threads int,
) (*metrics.Report, time.Duration, error) {
	var all accumulator
	took, err := accumulateRows(ctx, c, ds, documents, threads, nil, &all)
	if err != nil {
		return nil, 0, err
	}
	r, err := c.report(&all, ds.Path)
	return r, took, err
}

// accumulateRows predicts documents of a dataset, for all to have them, and tells how long that took.
func accumulateRows(
	ctx context.Context, c *Classifier, ds *dataset.Dataset, documents *roaring.Bitmap, threads int,
	judge func(Judgement), all *accumulator,
) (time.Duration, error) {
	number := make([]int32, len(ds.Classes.Labels)) // of the dataset's labels in the model
	for k, label := range ds.Classes.Labels {
		number[k] = int32(slices.Index(c.Labels(), label)) // or metrics.Unknown
	}
	if err := ds.Classes.List(ctx); err != nil {
		return 0, err
	}
	start := time.Now()
	var wanted [][]byte
	err := PredictRows(ctx, c, ds, documents, threads, func(doc int, p *Prediction) {
		want := make([]int32, 0, 1)
		wanted = wanted[:0]
		for _, k := range ds.Classes.LabelsOf(doc) {
			if number[k] == metrics.Unknown {
				all.miss(ds.Classes.Labels[k], 1)
			}
			want, wanted = append(want, number[k]), append(wanted, []byte(ds.Classes.Labels[k]))
		}
		all.add(c.MultiLabel(), want, p)
		c.countPath(&all.paths, wanted, p)
		if judge != nil {
			judge(all.judgement(all.documents()-1, len(c.Labels())))
		}
	})
	return time.Since(start), err
}

// suits refuses a corpus that can't tell what the model would see in its texts.
func (c *Classifier) suits(path string, meta *dataset.Meta) error {
	if meta.Source != c.m.Meta.Source {
		return fmt.Errorf("nbsvm: %s holds features of %s, and the model was trained on %s: take a model that was trained on such features", path, meta.Source, c.m.Meta.Source)
	}
	if c.TakesFeatures() {
		return nil
	}
	model, corpus := c.m.Meta.Text, meta.Text
	switch {
	case model.Diff(corpus) != nil:
		return fmt.Errorf("nbsvm: %s was packed with other text options than the model has (%s, not %s): pack the documents again with the model's", path, corpus, model)
	case meta.MinDF > 1:
		return fmt.Errorf("nbsvm: %s was packed without n-grams of fewer than %d documents, which the model may know: pack the documents again, with --min-df 1", path, meta.MinDF)
	case c.m.Meta.Values != binary && !meta.Counts:
		return fmt.Errorf("nbsvm: %s was packed without how often documents have n-grams, which the model's values, %s, need: pack the documents again, with --values count", path, c.m.Meta.Values)
	}
	return nil
}

// Quantize gives the classifier with weights and ratios of 16 or 8 bits, and what
// rounding has done to them. It shares all else with c, which must not be closed as
// long as it is in use.
func (c *Classifier) Quantize(bits int) (*Classifier, []model.Rounding, error) {
	if err := cmp.Or(c.refuseFastText("quantized"), c.refuseRule("quantized")); err != nil {
		return nil, nil, err
	}
	var quantized *model.Model
	var roundings []model.Rounding
	err := c.guard(func() (err error) {
		quantized, roundings, err = c.m.Quantize(bits)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return newClassifier(quantized, c.file), roundings, nil
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
	before, after, err := c.accumulate(ctx, in, o, quantized)
	if err != nil {
		return nil, err
	}
	input, d := in.Describe(), Comparison{Metric: metrics.Main(c.MultiLabel())}
	if d.Before, err = c.report(before, input); err != nil {
		return nil, err
	}
	if d.After, err = quantized.report(after, input); err != nil {
		return nil, err
	}
	d.Loss = d.Before.Accuracy - d.After.Accuracy
	if c.MultiLabel() {
		d.Loss = d.Before.MicroF1 - d.After.MicroF1
	}
	for i := range before.got {
		if before.got[i] != after.got[i] {
			d.Changed++
		}
	}
	for i := range before.gots {
		if !slices.Equal(before.gots[i], after.gots[i]) {
			d.Changed++
		}
	}
	for i, score := range before.scores {
		d.Largest = max(d.Largest, math.Abs(score-after.scores[i]))
	}
	return &d, nil
}
