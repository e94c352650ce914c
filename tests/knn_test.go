package tests

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestNeighboursOracle has scikit-learn 1.2.1's numbers: of TfidfVectorizer(sublinear_tf=…, token_pattern=r"\S+"),
// these are the probabilities of KNeighborsClassifier(k, metric="cosine", algorithm="brute", weights=…) with
// weights "uniform" or lambda d: 1 - d.
func TestNeighboursOracle(t *testing.T) {
	const documents = "a\tthe cat sat on the mat and the cat slept\n" +
		"a\ta cat and a dog sat on a red mat\n" +
		"a\tmy cat likes milk and fish and more milk\n" +
		"b\tthe dog ran after the red ball\n" +
		"b\ta dog and another dog ran to the park\n" +
		"b\tthe park has a red ball and a big dog\n" +
		"c\tstocks fell as banks sold more shares\n" +
		"c\tthe bank bought shares and sold stocks\n" +
		"c\tbig banks like red milk and stocks more\n"
	queries := []string{"the red cat sat on a dog", "banks sold the park", "milk and stocks and fish", "a big red ball", "dog dog dog ran"}
	for _, test := range []struct {
		values nbsvm.Values
		k      int
		want   [5][3]float64
	}{
		{nbsvm.TFIDF, 3, [5][3]float64{
			{0.7566916712, 0.2433083288},
			{0, 0.2735845457, 0.7264154543},
			{0.4906387205, 0, 0.5093612795},
			{0.2953337565, 0.7046662435},
			{0, 1},
		}},
		{nbsvm.TFIDF, 5, [5][3]float64{
			{0.5448184882, 0.4551815118},
			{0.150446844, 0.3610857479, 0.4884674081},
			{0.4189531653, 0.0624862013, 0.5185606334},
			{0.2253659265, 0.607879293, 0.1667547804},
			{0.1372046847, 0.8627953153},
		}},
		{nbsvm.LogTFIDF, 3, [5][3]float64{
			{0.7674973543, 0.2325026457},
			{0, 0.2816064055, 0.7183935945},
			{0.483686552, 0, 0.516313448},
			{0.2731238056, 0.7268761944},
			{0, 1},
		}},
		{nbsvm.LogTFIDF, 5, [5][3]float64{
			{0.5602292651, 0.4397707349},
			{0, 0.3745921627, 0.6254078373},
			{0.4122017178, 0.0586763001, 0.5291219821},
			{0.2066187252, 0.6240369708, 0.169344304},
			{0.1479273256, 0.8520726744},
		}},
	} {
		c, _ := mustTrain(t, input([]byte(documents), corpus.TSV), options(func(o *nbsvm.Options) {
			o.Kind, o.Neighbours, o.Values, o.MinDF = nbsvm.KNN, test.k, test.values, 1
			o.Text.Families[0].NgramLo, o.Text.Families[0].NgramHi = 1, 1
		}))
		s := newScorer(t, c)
		for i, query := range queries {
			p := predict(t, s, query)
			for k, want := range test.want[i] {
				if !near(p.Scores[k], want, 1e-6) {
					t.Errorf("%+v: %q: %v, want %v", test, query, p.Scores, test.want[i])
					break
				}
			}
		}
	}
}

// TestNeighboursOfTraining scores the training documents, and compares with what a plain loop over the rows of the
// matrix finds: all similarities, sorted, and the votes of the first. Documents of which the last to vote and the first
// that does not are about equally similar are passed over: values in models have 32 bits.
func TestNeighboursOfTraining(t *testing.T) {
	for _, s := range []shape{
		small, small.with(func(s *shape) { s.classes = 4 }), small.with(func(s *shape) { s.weights = true }),
	} {
		t.Run(fmt.Sprint(s.classes, s.weights), func(t *testing.T) {
			o := options(func(o *nbsvm.Options) {
				o.Kind, o.Neighbours, o.Values = nbsvm.KNN, 7, nbsvm.TFIDF
				o.ClassWeight.Weights = map[string]float64{"class00": 2}
			})
			in := s.input()
			if s.weights {
				in = weighted(s.records())
			}
			ds := readAll(t, in, &o)
			d, err := inside.LayOut(context.Background(), ds, ds.All(), &o)
			must.OK(t, err)
			m, _ := fitAll(t, ds, d, &o)
			rows := unitRows(d)
			compared := 0
			err = score.PredictRows(context.Background(), score.New(m), ds, ds.All(), 2, func(doc int, p *score.Prediction) {
				query := map[uint32]float64{}
				cols, f := row(d, doc)
				for n, j := range cols {
					query[j] = f[n]
				}
				type found struct {
					doc        int
					similarity float64
				}
				var all []found
				for i, r := range rows {
					x := found{doc: i}
					for j, v := range r {
						x.similarity += v * query[j]
					}
					all = append(all, x)
				}
				slices.SortStableFunc(all, func(a, b found) int {
					if a.similarity > b.similarity {
						return -1
					}
					return 1
				})
				if last, next := all[o.Neighbours-1].similarity, all[o.Neighbours].similarity; last-next <= 1e-4*last {
					return // or fewer are similar at all
				}
				compared++
				shares, sum := make([]float64, s.classes), 0.0
				for _, x := range all[:o.Neighbours] {
					vote := x.similarity
					if ds.Weights != nil {
						vote *= float64(ds.Weights[x.doc])
					}
					k := ds.Classes.LabelsOf(x.doc)[0]
					if ds.Classes.Labels[k] == "class00" {
						vote *= 2
					}
					shares[k], sum = shares[k]+vote, sum+vote
				}
				for k := range shares {
					if !near(p.Scores[k], shares[k]/sum, 1e-4) {
						t.Fatalf("document %d, class %d: %v, want %v", doc, k, p.Scores[k], shares[k]/sum)
					}
				}
			})
			must.OK(t, err)
			if compared < ds.Documents/3 {
				t.Errorf("only %d of %d documents were compared", compared, ds.Documents)
			}
		})
	}
}

// unitRows are the documents of a matrix, of unit length.
func unitRows(d *dataset.Matrix) (rows []map[uint32]float64) {
	for i := range d.Rows() {
		cols, f := row(d, i)
		r, square := map[uint32]float64{}, 0.0
		for _, v := range f {
			square += v * v
		}
		for e, j := range cols {
			r[j] = f[e] / math.Sqrt(square)
		}
		rows = append(rows, r)
	}
	return rows
}
