package tests

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestStops: with documents to stop on, the model is that of the best round or epoch, and training ends when some have
// brought nothing; held-out documents are trained on in the end, for as many as suit them.
func TestStops(t *testing.T) {
	for name, s := range map[string]shape{
		"two classes": small.with(func(s *shape) { s.signal = 0.15 }),
		"four":        small.with(func(s *shape) { s.classes, s.signal = 4, 0.15 }),
		"multi-label": small.with(func(s *shape) { s.classes, s.multi, s.signal = 4, true, 0.15 }),
	} {
		for _, kind := range []nbsvm.Kind{nbsvm.Perceptron, nbsvm.PassiveAggressive, nbsvm.GBDT} {
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				most, says := 50, "mistakes, accuracy 0."
				if kind == nbsvm.GBDT {
					most, says = 200, " of those held out "
				}
				train := func(limit int, change func(*nbsvm.Options)) (*nbsvm.Classifier, *nbsvm.Report, int) {
					c, r := mustTrain(t, s.input(), options(func(o *nbsvm.Options) {
						o.Kind, o.Text.Bits, o.Trees.Depth, o.Trees.Rounds, o.MaxEpochs = kind, 20, 3, limit, limit
					}, change))
					return c, r, len(r.Rounds) + len(r.Epochs)
				}
				var shown []string
				valid := s.input()
				valid.Stdin = nil
				valid.Paths = []string{writeFile(t, "valid.tsv", tsv(s.with(func(s *shape) { s.seed = 77 }).records()))}
				c, report, n := train(most, func(o *nbsvm.Options) {
					o.Valid = &valid
					o.Progress = func(p corpus.Progress) {
						if p.Stage == "solve" {
							shown = append(shown, p.Detail)
						}
					}
				})
				best, patience := -1, 4
				for i, r := range report.Rounds {
					if judged := (i+1)%10 == 0; judged != (r.Held > 0) {
						t.Fatalf("round %d has the loss %v on other documents", i+1, r.Held)
					} else if judged && (best < 0 || r.Held < report.Rounds[best].Held) {
						best, patience = i, 21
					}
				}
				for i, e := range report.Epochs {
					if best < 0 || e.Accuracy > report.Epochs[best].Accuracy {
						best = i
					}
				}
				if n != most && n != best+patience && (kind == nbsvm.GBDT || report.Epochs[n-1].Mistakes > 0) {
					t.Errorf("%d rounds or epochs, the best is number %d", n, best+1)
				}
				if len(shown) != n || !strings.Contains(shown[min(9, n-1)], says) {
					t.Errorf("progress %q of %d rounds or epochs", shown, n)
				}
				if c.MultiLabel() {
					return // thresholds are learned besides, with all rounds
				}
				again, err := c.Evaluate(t.Context(), valid.Again(), nbsvm.ScoreOptions{})
				must.OK(t, err)
				if kind == nbsvm.GBDT {
					if want := report.Rounds[best]; again.Accuracy != want.Accuracy || *again.LogLoss != want.Held {
						t.Errorf("accuracy %v and loss %v, in the best round %+v", again.Accuracy, *again.LogLoss, want)
					}
				} else if want := report.Epochs[best].Accuracy; again.Accuracy != want {
					t.Errorf("accuracy %v, in the best epoch %v", again.Accuracy, want)
				}
				if plain, _, _ := train(best+1, func(*nbsvm.Options) {}); !bytes.Equal(unmade(t, c), unmade(t, plain)) {
					t.Error("the model is not that of the best round or epoch")
				}
				held, _, n := train(most, func(o *nbsvm.Options) { o.HoldOut = 0.2 })
				if plain, _, _ := train(n, func(*nbsvm.Options) {}); !bytes.Equal(unmade(t, held), unmade(t, plain)) {
					t.Error("held-out documents are not trained on for the number of rounds or epochs that suits them")
				}
			})
		}
	}
}
