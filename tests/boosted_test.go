package tests

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestBoostedStops: with documents to stop on, the trees are those up to the best round, and documents that were held
// out are trained on in the end.
func TestBoostedStops(t *testing.T) {
	for name, s := range map[string]shape{
		"two classes": small.with(func(s *shape) { s.signal = 0.15 }),
		"four":        small.with(func(s *shape) { s.classes, s.signal = 4, 0.15 }),
		"multi-label": small.with(func(s *shape) { s.classes, s.multi, s.signal = 4, true, 0.15 }),
	} {
		t.Run(name, func(t *testing.T) {
			o := options(func(o *nbsvm.Options) {
				o.Kind, o.Trees.Rounds, o.Trees.Depth = nbsvm.GBDT, 200, 3
			})
			var shown []string
			o.Progress = func(p corpus.Progress) {
				if p.Stage == "solve" {
					shown = append(shown, p.Detail)
				}
			}
			path := writeFile(t, "valid.tsv", tsv(s.with(func(s *shape) { s.seed = 77 }).records()))
			valid := s.input()
			valid.Documents, valid.Paths, valid.Stdin = nil, []string{path}, nil
			o.Valid = &valid
			c, report := mustTrain(t, s.input(), o)
			best := -1
			for i, r := range report.Rounds {
				if judged := (i+1)%10 == 0; judged != (r.Held > 0) {
					t.Fatalf("round %d has the loss %v on other documents", i+1, r.Held)
				} else if judged && (best < 0 || r.Held < report.Rounds[best].Held) {
					best = i
				}
			}
			if n := len(report.Rounds); n != 200 && n != best+1+20 {
				t.Errorf("%d rounds, the best is number %d", n, best+1)
			}
			if len(shown) != len(report.Rounds) || !strings.HasPrefix(shown[9], "loss ") || !strings.Contains(shown[9], "of those held out ") {
				t.Errorf("progress %q of %d rounds", shown, len(report.Rounds))
			}
			if c.MultiLabel() {
				return // thresholds are learned besides, with all rounds
			}
			again, err := c.Evaluate(t.Context(), valid.Again(), nbsvm.ScoreOptions{})
			must.OK(t, err)
			if want := report.Rounds[best]; again.Accuracy != want.Accuracy || *again.LogLoss != want.Held {
				t.Errorf("accuracy %v and loss %v, in the best round %+v", again.Accuracy, *again.LogLoss, want)
			}
			o.Valid, o.Progress, o.Trees.Rounds = nil, nil, best+1
			plain, _ := mustTrain(t, s.input(), o)
			if !bytes.Equal(unmade(t, c), unmade(t, plain)) {
				t.Error("trees are not those up to the best round")
			}

			o.Trees.Rounds, o.HoldOut = 200, 0.2
			held, report := mustTrain(t, s.input(), o)
			if o.Trees.Rounds, o.HoldOut = len(report.Rounds), 0; o.Trees.Rounds == 200 {
				t.Error("held-out documents don't end training")
			}
			plain, _ = mustTrain(t, s.input(), o)
			if !bytes.Equal(unmade(t, held), unmade(t, plain)) {
				t.Error("held-out documents are not trained on for the number of rounds that suits them")
			}
		})
	}
}

// TestBoostedEnds: where there is nothing more to learn, training ends, and the trees so far are kept.
func TestBoostedEnds(t *testing.T) {
	docs := []byte(strings.Repeat("good\tfine\nbad\tpoor\n", 100))
	in, valid := input(docs, corpus.TSV), input(nil, corpus.TSV)
	valid.Paths, valid.Stdin = []string{writeFile(t, "valid.tsv", docs)}, nil
	c, report := mustTrain(t, in, options(func(o *nbsvm.Options) {
		o.Kind, o.Trees.Rate, o.Valid = nbsvm.GBDT, 1, &valid
	}))
	last := report.Rounds[len(report.Rounds)-1]
	if n := len(report.Rounds); n%10 != 0 || n > 100 || last.Accuracy != 1 || last.Held == 0 {
		t.Errorf("%d rounds, the last of which is %+v", n, last)
	}
	again, err := c.Evaluate(t.Context(), valid.Again(), nbsvm.ScoreOptions{})
	if err != nil || again.Accuracy != 1 || *again.LogLoss != last.Held {
		t.Errorf("accuracy %v and loss %v, %v, in the last round %+v", again.Accuracy, *again.LogLoss, err, last)
	}
}

