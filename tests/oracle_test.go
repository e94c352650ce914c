package tests

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// reference is NBSVM for two classes as the paper has it, in maps from n-grams to
// float64: slow, and without a line of the engine but for cutting up the text.
type reference struct {
	n       int
	df      map[string]int
	r, w    map[string]float64 // ratio; trained weights, of x
	mean    float64            // w̄
	b       float64            // the bias feature's part of the margin
	o       nbsvm.Options
	extract *hashing.Extractor
	primal  float64
}

// features are a document's values, before the ratio.
func (m *reference) features(text string) map[string]float64 {
	f := map[string]float64{}
	for _, ngram := range m.extract.Ngrams([]byte(text)) {
		f[string(ngram)]++
	}
	var square float64
	for g, tf := range f {
		switch {
		case m.df[string(g)] < m.o.MinDF || m.o.MaxDF < 1 && float64(m.df[g]) > m.o.MaxDF*float64(m.n):
			delete(f, g)
			continue
		case m.o.Values == nbsvm.Binary:
			tf = 1
		case m.o.Values == nbsvm.LogTFIDF:
			tf = 1 + math.Log(tf)
		}
		if m.o.Values == nbsvm.TFIDF || m.o.Values == nbsvm.LogTFIDF {
			tf *= math.Log(float64(1+m.n)/float64(1+m.df[string(g)])) + 1
		}
		f[string(g)] = tf
		square += tf * tf
	}
	if m.o.Prenormalize && square > 0 {
		for g := range f {
			f[string(g)] /= math.Sqrt(square)
		}
	}
	return f
}

// scaled are the features times the ratio, of unit length if need be.
func (m *reference) scaled(f map[string]float64) map[string]float64 {
	x := map[string]float64{}
	var square float64
	for g, v := range f {
		x[g] = v * m.r[g]
		square += x[g] * x[g]
	}
	if m.o.Normalize && square > 0 {
		for g := range x {
			x[g] /= math.Sqrt(square)
		}
	}
	return x
}

// fitReference trains on documents of two classes, the second of which is positive.
func fitReference(t *testing.T, docs []record, o nbsvm.Options) *reference {
	t.Helper()
	o.Text.Seed = o.Seed
	extract, err := hashing.NewExtractor(o.Text)
	must.OK(t, err)
	m := &reference{n: len(docs), df: map[string]int{}, r: map[string]float64{}, w: map[string]float64{}, o: o, extract: extract}
	for _, d := range docs {
		seen := map[string]bool{}
		for _, ngram := range extract.Ngrams([]byte(d.text)) {
			if !seen[string(ngram)] {
				seen[string(ngram)] = true
				m.df[string(ngram)]++
			}
		}
	}
	p, q := map[string]float64{}, map[string]float64{}
	var rows []map[string]float64
	var y []float64
	for _, d := range docs {
		f := m.features(d.text)
		side, sign := q, -1.0
		if d.label == "class01" {
			side, sign = p, 1
		}
		for g, v := range f {
			side[g] += v
			m.r[g] = 0 // it counts
		}
		rows, y = append(rows, f), append(y, sign)
	}
	var sumP, sumQ float64
	for g := range m.r {
		sumP, sumQ = sumP+p[g], sumQ+q[g]
	}
	alphaP, alphaQ := alphas(&o, sumP, sumQ)
	n := float64(len(m.r))
	for g := range m.r {
		m.r[g] = math.Log((p[g] + alphaP) / (sumP + alphaP*n) / ((q[g] + alphaQ) / (sumQ + alphaQ*n)))
	}
	for i := range rows {
		rows[i] = m.scaled(rows[i])
	}
	m.descend(rows, y)
	return m
}

// descend is Algorithm 1 of Hsieh et al. (2008), without shrinking, for far more
// epochs than it takes.
func (m *reference) descend(rows []map[string]float64, y []float64) {
	rng := rand.New(rand.NewPCG(5, 5))
	alpha := make([]float64, len(rows))
	diagonal, bound := 1/(2*m.o.C), math.Inf(1)
	if m.o.Loss == "hinge" {
		diagonal, bound = 0, m.o.C
	}
	for range 1500 {
		for _, i := range rng.Perm(len(rows)) {
			norm := m.o.Bias*m.o.Bias + diagonal
			for _, v := range rows[i] {
				norm += v * v
			}
			g := y[i]*(m.dot(rows[i])+m.b) - 1 + diagonal*alpha[i]
			next := min(max(alpha[i]-g/norm, 0), bound)
			delta := (next - alpha[i]) * y[i]
			alpha[i] = next
			if delta == 0 {
				continue
			}
			for g, v := range rows[i] {
				m.w[g] += delta * v
			}
			m.b += delta * m.o.Bias * m.o.Bias
		}
	}
	m.primal = 0
	if m.o.Bias > 0 {
		m.primal = m.b * m.b / (m.o.Bias * m.o.Bias) / 2
	}
	var sum float64
	for _, w := range m.w {
		m.primal += w * w / 2
		sum += math.Abs(w)
	}
	m.mean = sum / float64(len(m.r))
	for i, x := range rows {
		xi := max(0, 1-y[i]*(m.dot(x)+m.b))
		if m.o.Loss != "hinge" {
			xi *= xi
		}
		m.primal += m.o.C * xi
	}
}

