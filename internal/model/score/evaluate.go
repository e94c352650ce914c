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
	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Labelled is a document whose labels are known, with what is predicted for it.
type Labelled struct {
	Path string
	Line int64 // 0 for a document of a packed corpus
	// Want are classes by number, or metrics.Unknown for each label that the model does not know: one, or for a
	// multi-label model any number.
	Want []int
	Text []byte // nil for a document of a packed corpus
	// Parts of the wanted and of the predicted path, and of what they have in common; 0 unless labels are paths.
	Parts PathParts
	Prediction

	Document *corpus.Document // nil for a document of a packed corpus

	unknown []string  // labels that the model does not know
	other   *Labelled // the same with the prediction of another classifier; nil without one
}

// PathParts are the numbers of parts of two paths.
type PathParts struct{ Shared, Wanted, Predicted int }

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
	number := make(map[string]int, len(c.Labels()))
	for k, label := range c.Labels() {
		number[label] = k
	}
	documents, weights := 0, false
	err := c.each(ctx, in, o, func(s *scored, d *corpus.Document, p *Prediction) {
		switch {
		case p == nil:
			return
		case !c.MultiLabel() && len(d.Labels) > 1:
			d.Err = fmt.Errorf("the record has %d labels, but the model predicts exactly one", len(d.Labels))
			return
		}
		l := Labelled{Path: s.path, Line: int64(d.Line), Text: d.Text, Document: d}
		for _, label := range d.Labels {
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
			l.other.got(other, d.Labels, q)
		}
		l.got(c, d.Labels, p.clone())
		s.kept = append(s.kept, l)
	}, func(s *scored) error {
		documents += len(s.kept)
		for i := range s.kept {
			weights = weights || s.kept[i].Document.Weight != 1
			visit(&s.kept[i])
		}
		return nil
	})
	switch {
	case err != nil:
	case documents == 0:
		err = fmt.Errorf("nbsvm: %w in %s to evaluate on: is that the right input, and is it complete?", corpus.ErrNoDocuments, in.Describe())
	case weights && in.WeightField == "" && in.Note != nil:
		in.Note(in.Describe(), weighted)
	}
	return err
}

// got sets what is predicted for the document, which has these labels.
func (l *Labelled) got(c *Classifier, labels [][]byte, p Prediction) {
	if !c.MultiLabel() {
		if len(p.Labels) == 0 {
			p.Labels = append(p.Labels, c.fallback())
		}
		if len(l.Want) == 0 {
			l.Want = append(l.Want, metrics.Unknown)
		}
	}
	l.Parts, l.Prediction = c.pathParts(labels, &p), p
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
		err = c.eachRow(ctx, path, ds, ds.All(), ordered.Threads(o.Threads), visit)
	}
	return errors.Join(err, ds.Close())
}

// eachRow visits documents of a dataset.
func (c *Classifier) eachRow(ctx context.Context, path string, ds *dataset.Dataset, documents *roaring.Bitmap, threads int, visit func(*Labelled)) error {
	number := make([]int, len(ds.Classes.Labels)) // of the dataset's labels in the model
	for k, label := range ds.Classes.Labels {
		number[k] = slices.Index(c.Labels(), label) // or metrics.Unknown
	}
	if err := ds.Classes.List(ctx); err != nil {
		return err
	}
	l := Labelled{Path: path}
	var labels [][]byte
	return PredictRows(ctx, c, ds, documents, threads, func(doc int, p *Prediction) {
		l.Want, l.unknown, labels = l.Want[:0], l.unknown[:0], labels[:0]
		for _, k := range ds.Classes.LabelsOf(doc) {
			label := ds.Classes.Labels[k]
			if number[k] == metrics.Unknown {
				l.unknown = append(l.unknown, label)
			}
			l.Want, labels = append(l.Want, number[k]), append(labels, []byte(label))
		}
		l.got(c, labels, *p)
		visit(&l)
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
		return fmt.Errorf("nbsvm: %s lacks the n-grams of fewer than %d documents, which the model may need: pack the documents again with --min-df 1", path, meta.MinDF)
	case c.m.Meta.Values != binary && !meta.Counts:
		return fmt.Errorf("nbsvm: %s does not record how often n-grams occur, which the model needs for its %s values: pack the documents again with --values count", path, c.m.Meta.Values)
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
	var all accumulator
	err := c.eachLabelled(ctx, in, o, nil, func(l *Labelled) {
		all.add(c, l)
		if o.Judge != nil {
			o.Judge(l)
		}
	})
	if err != nil {
		return nil, err
	}
	return c.report(&all, in.Describe())
}

// EvaluateRows predicts documents of a dataset from their rows, and compares. It tells how long predicting took,
// without computing metrics.
func EvaluateRows(
	ctx context.Context, c *Classifier, ds *dataset.Dataset, documents *roaring.Bitmap, threads int,
) (*metrics.Report, time.Duration, error) {
	var all accumulator
	start := time.Now()
	err := c.eachRow(ctx, ds.Path, ds, documents, threads, func(l *Labelled) { all.add(c, l) })
	took := time.Since(start)
	if err != nil {
		return nil, 0, err
	}
	r, err := c.report(&all, ds.Path)
	return r, took, err
}

// accumulator collects predictions beside what they should have been.
type accumulator struct {
	want, got   []int32   // single-label
	wants, gots [][]int32 // multi-label
	scores      []float64 // per document and label

	paths   metrics.PathCounts // where labels are paths
	unknown map[string]int64   // documents that want each label that the model does not know
}

// mostUnknown is how many of the labels that the model does not know are noted: of a wrong field there may be as many
// as documents.
const mostUnknown = 10_000

// add notes a document.
func (a *accumulator) add(c *Classifier, l *Labelled) {
	for _, label := range l.unknown {
		if a.unknown == nil {
			a.unknown = map[string]int64{}
		}
		if _, noted := a.unknown[label]; noted || len(a.unknown) < mostUnknown {
			a.unknown[label]++
		}
	}
	if parts := l.Parts; parts.Wanted > 0 {
		a.paths.Add(parts.Shared, parts.Wanted, parts.Predicted)
	}
	a.scores = append(a.scores, l.Scores...)
	if c.MultiLabel() {
		a.wants, a.gots = append(a.wants, numbers(l.Want)), append(a.gots, numbers(l.Labels))
		return
	}
	a.want, a.got = append(a.want, int32(l.Want[0])), append(a.got, int32(l.Labels[0]))
}

func numbers(classes []int) []int32 {
	all := make([]int32, len(classes))
	for i, k := range classes {
		all[i] = int32(k)
	}
	return all
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
		return nil, fmt.Errorf("nbsvm: %s: the model knows none of the labels: %s; its labels are %s; spell the documents' labels the same way, or name the right field with --label-field",
			input, r.DescribeUnknown(), wording.Excerpts(c.Labels()))
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
	var before, after accumulator
	d := Comparison{Metric: metrics.Main(c.MultiLabel())}
	err := c.eachLabelled(ctx, in, o, quantized, func(l *Labelled) {
		before.add(c, l)
		after.add(c, l.other)
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
	if d.Before, err = c.report(&before, in.Describe()); err != nil {
		return nil, err
	}
	if d.After, err = quantized.report(&after, in.Describe()); err != nil {
		return nil, err
	}
	d.Loss = d.Before.Accuracy - d.After.Accuracy
	if c.MultiLabel() {
		d.Loss = d.Before.MicroF1 - d.After.MicroF1
	}
	return &d, nil
}
