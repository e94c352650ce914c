package score

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Labelled is a document whose labels are known, with what is predicted for it.
type Labelled struct {
	Path string
	Line int64  // 0 for a document of a packed corpus
	Text []byte // nil for a document of a packed corpus
	Want []int  // classes by number, or metrics.Unknown for each label that the model does not know
	// Parts of the wanted and of the predicted path, and of what they have in common; 0 unless labels are paths.
	Parts PathParts
	Prediction
}

// PathParts are the numbers of parts of two paths.
type PathParts struct{ Shared, Wanted, Predicted int }

// keptPrediction is a prediction that outlives the scorer's next call. Those of bad records are empty.
type keptPrediction struct {
	want  []int
	parts PathParts
	Prediction
}

// EachLabelled predicts the documents of a labelled input, which may be packed corpora, and visits them in order.
// Of what is visited nothing may be kept: its memory is used again.
func (c *Classifier) EachLabelled(ctx context.Context, in corpus.Input, o Options, visit func(*Labelled)) error {
	if paths, ok, err := dataset.PackedPaths(in); err != nil || ok {
		for _, path := range paths {
			if err := c.eachPacked(ctx, path, o, visit); err != nil {
				return err
			}
		}
		return err
	}
	number := make(map[string]int, len(c.Labels()))
	for k, label := range c.Labels() {
		number[label] = k
	}
	var l Labelled
	visited := false
	err := c.each(ctx, in, o, func(s *scored, _ *Scorer, d *corpus.Document, p *Prediction) {
		if p != nil && !c.MultiLabel() && len(d.Labels) > 1 {
			d.Err = fmt.Errorf("the record has %d labels, but the model gives one", len(d.Labels))
		}
		if p == nil || d.Err != nil {
			s.kept = append(s.kept, keptPrediction{})
			return
		}
		c.needLabel(p)
		var want []int
		for _, label := range d.Labels {
			k, known := number[string(label)]
			if !known {
				k = metrics.Unknown
			}
			want = append(want, k)
		}
		s.kept = append(s.kept, keptPrediction{want, c.pathParts(d.Labels, p), p.clone()})
	}, func(s *scored) error {
		for i := range s.docs {
			d := &s.docs[i]
			if d.Err != nil {
				continue
			}
			visited = true
			kept := &s.kept[i]
			l = Labelled{
				Path: s.path, Line: int64(d.Line), Text: d.Text,
				Want: kept.want, Parts: kept.parts, Prediction: kept.Prediction,
			}
			visit(&l)
		}
		s.kept = s.kept[:0]
		return nil
	})
	if err == nil && !visited {
		err = errors.New("nbsvm: no documents in " + in.Describe() + " to evaluate on")
	}
	return err
}

// eachPacked visits the documents of a packed corpus.
func (c *Classifier) eachPacked(ctx context.Context, path string, o Options, visit func(*Labelled)) error {
	ds, err := c.openPacked(path)
	if err != nil {
		return err
	}
	defer ds.Close()
	number := make([]int, len(ds.Classes.Labels)) // of the dataset's labels in the model
	for k, label := range ds.Classes.Labels {
		number[k] = slices.Index(c.Labels(), label) // or metrics.Unknown
	}
	if err := ds.Classes.List(ctx); err != nil {
		return err
	}
	l := Labelled{Path: path}
	return PredictRows(ctx, c, ds, ds.All(), ordered.Threads(o.Threads), func(doc int, p *Prediction) {
		l.Want, l.Prediction = l.Want[:0], *p
		var wanted [][]byte
		for _, k := range ds.Classes.LabelsOf(doc) {
			l.Want, wanted = append(l.Want, number[k]), append(wanted, []byte(ds.Classes.Labels[k]))
		}
		l.Parts = c.pathParts(wanted, p)
		visit(&l)
	})
}