func (m *reference) dot(x map[string]float64) float64 {
	var sum float64
	for g, v := range x {
		sum += m.w[g] * v
	}
	return sum
}

// margin is (1−beta)·w̄·Σx + beta·(wᵀx + bias), that of interpolated weights.
func (m *reference) margin(text string) float64 {
	sum := m.o.Beta * m.b
	for g, v := range m.scaled(m.features(text)) {
		if _, known := m.r[g]; known {
			sum += ((1-m.o.Beta)*m.mean + m.o.Beta*m.w[g]) * v
		}
	}
	return sum
}

// TestAgainstReference trains on small corpora with both.
func TestAgainstReference(t *testing.T) {
	must.SkipUnderRace(t)
	s := shape{docs: 60, classes: 2, vocabulary: 60, words: 6, signal: 0.3, seed: 11}
	docs := s.records()
	unseen := s.with(func(s *shape) { s.seed = 12 }).records()
	for name, change := range map[string]func(*nbsvm.Options){
		"paper":     func(o *nbsvm.Options) { o.Normalize, o.Beta, o.MinDF = false, 0.25, 1 },
		"unit rows": func(o *nbsvm.Options) { o.Beta, o.MinDF = 0.75, 1 },
		"no bias":   func(o *nbsvm.Options) { o.Bias, o.MinDF, o.C = 0, 2, 0.3 },
		"hinge":     func(o *nbsvm.Options) { o.Loss, o.MinDF, o.C, o.Bias = "hinge", 1, 0.1, 2 },
		"counts":    func(o *nbsvm.Options) { o.Values, o.Alpha, o.MinDF = nbsvm.Count, 0.3, 1 },
		"tf-idf":    func(o *nbsvm.Options) { o.Values, o.Prenormalize, o.MinDF = nbsvm.LogTFIDF, true, 1 },
		"tf-idf, max-df": func(o *nbsvm.Options) {
			o.Values, o.Prenormalize, o.Normalize, o.MaxDF = nbsvm.TFIDF, true, false, 0.25
		},
		"min-df, trigrams": func(o *nbsvm.Options) { o.MinDF, o.Text.Families[0].NgramHi = 3, 3 },
		"characters": func(o *nbsvm.Options) {
			o.Text.Families[0].Tokenizer, o.Text.Families[0].NgramHi, o.MinDF = hashing.Char, 3, 2
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(func(o *nbsvm.Options) {
				o.Tol, o.MaxEpochs, o.Beta, o.MinDF = 1e-6, 5000, 1, 2
				o.Loss, o.Text.Bits = "squared-hinge", 40 // else a few n-grams share a key
			}, change)
			want := fitReference(t, docs, o)
			c, report := mustTrain(t, input(tsv(docs), corpus.Auto), o)
			if report.Features.Selected != uint64(len(want.r)) {
				t.Fatalf("%d features for %d n-grams", report.Features.Selected, len(want.r))
			}
			if got := report.Solution.Primal; !near(got, want.primal, 3e-6) {
				t.Errorf("objective %v, reference %v", got, want.primal)
			}
			s := newScorer(t, c)
			for _, d := range slices.Concat(docs, unseen) {
				// A gap of 1e-6·P leaves ‖w−w*‖ ≤ √(2e-6·P).
				if got, want := predict(t, s, d.text).Margins[0], want.margin(d.text); !near(got, want, 2e-2) {
					t.Errorf("margin %v, reference %v, of %q", got, want, d.text)
				}
			}
		})
	}
}

// TestInterpolatedBias: with rows on disk, too, the bias shrinks as the trained weights do, where they are interpolated.
func TestInterpolatedBias(t *testing.T) {
	for classes, want := range map[int]float64{2: 0.25, 3: 1} {
		s := small.with(func(s *shape) { s.classes = classes })
		biases := func(beta float64) []float64 {
			o := options(func(o *nbsvm.Options) { o.Beta, o.Text.Families = beta, bigrams })
			c, _ := trainFar(t, pack(t, s.input(), o.Pack(), 0), o)
			return modelOf(t, c).Bias
		}
		whole, shrunk := biases(1), biases(0.25)
		for i, b := range whole {
			if b == 0 || shrunk[i] != want*b {
				t.Errorf("%d classes, output %d: the bias is %v with beta 0.25, and %v with beta 1", classes, i, shrunk[i], b)
			}
		}
	}
}
