package metrics

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

func regressionOf(t testing.TB, want, got []float64, cuts ...float64) *RegressionReport {
	t.Helper()
	a := new(Regression)
	for i := range want {
		must.OK(t, a.Add(want[i], got[i]))
	}
	r, err := a.Report(cuts...)
	must.OK(t, err)
	return r
}

// python computes a report by scikit-learn, SciPy and NumPy.
const python = `
import json, sys, warnings
import numpy as np
from scipy import stats
from sklearn import metrics as m
warnings.simplefilter("ignore")

def calibration(y, p):
    bins = np.floor((stats.rankdata(p) - 0.5) * 10 / len(p) + 1e-9).astype(int)
    return [[int((bins == b).sum()), p[bins == b].mean(), y[bins == b].mean()] for b in np.unique(bins)]

def kappa(y, p, step):
    levels = np.unique(y)
    q = levels[np.searchsorted((levels[1:] + levels[:-1]) / 2, p, side="right")]
    whole = lambda x: np.rint((x - levels[0]) / step).astype(int)
    return m.cohen_kappa_score(whole(y), whole(q), weights="quadratic", labels=np.arange(whole(levels)[-1] + 1))

out = []
for case in json.load(sys.stdin):
    y, p, cut = np.array(case["Want"]), np.array(case["Got"]), case["Cut"]
    varied = len(np.unique(y)) > 1 and len(np.unique(p)) > 1
    scale = max(abs(y).max(), abs(p).max()) or 1
    r = {
        "mae": m.mean_absolute_error(y, p),
        "rmse": m.mean_squared_error(y / scale, p / scale, squared=False) * scale,
        "r2": m.r2_score(y / scale, p / scale) if len(y) > 1 else None,
        "pearson": stats.pearsonr(y / abs(y).max(), p / abs(p).max())[0] if varied else None,
        "spearman": stats.spearmanr(y, p)[0] if varied else None,
        "kendall": stats.kendalltau(y, p, variant="b")[0] if varied else None,
        "quadratic_kappa": kappa(y, p, case["Step"]) if case["Step"] and len(np.unique(y)) > 1 else None,
        "calibration": calibration(y, p),
    }
    w, k = y >= cut, p >= cut
    both = 0 < w.sum() < len(w)
    r["cut"] = [
        m.f1_score(w, k, zero_division=0), m.recall_score(w, k, zero_division=0) if w.any() else None,
        m.precision_score(w, k) if k.any() else None, k.mean(), m.roc_auc_score(w, p) if both else None,
        m.average_precision_score(w, p) if w.any() else None]
    out.append(r)
json.dump(out, sys.stdout)`

type regressionCase struct {
	Name      string
	Want, Got []float64
	Cut, Step float64 // Step is the least distance of levels; 0 for none
}

// regressionCases are of few levels and of many, of any size, and with few and many ties.
func regressionCases() []regressionCase {
	cases := []regressionCase{
		{"one", []float64{3}, []float64{2.5}, 3, 1},
		{"two, wrong order", []float64{0, 1}, []float64{1, 0.5}, 1, 1},
		{"two, right order", []float64{0, 1}, []float64{-3, 9}, 1, 1},
		{"all wanted equal", []float64{2, 2, 2}, []float64{1, 2, 3}, 2, 1},
		{"all wanted equal, no error", []float64{2, 2, 2}, []float64{2, 2, 2}, 3, 1},
		{"all predictions equal", []float64{1, 2, 3}, []float64{2, 2, 2}, 2, 1},
		{"halves, and beyond the ends", []float64{0, 1, 4, 4, 0, 1}, []float64{0.5, 2.5, 9, 2.4, -7, 0.4}, 1, 1},
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		n := 2 + r.IntN(200)
		c := regressionCase{Name: fmt.Sprint(i), Cut: 3}
		scale := []float64{1, 1, 0x1p100, 0x1p-100, 0x1p532, 0x1p-660}[i%6]
		levels := []float64{0, 1, 2, 3, 4, 5, 7, 12}[:2+r.IntN(7)]
		for range n {
			want := levels[r.IntN(len(levels))]
			if i%5 == 4 {
				want = 5 * r.Float64()
			}
			got := want + r.NormFloat64()*float64(i%4)
			if i%3 > 0 {
				got = math.Round(2*got) / 2
			}
			c.Want, c.Got = append(c.Want, want*scale), append(c.Got, got*scale)
		}
		if c.Cut *= scale; i%5 != 4 {
			c.Step = scale
		}
		cases = append(cases, c)
	}
	return cases
}

