package nbsvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// classes maps labels to their numbers.
func (c *Classifier) classes() map[string]int {
	number := make(map[string]int, len(c.Labels()))
	for k, label := range c.Labels() {
		number[label] = k
	}
	return number
}

// weighted is the note about documents with weights.
const weighted = "documents have weights, which are for training: metrics count every document once"

// eachLabelled predicts the documents of a labelled input, which may be packed corpora, and visits them in order. visit
// must not keep its argument, whose memory is used again.
func (c *Classifier) eachLabelled(ctx context.Context, in corpus.Input, o ScoreOptions, visit func(*Judgement)) error {
	if paths, ok, err := dataset.PackedPaths(in); err != nil || ok {
		for _, path := range paths {
			if err := c.eachPacked(ctx, path, in, o, visit); err != nil {
				return err
			}
		}
		return err
	}
	number := c.classes()
	documents, weights, several := 0, false, 0
	read := map[string]bool{} // files that had a good document
	if in.Numbers && !c.Numbers() {
		return errors.New("nbsvm: labels are to be numbers (Input.Numbers), and the model predicts classes: name their field with Input.LabelField")
	}
	in.Numbers = c.Numbers()
	err := c.each(ctx, in, o, func(s *scored, d *corpus.Document, p []Prediction) {
		switch {
		case p == nil:
			return
		case !c.MultiLabel() && c.c.FastText() == nil && len(d.Majority()) > 1:
			d.Err = fmt.Errorf("the record has %d labels, but the model predicts exactly one", len(d.Labels))
			return
		}
		l := Judgement{Path: s.path, Document: d}
		labels := l.wants(c, number, d.Majority())
		l.got(c, labels, s.keep(&p[0]))
		s.kept = append(s.kept, l)
	}, func(s *scored) error {
		if documents += len(s.kept); len(s.kept) > 0 {
			read[s.path] = true
		}
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
		err = fmt.Errorf("nbsvm: %w in %s to evaluate on: is that the right input, and is it complete?",
			corpus.ErrNoDocuments, in.Describe())
	case dataset.CheckClasses(in, read) != nil:
		err = dataset.CheckClasses(in, read)
	case in.Note == nil:
	default:
		if weights && in.WeightField == "" {
			in.Note(in.Describe(), weighted)
		}
		if ft := c.c.FastText(); ft != nil && several > 0 {
			in.Note(in.Describe(), fmt.Sprintf("documents with several labels: %s; metrics compare them with %s; metrics at K compare the K best labels, as fasttext test does",
				display.Count(int64(several)), ft.Decides()))
		}
	}
	return err
}

// numberOf returns the number that a label is, which reading has made sure of.
func numberOf(label []byte) float64 {
	x, _ := strconv.ParseFloat(strings.TrimSpace(string(label)), 64)
	return x
}

// wants sets what should be predicted for a document with these labels, and returns them with those above them, if the
// model predicts these, too.
func (l *Judgement) wants(c *Classifier, number map[string]int, labels [][]byte) [][]byte {
	if c.Numbers() {
		l.Want = append(l.Want, 0)
		l.Number = numberOf(labels[0])
		return labels
	}
	labels = c.c.WithAbove(labels)
	for _, label := range labels {
		k, known := number[string(label)]
		if !known {
			k, l.unknown = metrics.Unknown, append(l.unknown, string(label))
		}
		l.Want = append(l.Want, k)
	}
	return labels
}

// got sets what is predicted for the document, which has these labels.
func (l *Judgement) got(c *Classifier, labels [][]byte, p Prediction) {
	if ft := c.c.FastText(); ft != nil {
		l.decided = ft.Decided(p.Labels, p.Scores)
	}
	if !c.MultiLabel() {
		if len(p.Labels) == 0 {
			p.Labels = append(p.Labels, c.c.Fallback())
		}
		if len(l.Want) == 0 {
			l.Want = append(l.Want, metrics.Unknown)
		}
	}
	q := (*score.Prediction)(&p)
	l.shared, l.wanted, l.predicted = c.c.PathParts(labels, q)
	l.Prediction, l.Odds = p, c.c.Odds(q)
}

// eachPacked visits the documents of a packed corpus.
func (c *Classifier) eachPacked(
	ctx context.Context, path string, in corpus.Input, o ScoreOptions, visit func(*Judgement),
) error {
	ds, err := dataset.Open(path)
	if err != nil {
		return err
	}
	if err = c.suits(path, ds); err == nil && c.Numbers() {
		err = ds.TakeNumbers(path, [2]float64{})
	}
	if err == nil {
		if ds.Weights != nil && in.Note != nil {
			in.Note(path, weighted)
		}
		err = c.eachRow(ctx, path, ds, ds.All(), par.Threads(o.Threads), func(_ int, l *Judgement) { visit(l) })
	}
	return errors.Join(err, ds.Close())
}

// eachRow visits documents of a dataset.
func (c *Classifier) eachRow(
	ctx context.Context, path string, ds *dataset.Dataset, documents *roaring.Bitmap, threads int,
	visit func(doc int, l *Judgement),
) error {
	number := c.classes()
	if err := ds.Classes.List(ctx); err != nil {
		return err
	}
	if minor := ds.Meta.Minor; !minor.IsZero() { // the record is judged by its largest share
		documents = roaring.AndNot(documents, minor.Bitmap)
	}
	l := Judgement{Path: path}
	var labels [][]byte
	return score.PredictRows(ctx, c.c, ds, documents, threads, func(doc int, p *score.Prediction) {
		l.Want, l.unknown, labels = l.Want[:0], l.unknown[:0], labels[:0]
		if numbers := ds.Classes.Numbers; numbers != nil {
			l.Want, l.Number = append(l.Want, 0), numbers[doc]
			l.got(c, nil, Prediction(*p))
			visit(doc, &l)
			return
		}
		for _, k := range ds.Classes.LabelsOf(doc) {
			labels = append(labels, []byte(ds.Classes.Labels[k]))
		}
		labels = l.wants(c, number, labels)
		l.got(c, labels, Prediction(*p))
		visit(doc, &l)
	})
}

// suits refuses a corpus that can't tell what the model would see in its texts.
func (c *Classifier) suits(path string, ds *dataset.Dataset) error {
	meta := &ds.Meta
	if meta.Source != c.c.Model().Meta.Source {
		return fmt.Errorf("nbsvm: %s holds features of type %s, but the model was trained on %s: use a model that was trained on the same type", path, meta.Source, c.c.Model().Meta.Source)
	}
	model, corpus := c.c.Model().Meta.Text, meta.Text
	differing, _, _ := model.Diff(corpus)
	switch {
	case c.TakesFeatures():
	case differing != "":
		return fmt.Errorf("nbsvm: %s was packed with text options that differ from the model's (%s, not %s): pack the documents again with the model's options", path, corpus, model)
	case meta.MinDF > 1:
		return fmt.Errorf("nbsvm: %s lacks the n-grams of fewer than %d documents, which the model may need: pack the documents again with Options.MinDF 1", path, meta.MinDF)
	case c.c.Model().Meta.Values == string(ByWord):
		if meta.Counts {
			return fmt.Errorf("nbsvm: %s records how often n-grams occur, not how many words have them, which the model needs for its by-word values: pack the documents again without Options.Values", path)
		}
	case c.c.Model().Meta.Values != string(Binary) && !meta.Counts:
		return fmt.Errorf("nbsvm: %s does not record how often n-grams occur, which the model needs for its %s values: pack the documents again with Options.Values count", path, c.c.Model().Meta.Values)
	}
	if meta.Multi && !c.MultiLabel() {
		return fmt.Errorf("nbsvm: documents in %s may have several labels, but the model predicts exactly one", path)
	}
	return nil
}

// Evaluate classifies a labelled input and compares the predictions with the labels. A label that the model does not
// know counts as a mistake. The input may be a packed corpus that was packed with the model's Text options and a MinDF
// of 1.
func (c *Classifier) Evaluate(ctx context.Context, in corpus.Input, o ScoreOptions) (*metrics.Report, error) {
	if o.Parts != nil {
		return nil, errors.New("nbsvm: Evaluate classifies whole texts: leave ScoreOptions.Parts out")
	}
	all := newAccumulator(c, in.Bad)
	err := c.eachLabelled(ctx, in, o, func(l *Judgement) {
		all.add(l)
		if o.Judge != nil {
			o.Judge(*l)
		}
	})
	if err != nil {
		return nil, err
	}
	return all.report(in.Describe(), o.Cuts)
}

// evaluateRows predicts documents of a dataset from their rows and computes metrics. It also returns how long the
// predictions took. judge, if not nil, is called for each document, in order.
func (c *Classifier) evaluateRows(
	ctx context.Context, ds *dataset.Dataset, documents *roaring.Bitmap, threads int, judge func(doc int, l *Judgement),
) (*metrics.Report, time.Duration, error) {
	all := newAccumulator(c, nil)
	start := time.Now()
	err := c.eachRow(ctx, ds.Path, ds, documents, threads, func(doc int, l *Judgement) {
		if all.add(l); judge != nil {
			judge(doc, l)
		}
	})
	took := time.Since(start)
	if err != nil {
		return nil, 0, err
	}
	r, err := all.report(ds.Path, nil)
	return r, took, err
}

// microF1 predicts documents of a dataset from their rows, and returns the micro F1, with each document counted by its
// weight. Where documents have one label, it is the accuracy.
func (c *Classifier) microF1(
	ctx context.Context, ds *dataset.Dataset, documents *roaring.Bitmap, weight func(doc int) float64, threads int,
) (float64, error) {
	var right, all float64 // twice the labels that are right, and all that documents have and get
	err := c.eachRow(ctx, ds.Path, ds, documents, threads, func(doc int, l *Judgement) {
		w := weight(doc)
		all += float64(w * float64(len(l.Want)+len(l.Labels)))
		for _, label := range l.Labels {
			if slices.Contains(l.Want, label) {
				right += 2 * w
			}
		}
	})
	return right / max(all, math.SmallestNonzeroFloat64), err
}