// TestBoostedExplanations: contributions, those of absent features among them, add up to the margin; the features of
// the model are those that it splits on.
func TestBoostedExplanations(t *testing.T) {
	for name, s := range map[string]shape{
		"two classes": small, "four": small.with(func(s *shape) { s.classes = 4 }),
		"multi-label": small.with(func(s *shape) { s.classes, s.multi = 4, true }),
	} {
		for _, values := range []nbsvm.Values{nbsvm.Binary, nbsvm.TFIDF} {
			o := options(func(o *nbsvm.Options) {
				o.Kind, o.Values, o.Trees.Rounds, o.Prenormalize = nbsvm.GBDT, values, 20, values == nbsvm.TFIDF
			})
			c, report := mustTrain(t, s.input(), o)
			if rows := modelOf(t, c).Keys.Size(); values == nbsvm.Binary && rows >= int(report.Features.Selected) {
				t.Errorf("%s: the model has %d rows of %d features", name, rows, report.Features.Selected)
			}
			scorer, absent := newScorer(t, c), 0
			for _, d := range s.records()[:20] {
				for _, top := range []int{3, math.MaxInt} {
					x, err := scorer.ExplainTop([]byte(d.text), top)
					must.OK(t, err)
					sum := x.Bias + x.OthersMargin
					for _, f := range x.Contributions {
						sum += f.Margin
						if f.Absent {
							absent++
						}
						if f.Absent == (f.Value > 0) || f.Absent && strings.Contains(" "+d.text+" ", " "+f.Name+" ") {
							t.Errorf("%s: %+v in %q", name, f, d.text)
						}
					}
					if !near(sum, x.Margin, 1e-6) {
						t.Errorf("%s: contributions add up to %v, the margin is %v", name, sum, x.Margin)
					}
				}
			}
			if absent == 0 {
				t.Errorf("%s: no feature that is absent contributes", name)
			}
			lists, err := c.Explain(5)
			must.OK(t, err)
			for _, list := range lists {
				for _, f := range list.Features {
					if f.Splits == 0 || f.Gain < f.Weight || f.Weight <= 0 || f.Cover <= 0 || f.Name == "" {
						t.Errorf("%s: %s has %+v", name, list.Label, f)
					}
				}
				if !slices.IsSortedFunc(list.Features, func(a, b explain.Feature) int { return int(math.Copysign(1, b.Weight-a.Weight)) }) {
					t.Errorf("%s: %s has %+v", name, list.Label, list.Features)
				}
			}
			if !strings.Contains(inner(t, c).Trees(), "trees") && !strings.Contains(inner(t, c).Trees(), "leaves") {
				t.Errorf("described as %q", inner(t, c).Trees())
			}
		}
	}
}

// TestBoostedRecord: the record of a model of trees has their options, and that of others has none.
func TestBoostedRecord(t *testing.T) {
	for _, kind := range nbsvm.Kinds() {
		o := options(func(o *nbsvm.Options) { o.Kind, o.Trees.Rounds, o.Trees.Rate = kind, 3, 0.25 })
		c, _ := mustTrain(t, small.input(), o)
		var made struct {
			Options map[string]any `json:"options"`
			Rounds  []nbsvm.Round  `json:"rounds"`
		}
		must.OK(t, json.Unmarshal(modelOf(t, c).Meta.Made, &made))
		if trees, ok := made.Options["trees"].(map[string]any); ok != (kind == nbsvm.GBDT) || ok && (trees["rate"] != 0.25 || len(made.Rounds) != 3) {
			t.Errorf("%s: %v, %d rounds", kind, made.Options["trees"], len(made.Rounds))
		}
	}
}