// TestRegression compares with scikit-learn and SciPy.
func TestRegression(t *testing.T) {
	must.SkipUnderRace(t)
	cases := regressionCases()
	var all []struct {
		MAE, RMSE                      float64
		R2, Pearson, Spearman, Kendall *float64
		Kappa                          *float64 `json:"quadratic_kappa"`
		Calibration                    [][3]float64
		Cut                            []*float64
	}
	testkit.Python(t, "sklearn", python, cases, &all)
	if len(all) != len(cases) {
		t.Fatalf("%d answers to %d cases", len(all), len(cases))
	}
	for i, want := range all {
		c := cases[i]
		r := regressionOf(t, c.Want, c.Got, c.Cut)
		near := func(what string, got, want *float64) {
			t.Helper()
			if (got == nil) != (want == nil) || got != nil && !(math.Abs(*got-*want) <= 1e-9*math.Abs(*want)+1e-12) {
				t.Errorf("%s: %s is %s, want %s", c.Name, what, shown(got), shown(want))
			}
		}
		if math.Abs(r.MAE-want.MAE) > 1e-12*want.MAE || math.Abs(r.RMSE-want.RMSE) > 1e-12*want.RMSE {
			t.Errorf("%s: errors %v and %v, want %v and %v", c.Name, r.MAE, r.RMSE, want.MAE, want.RMSE)
		}
		near("R2", r.R2, want.R2)
		near("Pearson", r.Pearson, want.Pearson)
		near("Spearman", r.Spearman, want.Spearman)
		near("Kendall", r.Kendall, want.Kendall)
		if c.Step > 0 {
			near("kappa", r.QuadraticKappa, want.Kappa)
		}
		if len(r.Calibration) != len(want.Calibration) {
			t.Errorf("%s: calibration %v, want %v", c.Name, r.Calibration, want.Calibration)
			continue
		}
		for b, bin := range r.Calibration {
			near("calibration", new(float64(bin.N)), &want.Calibration[b][0])
			near("calibration", &bin.MeanPredicted, &want.Calibration[b][1])
			near("calibration", &bin.MeanWanted, &want.Calibration[b][2])
		}
		cut := r.Cuts[0]
		for k, got := range []*float64{&cut.F1, cut.Recall, cut.Precision, &cut.Share, cut.ROCAUC, cut.PRAUC} {
			near(fmt.Sprint("cut ", k), got, want.Cut[k])
		}
	}
}

func shown(v *float64) string {
	if v == nil {
		return "undefined"
	}
	return fmt.Sprint(*v)
}

