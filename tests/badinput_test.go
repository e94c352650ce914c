package tests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

func as(format corpus.Format, text string) corpus.Input { return input([]byte(text), format) }

// TestBadTrainingInput names what is wrong with it. TestWrong of the command has more.
func TestBadTrainingInput(t *testing.T) {
	for name, test := range map[string]struct {
		in   corpus.Input
		o    func(*nbsvm.Options)
		want []string
	}{
		"no input at all":       {corpus.Input{}, nil, []string{"standard input"}},
		"no label":              {func() corpus.Input { in := as(corpus.TSV, "\tsome text\n\tother\n"); in.LabelSep = ","; return in }(), nil, []string{"no document has a label"}},
		"negative features":     {as(corpus.SVMLight, "1 3:-1\n-1 3:2\n"), func(o *nbsvm.Options) { o.AutoKind = false }, []string{"feature 3", "-1", "document 1", "Options.Kind svm"}},
		"tf-idf of features":    {as(corpus.SVMLight, "1 3:1\n-1 3:2\n"), func(o *nbsvm.Options) { o.Values = nbsvm.TFIDF }, []string{"tfidf"}},
		"bnb of counts":         {as(corpus.SVMLight, "1 3:1\n-1 3:2\n"), func(o *nbsvm.Options) { o.Kind = nbsvm.Bernoulli }, []string{"bnb"}},
		"unreadable":            {corpus.Input{Stdin: io.MultiReader(strings.NewReader("a\tb\n"), failing{})}, nil, []string{"disk on fire"}},
		"nothing but bad lines": {as(corpus.JSONL, "{}\n{}\n"), nil, []string{"1"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(func(o *nbsvm.Options) { o.MinDF = 1 })
			if test.o != nil {
				test.o(&o)
			}
			c, _, err := nbsvm.Train(context.Background(), test.in, o)
			if err == nil || c != nil {
				t.Fatalf("%v, classifier %v", err, c)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error %q does not name %q", err, part)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error %q takes several lines", err)
			}
		})
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }

// TestBadRecordsAreLeftOut: what is bad is counted, and changes nothing else.
func TestBadRecordsAreLeftOut(t *testing.T) {
	docs := small.records()
	good := tsv(docs)
	spoilt := append(bytes.Clone(good[:lineStart(good, 2000)]), "nonsense without a tab\n"...)
	spoilt = append(spoilt, good[lineStart(good, 2000):]...)
	for name, change := range variants() {
		bad, err := corpus.NewBadRecords("skip", nil)
		must.OK(t, err)
		o := options(change)
		want, _ := mustTrain(t, input(good, corpus.TSV), o)
		in := input(spoilt, corpus.TSV)
		in.Bad = bad
		got, report := mustTrain(t, in, o)
		if report.Bad != 1 || report.Documents != len(docs) {
			t.Errorf("%s: %d documents, %d bad", name, report.Documents, report.Bad)
		}
		a, b := newScorer(t, want), newScorer(t, got)
		for _, d := range docs[:50] {
			if p, q := predict(t, a, d.text), predict(t, b, d.text); fmt.Sprint(p) != fmt.Sprint(q) {
				t.Fatalf("%s: %v without the bad record, %v with it", name, p, q)
			}
		}
	}
}

// TestScoringKeepsBadRecords: one row out for each row in.
func TestScoringKeepsBadRecords(t *testing.T) {
	c, _ := mustTrain(t, small.input(), options())
	bad, err := corpus.NewBadRecords("skip", nil)
	must.OK(t, err)
	in := as(corpus.JSONL, `{"text":"w1 w2"}`+"\n{nonsense\n"+`{"text":"w3"}`+"\n")
	in.Unlabelled, in.Bad = true, bad
	var out bytes.Buffer
	stats, err := c.Score(context.Background(), in, nbsvm.ScoreOptions{}, func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
		return fmt.Appendln(dst, d.Line, p != nil, d.Err == nil)
	}, &out)
	must.OK(t, err)
	if want := "1 true true\n2 false false\n3 true true\n"; out.String() != want || stats.Bad != 1 || stats.Documents != 3 || bad.Count() != 1 {
		t.Errorf("rows %q, stats %+v, %d bad", out.String(), stats, bad.Count())
	}
}

// TestScoringFailsAtBadRecord where nothing else is asked for.
func TestScoringFailsAtBadRecord(t *testing.T) {
	c, _ := mustTrain(t, small.input(), options())
	strict, err := corpus.NewBadRecords("fail", nil)
	must.OK(t, err)
	for _, bad := range []*corpus.BadRecords{nil, strict} {
		in := as(corpus.JSONL, `{"text":"w1 w2"}`+"\n{nonsense\n")
		in.Unlabelled, in.Bad = true, bad
		_, err := c.Score(context.Background(), in, nbsvm.ScoreOptions{}, render, io.Discard)
		if record := (*corpus.RecordError)(nil); !errors.As(err, &record) || record.Line != 2 {
			t.Errorf("a bad record in line 2: %v", err)
		}
	}
}