// TestRegressionByCounting compares what is about pairs and levels with loops over them.
func TestRegressionByCounting(t *testing.T) {
	for _, c := range regressionCases() {
		r := regressionOf(t, c.Want, c.Got)
		var concordant, discordant, wantOnly, gotOnly float64
		for i := range c.Want {
			for j := range i {
				w, g := cmp3(c.Want[i], c.Want[j]), cmp3(c.Got[i], c.Got[j])
				switch {
				case w*g > 0:
					concordant++
				case w*g < 0:
					discordant++
				case w != 0:
					gotOnly++
				case g != 0:
					wantOnly++
				}
			}
		}
		tau := (concordant - discordant) / math.Sqrt((concordant+discordant+wantOnly)*(concordant+discordant+gotOnly))
		share := (concordant + gotOnly/2) / (concordant + discordant + gotOnly)
		for _, v := range []struct {
			what string
			got  *float64
			want float64
		}{{"tau", r.Kendall, tau}, {"concordance", r.Concordance, share}} {
			if (v.got == nil) != math.IsNaN(v.want) || v.got != nil && math.Abs(*v.got-v.want) > 1e-14 {
				t.Errorf("%s: %s is %s, want %v", c.Name, v.what, shown(v.got), v.want)
			}
		}
		levels := slices.Compact(slices.Sorted(slices.Values(c.Want)))
		if len(levels) > mostLevels {
			if r.Levels != nil || r.QuadraticKappa != nil {
				t.Errorf("%s: levels of %d numbers", c.Name, len(levels))
			}
			continue
		}
		if len(levels) != len(r.Levels) {
			t.Fatalf("%s: %d levels, want %d", c.Name, len(r.Levels), len(levels))
		}
		for k, level := range levels {
			var n, sum, missed, nearest float64
			for i, want := range c.Want {
				if want != level {
					continue
				}
				n++
				sum += c.Got[i]
				missed += math.Abs(c.Got[i] - want)
				if !slices.ContainsFunc(levels, func(other float64) bool {
					a, b := math.Abs(c.Got[i]-other), math.Abs(c.Got[i]-level)
					return a < b || a == b && other > level
				}) {
					nearest++
				}
			}
			got := r.Levels[k]
			if got.Wanted != level || float64(got.N) != n || math.Abs(got.MeanPredicted-sum/n) > 1e-12*math.Abs(sum/n) ||
				math.Abs(got.MAE-missed/n) > 1e-12*missed/n || math.Abs(got.Nearest*n-nearest) > 1e-9 && c.Step > 0 {
				t.Errorf("%s: level %+v, want %v documents, sum %v, errors %v, %v nearest", c.Name, got, n, sum, missed, nearest)
			}
		}
	}
}

// TestHistograms counts what lies between the edges of bins, beyond which the outer ones go on.
func TestHistograms(t *testing.T) {
	far := regressionCase{Name: "far off", Want: []float64{0, 1, 2, 2}, Got: []float64{0, 1, 1e9, -1e9}}
	fine := regressionCase{Name: "41 levels"}
	for k := range 41 {
		fine.Want, fine.Got = append(fine.Want, float64(k)), append(fine.Got, float64(k%3))
	}
	for _, c := range append(regressionCases(), far, fine) {
		r := regressionOf(t, c.Want, c.Got)
		within := func(x, low, high float64, k, bins int) bool {
			edge := func(k int) float64 { return low + (high-low)*float64(k)/float64(bins) }
			near := (high - low) * 1e-12
			return (k == 0 || x >= edge(k)-near) && (k == bins-1 || x <= edge(k+1)+near)
		}
		// check compares with the least and the most numbers that can be in each bin, which differ by those at edges.
		check := func(what string, h Histogram, numbers []float64) {
			t.Helper()
			sum := int64(0)
			for k, n := range h.Counts {
				inside := int64(0)
				for _, x := range numbers {
					if within(x, h.Low, h.High, k, len(h.Counts)) {
						inside++
					}
				}
				if sum += n; n > inside {
					t.Errorf("%s: %s, bin %d: %d of %d", c.Name, what, k, n, inside)
				}
			}
			if sum != int64(len(numbers)) || len(h.Counts) != mostBins && h.Low < h.High {
				t.Errorf("%s: %s: %d of %d in %d bins", c.Name, what, sum, len(numbers), len(h.Counts))
			}
		}
		var missed []float64
		for i := range c.Want {
			missed = append(missed, c.Got[i]-c.Want[i])
		}
		check("residuals", r.Residuals, missed)
		documents := 0
		for k, column := range r.Density {
			var of []float64
			for i, want := range c.Want {
				if next := k + 1; want >= column.From && (want <= column.To && next == len(r.Density) ||
					want < column.To || want == column.From) {
					of = append(of, c.Got[i])
				}
			}
			documents += len(of)
			check(fmt.Sprint("column ", k), column.Histogram, of)
		}
		levels := len(slices.Compact(slices.Sorted(slices.Values(c.Want))))
		if documents != len(c.Want) || len(r.Density) != min(levels, mostBins) {
			t.Errorf("%s: %d documents in %d columns, %d levels", c.Name, documents, len(r.Density), levels)
		}
		if c.Name == far.Name && (r.Density[0].Low != -2 || r.Density[0].High != 4 || r.Residuals.High != 2) {
			t.Errorf("%s: %+v, residuals %+v", c.Name, r.Density[0], r.Residuals)
		}
	}
}

func cmp3(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// TestRegressionOrder: documents in another order, and another scale of powers of two, give the same report.
func TestRegressionOrder(t *testing.T) {
	for _, c := range regressionCases() {
		before := regressionOf(t, c.Want, c.Got, c.Cut)
		r := rand.New(rand.NewPCG(3, 4))
		r.Shuffle(len(c.Want), func(i, j int) {
			c.Want[i], c.Want[j], c.Got[i], c.Got[j] = c.Want[j], c.Want[i], c.Got[j], c.Got[i]
		})
		if after := regressionOf(t, c.Want, c.Got, c.Cut); !reflect.DeepEqual(after, before) {
			t.Errorf("%s: in another order %+v, before %+v", c.Name, after, before)
		}
		for i := range c.Want {
			c.Want[i], c.Got[i] = c.Want[i]*0x1p50, c.Got[i]*0x1p50
		}
		after := regressionOf(t, c.Want, c.Got)
		for key, v := range after.Values() {
			for k, was := range before.Values() {
				if k == key && key != "mae" && key != "rmse" && shown(v) != shown(was) {
					t.Errorf("%s: %s is %s times 2^50, and %s before", c.Name, key, shown(v), shown(was))
				}
			}
		}
	}
}

func TestRegressionRefuses(t *testing.T) {
	a := new(Regression)
	if _, err := a.Report(); err == nil {
		t.Error("a report of no documents")
	}
	must.OK(t, a.Add(1, 1))
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 2e300} {
		for _, err := range []error{a.Add(x, 0), a.Add(0, x)} {
			if err == nil || !strings.Contains(err.Error(), "document 1") {
				t.Errorf("%v: %v", x, err)
			}
		}
	}
	if _, err := a.Report(1, math.NaN()); err == nil {
		t.Error("a cut that is not a number")
	}
	must.OK(t, a.Add(-1e300, 1e300))
	r, err := a.Report()
	must.OK(t, err)
	if _, err := json.Marshal(r); err != nil || r.RMSE > 2e300 || r.N != 2 {
		t.Errorf("%+v: %v", r, err)
	}
}

// TestRegressionText: what there is little of, or too much, is left out or short.
func TestRegressionText(t *testing.T) {
	text := func(r *RegressionReport) string {
		var b strings.Builder
		must.OK(t, r.WriteText(&b))
		return b.String()
	}
	one := regressionOf(t, []float64{math.Copysign(0, -1)}, []float64{1e-12}, 1)
	one.Bad, one.BadReasons = 2, map[string]int64{"not a number": 2}
	const want = `  documents        1
  bad records      2
  mae          1e-12
  rmse         1e-12
  bad records: 2 not a number

  numbers      mean     min     max
  wanted     0.0000  0.0000  0.0000
  predicted   1e-12   1e-12   1e-12

  wanted  documents  mean predicted    mae  nearest
       0          1           1e-12  1e-12   1.0000

  cut  positives  kept   share  precision  recall      f1  roc auc  pr auc
    1          0     0  0.0000          -       -  0.0000        -       -
`
	if got := text(one); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	for levels, table := range map[int]bool{shownLevels: true, shownLevels + 1: false} {
		var numbers []float64
		for k := range levels {
			numbers = append(numbers, float64(k))
		}
		if got := text(regressionOf(t, numbers, numbers)); strings.Contains(got, "nearest") != table {
			t.Errorf("%d levels:\n%s", levels, got)
		}
	}
}

// TestRegressionSample: a sample is about what it is of, and says so.
func TestRegressionSample(t *testing.T) {
	a := &Regression{limit: 2000}
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 20_000 {
		want := float64(i) / 20_000
		must.OK(t, a.Add(want, want+r.NormFloat64()))
	}
	report, err := a.Report()
	must.OK(t, err)
	// Standard errors are 1/sqrt(12·2000) = .0065, and about 1/sqrt(2·2000) = .016.
	if report.N != 20_000 || report.Sampled != 2000 ||
		math.Abs(report.Wanted.Mean-0.5) > 0.03 || math.Abs(report.RMSE-1) > 0.06 {
		t.Errorf("%+v", report)
	}
}