// TestWrongKindOfInput: text for a model of features, and the other way round.
func TestWrongKindOfInput(t *testing.T) {
	ctx := context.Background()
	features := "1 3:1 5:1\n-1 4:1 5:1\n1 3:1\n-1 4:1\n"
	text, _ := mustTrain(t, small.input(), options())
	ready, report := mustTrain(t, as(corpus.SVMLight, features), options())
	if !ready.TakesFeatures() || text.TakesFeatures() || report.Options.Values != nbsvm.Count {
		t.Fatal("kinds are mixed up")
	}
	if _, err := text.Evaluate(ctx, as(corpus.SVMLight, features), nbsvm.ScoreOptions{}); err == nil || !strings.Contains(err.Error(), "give text, or") {
		t.Errorf("features for a model of text: %v", err)
	}
	if _, err := ready.Evaluate(ctx, small.input(), nbsvm.ScoreOptions{}); err == nil || !strings.Contains(err.Error(), "give ready-made features") {
		t.Errorf("text for a model of features: %v", err)
	}
	s := newScorer(t, ready)
	if _, err := s.Predict([]byte("text")); err == nil {
		t.Error("Predict takes text with a model of features")
	}
	if _, err := s.PredictFeatures([]byte("3:1 x")); err == nil {
		t.Error("PredictFeatures takes nonsense")
	}
	if _, err := newScorer(t, text).PredictFeatures([]byte("3:1")); err == nil {
		t.Error("PredictFeatures takes features with a model of text")
	}
	p, err := s.PredictFeatures([]byte("3:1 77:5"))
	if err != nil || ready.Labels()[p.Labels[0]] != "1" {
		t.Errorf("feature 3: %v, %v", p, err)
	}
	if e := strongest(t, ready, 1); e[1].Features[0].Name != "feature 3" {
		t.Errorf("explanation %+v", e)
	}
}

// TestUnknownLabels count as errors of the classifier, for one label and for many.
func TestUnknownLabels(t *testing.T) {
	ctx := context.Background()
	docs := small.records()
	c, _ := mustTrain(t, small.input(), options(func(o *nbsvm.Options) { o.MinDF = 1 }))
	all, err := c.Evaluate(ctx, input(tsv(docs), corpus.TSV), nbsvm.ScoreOptions{})
	must.OK(t, err)
	half := len(docs) / 2
	for i := range docs[:half] {
		docs[i].label = "unheard of"
	}
	report, err := c.Evaluate(ctx, input(tsv(docs), corpus.TSV), nbsvm.ScoreOptions{})
	must.OK(t, err)
	if all.Unknown != 0 || report.Unknown != int64(half) || report.N != len(docs) || report.Accuracy > 0.5 || all.Accuracy < 0.9 {
		t.Errorf("accuracy %v, and with %d of %d labels unknown %v; %d counted", all.Accuracy, half, len(docs), report.Accuracy, report.Unknown)
	}
	if last := report.PerClass[len(report.PerClass)-1]; len(report.PerClass) != 3 || last.Label != "unheard of" || last.Support != int64(half) {
		t.Errorf("the unknown label is missing: %+v", report.PerClass)
	}
	if sum := report.PerClass[0].F1 + report.PerClass[1].F1; !near(report.MacroF1, sum/3, 1e-12) || len(report.Confusion) != 3 {
		t.Errorf("macro F1 is %v, want a third of %v", report.MacroF1, sum)
	}

	s := small.with(func(s *shape) { s.classes, s.multi = 3, true })
	c, _ = mustTrain(t, s.input(), options())
	docs = s.records()
	before, err := c.Evaluate(ctx, s.input(), nbsvm.ScoreOptions{})
	must.OK(t, err)
	for i := range docs {
		docs[i].label = strings.Trim(docs[i].label+",unheard of", ",")
	}
	in := s.input()
	in.Stdin = bytes.NewReader(tsv(docs))
	report, err = c.Evaluate(ctx, in, nbsvm.ScoreOptions{})
	must.OK(t, err)
	if report.Accuracy != 0 || report.Unknown != int64(len(docs)) || report.MicroF1 >= before.MicroF1 {
		t.Errorf("a label more each: accuracy %v, micro F1 %v (%v before), %d unknown", report.Accuracy, report.MicroF1, before.MicroF1, report.Unknown)
	}
}

// TestBadEvaluation names what is wrong.
func TestBadEvaluation(t *testing.T) {
	ctx := context.Background()
	c, _ := mustTrain(t, small.input(), options())
	if _, err := c.Evaluate(ctx, as(corpus.TSV, ""), nbsvm.ScoreOptions{}); err == nil || !strings.Contains(err.Error(), "no documents") {
		t.Errorf("nothing to evaluate on: %v", err)
	}
	two := as(corpus.TSV, "class00,class01\tw1 w2\n")
	two.LabelSep = ","
	if _, err := c.Evaluate(ctx, two, nbsvm.ScoreOptions{}); err == nil || !strings.Contains(err.Error(), "2 labels") {
		t.Errorf("two labels: %v", err)
	}
	if _, err := nbsvm.CrossValidate(ctx, small.input(), options(), 1); err == nil || !strings.Contains(err.Error(), "folds must be 2 or more, got 1") {
		t.Errorf("one fold: %v", err)
	}
	if _, err := nbsvm.CrossValidate(ctx, small.input(), options(func(o *nbsvm.Options) { o.C = -1 }), 3); err == nil {
		t.Error("cross-validation accepts what training refuses")
	}
	if _, err := nbsvm.CrossValidate(ctx, as(corpus.TSV, "a\tb\nc\td\n"), options(), 3); err == nil || !strings.Contains(err.Error(), "3 folds") {
		t.Errorf("more folds than documents: %v", err)
	}
}