// TestRegressionCurve: precision at a threshold, sure or not, is that of documents that want the cut.
func TestRegressionCurve(t *testing.T) {
	a := new(Regression)
	for i := range 400 { // predictions from 200 on are right
		must.OK(t, a.Add(float64(i/200), float64(i)))
	}
	c := a.Curve(0.5)
	if p, ok := c.AtPrecision(1); !ok || p.Threshold != 200 || *p.Recall != 1 {
		t.Errorf("%+v", p)
	}
	if p, ok := c.AtConfidence(0.9, 0.95); !ok || p.Threshold < 180 || p.Threshold > 205 {
		t.Errorf("sure: %+v", p)
	}
}

// TestRaterCeiling: who knows the expected ratings reaches the ceiling, and of as many ratings each it is ICC(1,k).
func TestRaterCeiling(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const documents, sd = 40_000, 0.7
	var ratings [][]float64
	knowing := new(Regression)
	for range documents {
		expected := r.NormFloat64()
		of := make([]float64, 2+r.IntN(4))
		mean := 0.0
		for i := range of {
			of[i] = expected + sd*r.NormFloat64()
			mean += of[i] / float64(len(of))
		}
		ratings = append(ratings, of, []float64{100}) // which tells nothing
		must.OK(t, knowing.Add(mean, expected))
	}
	c, err := RaterCeiling(slices.Values(ratings))
	must.OK(t, err)
	reached, err := knowing.Report()
	must.OK(t, err)
	for name, v := range map[string][2]float64{
		"noise": {*c.Noise, sd}, "RMSE": {*c.RMSE, reached.RMSE}, "R2": {*c.R2, *reached.R2},
		"Pearson": {*c.Pearson, *reached.Pearson},
	} {
		if math.Abs(v[0]-v[1]) > 0.005 {
			t.Errorf("%s: %v, reached %v", name, v[0], v[1])
		}
	}
	if c.Documents != documents || c.LeaveOneOut.N != c.Ratings || *c.LeaveOneOut.Pearson >= *c.Pearson {
		t.Errorf("%+v, leave one out %+v", c, c.LeaveOneOut)
	}

	// The example of Shrout and Fleiss (1979), table 2: ICC(1,1) = .17 and ICC(1,4) = .44.
	c, err = RaterCeiling(slices.Values([][]float64{
		{9, 2, 5, 8}, {6, 1, 3, 2}, {8, 4, 6, 8}, {7, 1, 2, 6}, {10, 5, 6, 9}, {6, 2, 4, 7},
	}))
	must.OK(t, err)
	if math.Abs(*c.R2-0.44) > 0.005 || math.Abs(float64(*c.Noise**c.Noise)-6.26) > 0.005 {
		t.Errorf("R2 %v, noise %v", *c.R2, *c.Noise)
	}
	// Raters who agree less than by chance, and means that do not differ.
	c, err = RaterCeiling(slices.Values([][]float64{{1, 2}, {2, 1}, {1, 2.2}}))
	must.OK(t, err)
	if c.R2 == nil || *c.R2 != 0 || *c.Pearson != 0 {
		t.Errorf("R2 is %s, want 0", shown(c.R2))
	}
	if c, err = RaterCeiling(slices.Values([][]float64{{1, 2}, {2, 1}})); err != nil || c.R2 != nil || *c.RMSE != 0.5 {
		t.Errorf("R2 is %s, want none; error %v", shown(c.R2), err)
	}
	for want, bad := range map[string][][]float64{
		"two ratings or more": {{1}, {2}}, "document 1": {{1}, {1, math.NaN()}}, "document 2": {{}, {1, 2}, {1, math.Inf(1)}},
	} {
		if _, err := RaterCeiling(slices.Values(bad)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func BenchmarkRegression(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	a := new(Regression)
	for range 1_000_000 {
		want := 5 * r.Float64()
		must.OK(b, a.Add(want, want+r.NormFloat64()))
	}
	for b.Loop() {
		r.Shuffle(len(a.pairs), func(i, j int) { a.pairs[i], a.pairs[j] = a.pairs[j], a.pairs[i] })
		_, err := a.Report()
		must.OK(b, err)
	}
}
